import type { JsonObject, JsonValue } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { membersOf } from '../../../api/json/members.js';

/** Metrics in version 1's annotations: the amount that is set determines the target type of version 2. */

type Sources = Readonly<Record<string, (source: JsonObject) => JsonObject>>;

const setMembers = (members: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null));

const present = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

/** Amounts that version 1 always has default to zero. */
const amountOf = (value: JsonValue | undefined): JsonValue => value ?? '0';

const nameAndSelector = (name: JsonValue | undefined, selector: JsonValue | undefined): JsonObject =>
  setMembers({ name: name ?? '', selector });

const resourceTarget = ({ targetAverageUtilization, targetAverageValue }: JsonObject): JsonObject =>
  setMembers({
    type: present(targetAverageUtilization) ? 'Utilization' : 'AverageValue',
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  });

const targetsToStorage: Sources = {
  resource: (source) => ({ name: source['name'] ?? '', target: resourceTarget(source) }),
  containerResource: (source) => ({ name: source['name'] ?? '', target: resourceTarget(source), container: source['container'] ?? '' }),
  pods: (source) => ({
    metric: nameAndSelector(source['metricName'], source['selector']),
    target: { type: 'AverageValue', averageValue: amountOf(source['targetAverageValue']) },
  }),
  object: (source) => ({
    describedObject: membersOf(source['target']),
    metric: nameAndSelector(source['metricName'], source['selector']),
    target: setMembers({
      type: present(source['averageValue']) ? 'AverageValue' : 'Value',
      value: amountOf(source['targetValue']),
      averageValue: source['averageValue'],
    }),
  }),
  external: (source) => ({
    metric: nameAndSelector(source['metricName'], source['metricSelector']),
    target: setMembers({
      type: present(source['targetValue']) ? 'Value' : 'AverageValue',
      value: source['targetValue'],
      averageValue: source['targetAverageValue'],
    }),
  }),
};

const currentResource = ({ currentAverageUtilization, currentAverageValue }: JsonObject): JsonObject =>
  setMembers({ averageValue: amountOf(currentAverageValue), averageUtilization: currentAverageUtilization });

const currentMetricToStorage: Sources = {
  resource: (source) => ({ name: source['name'] ?? '', current: currentResource(source) }),
  containerResource: (source) => ({ name: source['name'] ?? '', current: currentResource(source), container: source['container'] ?? '' }),
  pods: (source) => ({
    metric: nameAndSelector(source['metricName'], source['selector']),
    current: { averageValue: amountOf(source['currentAverageValue']) },
  }),
  object: (source) => ({
    metric: nameAndSelector(source['metricName'], source['selector']),
    current: setMembers({ value: amountOf(source['currentValue']), averageValue: source['averageValue'] }),
    describedObject: membersOf(source['target']),
  }),
  external: (source) => ({
    metric: nameAndSelector(source['metricName'], source['metricSelector']),
    current: setMembers({ value: amountOf(source['currentValue']), averageValue: source['currentAverageValue'] }),
  }),
};

const part = (source: JsonObject, member: string): JsonObject => objectAt(source, member) ?? {};

/** Amounts in version 1 have a prefix. */
function fromStorage(side: 'target' | 'current'): Sources {
  /** Only targets may lack one of these. */
  const amount = (value: JsonValue | undefined): JsonValue | undefined => (side === 'target' ? value : amountOf(value));
  const [value, averageValue, averageUtilization] = [`${side}Value`, `${side}AverageValue`, `${side}AverageUtilization`];
  const ofResource = (source: JsonObject): Record<string, JsonValue | undefined> => ({
    name: source['name'],
    [averageUtilization]: part(source, side)['averageUtilization'],
    [averageValue]: amount(part(source, side)['averageValue']),
  });
  return {
    object: (source) =>
      setMembers({
        target: part(source, 'describedObject'),
        metricName: part(source, 'metric')['name'],
        [value]: amountOf(part(source, side)['value']),
        selector: part(source, 'metric')['selector'],
        averageValue: part(source, side)['averageValue'],
      }),
    pods: (source) =>
      setMembers({
        metricName: part(source, 'metric')['name'],
        [averageValue]: amountOf(part(source, side)['averageValue']),
        selector: part(source, 'metric')['selector'],
      }),
    resource: (source) => setMembers(ofResource(source)),
    containerResource: (source) => setMembers({ ...ofResource(source), container: source['container'] }),
    external: (source) =>
      setMembers({
        metricName: part(source, 'metric')['name'],
        metricSelector: part(source, 'metric')['selector'],
        [value]: amount(part(source, side)['value']),
        [averageValue]: part(source, side)['averageValue'],
      }),
  };
}
const targetsFromStorage = fromStorage('target');
const currentMetricFromStorage = fromStorage('current');

const converted = (metric: JsonValue, sources: Sources): JsonObject => {
  const from = membersOf(metric);
  const found = Object.entries(sources).flatMap(([member, convert]): [string, JsonValue][] => {
    const source = objectAt(from, member);
    return source === null ? [] : [[member, convert(source)]];
  });
  return { type: from['type'] ?? '', ...Object.fromEntries(found) };
};

export const targetToStorage = (metric: JsonValue): JsonObject => converted(metric, targetsToStorage);
export const targetFromStorage = (metric: JsonValue): JsonObject => converted(metric, targetsFromStorage);
export const currentToStorage = (metric: JsonValue): JsonObject => converted(metric, currentMetricToStorage);
export const currentFromStorage = (metric: JsonValue): JsonObject => converted(metric, currentMetricFromStorage);
