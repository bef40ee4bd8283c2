import type * as v2 from '../../../../api/types/autoscaling/v2.js';
import {
  all,
  changed,
  dnsLabel,
  each,
  forbidden,
  format,
  inOrder,
  invalid,
  isNegative,
  isSet,
  isZero,
  itemsOf,
  keepable,
  members,
  missing,
  notSupported,
  optional,
  orEmpty,
  pathSegmentName,
  required,
  requiredAs,
  validateContainerResourceName,
  whenOwner,
  type FieldError,
  type Found,
  type Path,
  type Rule,
  type Writable,
} from '../../language.js';

type Metric = Writable<v2.MetricSpec>;
type Target = Writable<v2.MetricTarget> | null | undefined;

const targetTypes = ['Utilization', 'Value', 'AverageValue'];
const positiveAmount = (value: string, path: Path): FieldError[] =>
  isNegative(value) || isZero(value) ? [invalid(path, value, 'must be positive')] : [];

const ownTarget = members<v2.MetricTarget>({
  type: all(
    requiredAs('must specify a metric target type'),
    orEmpty((type, path) =>
      targetTypes.includes(type) ? [] : [invalid(path, type, 'must be either Utilization, Value, or AverageValue')],
    ),
  ),
  value: optional(positiveAmount),
  averageValue: optional(positiveAmount),
  averageUtilization: optional((percent, path) => (percent < 1 ? [invalid(path, percent, 'must be greater than 0')] : [])),
});

type Amount = 'value' | 'averageValue' | 'averageUtilization';

const someAmount =
  (amounts: readonly Amount[], at: Amount, text: string): Rule<Target> =>
  (target, path) =>
    amounts.some((amount) => isSet(target?.[amount])) ? [] : [missing(path.child(at), text)];
const notBoth =
  (amounts: readonly Amount[], at: Amount, text: string): Rule<Target> =>
  (target, path) =>
    amounts.every((amount) => isSet(target?.[amount])) ? [forbidden(path.child(at), text)] : [];

const anyValue = ['value', 'averageValue'] as const;
const anyAverage = ['averageUtilization', 'averageValue'] as const;
const targets = {
  object: all(ownTarget, someAmount(anyValue, 'averageValue', 'must set either a target value or averageValue')),
  external: all(
    ownTarget,
    someAmount(anyValue, 'averageValue', 'must set either a target value for metric or a per-pod target'),
    notBoth(anyValue, 'value', 'may not set both a target value for metric and a per-pod target'),
  ),
  pods: all(ownTarget, someAmount(['averageValue'], 'averageValue', 'must specify a positive target averageValue')),
  resource: all(
    ownTarget,
    someAmount(anyAverage, 'averageUtilization', 'must set either a target raw value or a target utilization'),
    notBoth(anyAverage, 'averageValue', 'may not set both a target raw value and a target utilization'),
  ),
};

const segment = required(format(pathSegmentName));
export const reference = members<v2.CrossVersionObjectReference>({ kind: segment, name: segment });
const metric = members<v2.MetricIdentifier>({ name: requiredAs('must specify a metric name', format(pathSegmentName)) });
const describedObject = all(
  reference,
  changed(members<v2.CrossVersionObjectReference>({ apiVersion: orEmpty(version(true)) }), (findings) =>
    keepable('version of a described object', findings),
  ),
);

/** `groupless` kinds may be in the core group. */
export function version(groupless: boolean): (apiVersion: string, path: Path) => FieldError[] {
  return (apiVersion, path) => {
    const parts = apiVersion.split('/');
    if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
    const hasGroup = parts.length === 2 && parts[0] !== '';
    return hasGroup || groupless ? [] : [invalid(path, apiVersion, 'apiVersion must specify API group')];
  };
}

const types = {
  object: 'Object',
  external: 'External',
  pods: 'Pods',
  resource: 'Resource',
  containerResource: 'ContainerResource',
} as const;
type Source = keyof typeof types;
const order: readonly Source[] = ['object', 'external', 'pods', 'resource', 'containerResource'];

/** Only the first source is checked. */
const first = <V>(source: Source, rule: Rule<V>): Rule<V | null | undefined, Metric> =>
  whenOwner((metric: Metric) => order.find((name) => isSet(metric[name])) === source, optional(rule));

const sources = members<v2.MetricSpec>({
  object: first('object', members<v2.ObjectMetricSource>({ describedObject, metric, target: targets.object })),
  external: first('external', members<v2.ExternalMetricSource>({ metric, target: targets.external })),
  pods: first('pods', members<v2.PodsMetricSource>({ metric, target: targets.pods })),
  resource: first(
    'resource',
    members<v2.ResourceMetricSource>({ name: requiredAs('must specify a resource name'), target: targets.resource }),
  ),
  containerResource: first(
    'containerResource',
    members<v2.ContainerResourceMetricSource>({
      name: requiredAs('must specify a resource name', validateContainerResourceName),
      container: requiredAs('must specify a container', dnsLabel),
      target: targets.resource,
    }),
  ),
});

function oneSource(metric: Metric, path: Path): Found {
  const { type = '' } = metric;
  const present = order.filter((name) => isSet(metric[name]));
  const expected = order.find((name) => types[name] === type);
  const unknown = expected === undefined ? [notSupported(path.child('type'), type, Object.values(types).sort())] : [];
  const surplus = present.length > 1 ? present.filter((name) => name !== expected) : [];
  return inOrder(
    type === '' ? [missing(path.child('type'), 'must specify a metric source type')] : [],
    unknown,
    sources(metric, path, metric),
    // The reference checks the type twice.
    unknown,
    expected !== undefined && !present.includes(expected)
      ? [missing(path.child(expected), 'must populate information for the given metric source')]
      : [],
    surplus.map((name) => forbidden(path.child(name), 'must populate the given metric source only')),
  );
}

/** `minReplicas` may be zero only with metrics that exist without pods. */
function idleMetric(metrics: Metric[] | undefined, path: Path, spec: Writable<v2.HorizontalPodAutoscalerSpec>): FieldError[] {
  const idle = itemsOf(metrics).some(({ type }) => type === 'Object' || type === 'External');
  return spec.minReplicas === 0 && !idle
    ? [forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas')]
    : [];
}

export const metrics = all(each(oneSource), idleMetric);
