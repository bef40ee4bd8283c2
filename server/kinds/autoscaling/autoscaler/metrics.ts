import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { isSet, textAt } from '../../../../api/json/members.js';
import { forbidden, invalid, keepable, notSupported, required, type FieldError, type Path } from '../../../registry/validation/field.js';
import { pathSegmentName } from '../../../registry/validation/names.js';
import { isNegative, isZero } from '../../../registry/validation/quantities.js';
import { validateContainerResourceName } from '../../../registry/validation/resourcenames.js';
import { dnsLabel, named } from '../../../registry/validation/values.js';

/** Metrics of an autoscaler. Each type has its own member. */

type SourceRule = (source: JsonObject, target: JsonObject, path: Path) => FieldError[];

const targetTypes = ['Utilization', 'Value', 'AverageValue'];
const isPositive = (value: JsonValue | undefined): boolean => isSet(value) && !isNegative(value) && !isZero(value);

/** Sources in checking order; only the first present one is checked. */
const sources: Readonly<Record<string, { readonly type: string; readonly rule: SourceRule }>> = {
  object: {
    type: 'Object',
    rule: (source, { value, averageValue }, path) => [
      ...validateReference(objectAt(source, 'describedObject') ?? {}, path.child('describedObject')),
      ...keepable(
        'version of a described object',
        validateVersion(objectAt(source, 'describedObject') ?? {}, true, path.child('describedObject', 'apiVersion')),
      ),
      ...validateIdentifier(source, path),
      ...validateTarget(source, path),
      ...(isSet(value) || isSet(averageValue)
        ? []
        : [required(path.child('target', 'averageValue'), 'must set either a target value or averageValue')]),
    ],
  },
  external: {
    type: 'External',
    rule: (source, { value, averageValue }, path) => [
      ...validateIdentifier(source, path),
      ...validateTarget(source, path),
      ...(isSet(value) || isSet(averageValue)
        ? []
        : [required(path.child('target', 'averageValue'), 'must set either a target value for metric or a per-pod target')]),
      ...(isSet(value) && isSet(averageValue)
        ? [forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target')]
        : []),
    ],
  },
  pods: {
    type: 'Pods',
    rule: (source, { averageValue }, path) => [
      ...validateIdentifier(source, path),
      ...validateTarget(source, path),
      ...(isSet(averageValue) ? [] : [required(path.child('target', 'averageValue'), 'must specify a positive target averageValue')]),
    ],
  },
  resource: {
    type: 'Resource',
    rule: (source, target, path) => [...resourceName(source, path), ...validateTarget(source, path), ...validateUtilization(target, path)],
  },
  containerResource: {
    type: 'ContainerResource',
    rule: (source, target, path) => [
      ...containerResourceName(source, path),
      ...containerName(textAt(source, 'container'), path.child('container')),
      ...validateTarget(source, path),
      ...validateUtilization(target, path),
    ],
  },
};

const containerName = (name: string, path: Path): FieldError[] =>
  name === '' ? [required(path, 'must specify a container')] : dnsLabel(name, path);

const containerResourceName = (source: JsonObject, path: Path): FieldError[] =>
  textAt(source, 'name') === '' ? resourceName(source, path) : validateContainerResourceName(textAt(source, 'name'), path.child('name'));

const resourceName = (source: JsonObject, path: Path): FieldError[] =>
  textAt(source, 'name') === '' ? [required(path.child('name'), 'must specify a resource name')] : [];

function validateUtilization({ averageUtilization, averageValue }: JsonObject, path: Path): FieldError[] {
  const at = path.child('target');
  if (!isSet(averageUtilization) && !isSet(averageValue))
    return [required(at.child('averageUtilization'), 'must set either a target raw value or a target utilization')];
  return isSet(averageUtilization) && isSet(averageValue)
    ? [forbidden(at.child('averageValue'), 'may not set both a target raw value and a target utilization')]
    : [];
}

function validateIdentifier(source: JsonObject, path: Path): FieldError[] {
  const name = textAt(source, 'metric', 'name');
  const at = path.child('metric', 'name');
  return name === '' ? [required(at, 'must specify a metric name')] : named(name, pathSegmentName, at);
}

function validateTarget(source: JsonObject, path: Path): FieldError[] {
  const target = objectAt(source, 'target') ?? {};
  const at = path.child('target');
  const type = textAt(target, 'type');
  return [
    ...(type === '' ? [required(at.child('type'), 'must specify a metric target type')] : []),
    ...(targetTypes.includes(type) ? [] : [invalid(at.child('type'), type, 'must be either Utilization, Value, or AverageValue')]),
    ...['value', 'averageValue'].flatMap((member) =>
      isSet(target[member]) && !isPositive(target[member]) ? [invalid(at.child(member), target[member], 'must be positive')] : [],
    ),
    ...(Number(target['averageUtilization'] ?? 1) < 1
      ? [invalid(at.child('averageUtilization'), target['averageUtilization'], 'must be greater than 0')]
      : []),
  ];
}

export function validateReference(reference: JsonObject, path: Path): FieldError[] {
  return ['kind', 'name'].flatMap((member) => {
    const text = textAt(reference, member);
    return text === '' ? [required(path.child(member), '')] : named(text, pathSegmentName, path.child(member));
  });
}

/** The version of a reference, at `path`; `groupless` kinds may be in the core group. */
export function validateVersion(reference: JsonObject, groupless: boolean, path: Path): FieldError[] {
  const apiVersion = textAt(reference, 'apiVersion');
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const hasGroup = parts.length === 2 && parts[0] !== '';
  return hasGroup || groupless ? [] : [invalid(path, apiVersion, 'apiVersion must specify API group')];
}

const types = Object.values(sources)
  .map(({ type }) => type)
  .sort();

/** `minReplicas` may be zero only with metrics that exist without pods. */
export function validateMetrics(spec: JsonObject, path: Path): FieldError[] {
  const metrics = objectsIn(spec, 'metrics');
  const idle = metrics.some((metric) => ['Object', 'External'].includes(textAt(metric, 'type')));
  return [
    ...metrics.flatMap((metric, position) => validateMetric(metric, path.index(position))),
    ...(spec['minReplicas'] === 0 && !idle
      ? [forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas')]
      : []),
  ];
}

function validateMetric(metric: JsonObject, path: Path): FieldError[] {
  const type = textAt(metric, 'type');
  const present = Object.keys(sources).filter((member) => objectAt(metric, member) !== null);
  const expected = Object.keys(sources).find((member) => sources[member]?.type === type);
  const unknown = expected === undefined ? [notSupported(path.child('type'), type, types)] : [];
  const [first] = present;
  const source = first === undefined ? null : objectAt(metric, first);
  return [
    ...(type === '' ? [required(path.child('type'), 'must specify a metric source type')] : []),
    ...unknown,
    ...(first === undefined || source === null
      ? []
      : (sources[first]?.rule(source, objectAt(source, 'target') ?? {}, path.child(first)) ?? [])),
    // The reference checks the type twice.
    ...unknown,
    ...(expected !== undefined && !present.includes(expected)
      ? [required(path.child(expected), 'must populate information for the given metric source')]
      : []),
    ...(present.length === 1
      ? []
      : present
          .filter((member) => member !== expected)
          .map((member) => forbidden(path.child(member), 'must populate the given metric source only'))),
  ];
}
