import { ensureObject, isObject, isSet, memberAt, membersOf, objectAt, type JsonObject, type JsonValue } from '../language.js';

/** Metrics in version 1's annotations: the amount that is set determines the target type of version 2. */

/** A member of version 1, its place in version 2, and its value when absent. */
type Row = readonly [earlier: string, place: readonly [string, string?], absent?: JsonValue | undefined];
type Forms = Readonly<Record<string, readonly Row[]>>;

/** Version 1 prefixes amounts. Only targets may lack some. */
function formsOf(side: 'target' | 'current'): Forms {
  const always = '0';
  const ifCurrent = side === 'target' ? undefined : always;
  const metricName: Row = ['metricName', ['metric', 'name'], ''];
  const selector: Row = ['selector', ['metric', 'selector']];
  const resource: readonly Row[] = [
    ['name', ['name'], ''],
    [`${side}AverageUtilization`, [side, 'averageUtilization']],
    [`${side}AverageValue`, [side, 'averageValue'], ifCurrent],
  ];
  return {
    object: [
      ['target', ['describedObject'], {}],
      metricName,
      [`${side}Value`, [side, 'value'], always],
      selector,
      ['averageValue', [side, 'averageValue']],
    ],
    pods: [metricName, [`${side}AverageValue`, [side, 'averageValue'], always], selector],
    resource,
    containerResource: [...resource, ['container', ['container'], '']],
    external: [
      metricName,
      ['metricSelector', ['metric', 'selector']],
      [`${side}Value`, [side, 'value'], ifCurrent],
      [`${side}AverageValue`, [side, 'averageValue']],
    ],
  };
}

function toStorage(source: JsonObject, rows: readonly Row[]): JsonObject {
  const made: JsonObject = {};
  for (const [earlier, [outer, inner], absent] of rows) {
    // Annotations may hold anything.
    const value = isObject(absent) ? membersOf(source[earlier]) : (source[earlier] ?? absent);
    if (!isSet(value)) continue;
    if (inner === undefined) made[outer] = value;
    else ensureObject(made, outer)[inner] = value;
  }
  return made;
}

const fromStorage = (source: JsonObject, rows: readonly Row[]): JsonObject =>
  Object.fromEntries(
    rows.flatMap(([earlier, [outer, inner], absent]): [string, JsonValue][] => {
      const value = (inner === undefined ? source[outer] : memberAt(source, outer, inner)) ?? absent;
      return isSet(value) ? [[earlier, value]] : [];
    }),
  );

function converted(metric: JsonValue, forms: Forms, convert: typeof toStorage): JsonObject {
  const from = membersOf(metric);
  const found = Object.entries(forms).flatMap(([member, rows]): [string, JsonValue][] => {
    const source = objectAt(from, member);
    return source === null ? [] : [[member, convert(source, rows)]];
  });
  return { type: from.type ?? '', ...Object.fromEntries(found) };
}

const [targets, measured] = [formsOf('target'), formsOf('current')];

function typeOfTarget(member: string, { value, averageValue, averageUtilization }: JsonObject): string {
  if (isSet(averageUtilization)) return 'Utilization';
  const isAverage = member === 'object' ? isSet(averageValue) : !isSet(value);
  return isAverage ? 'AverageValue' : 'Value';
}

export function targetToStorage(metric: JsonValue): JsonObject {
  const made = converted(metric, targets, toStorage);
  for (const member of Object.keys(targets)) {
    const source = objectAt(made, member);
    if (source !== null) source.target = { type: typeOfTarget(member, membersOf(source.target)), ...membersOf(source.target) };
  }
  return made;
}
export const targetFromStorage = (metric: JsonValue): JsonObject => converted(metric, targets, fromStorage);
export const currentToStorage = (metric: JsonValue): JsonObject => converted(metric, measured, toStorage);
export const currentFromStorage = (metric: JsonValue): JsonObject => converted(metric, measured, fromStorage);
