import type * as v2 from '../../../api/types/autoscaling/v2.js';
import { entryOf, itemsOf, none, type Draft, type Writable } from '../language.js';

type Metric = Writable<v2.MetricSpec>;
type Measured = Writable<v2.MetricStatus>;
type Target = Writable<v2.MetricTarget>;
type Current = Writable<v2.MetricValueStatus>;

const shownMax = 2;
const unknown = '<unknown>';

function amount(target: Target = {}, current: Current = {}, perPod = ''): string {
  const member = target.averageValue === undefined ? 'value' : 'averageValue';
  return `${current[member] || unknown}/${target[member] ?? ''}${member === 'averageValue' ? perPod : ''}`;
}

const percent = (value: number | undefined, unset: string): string => (value === undefined ? unset : `${value}%`);

function resource({ name = '', target = {} }: Writable<v2.ResourceMetricSource> = {}, current: Current = {}): string {
  const shown =
    target.averageValue === undefined
      ? `${percent(current.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`
      : amount(target, current);
  return `${name}: ${shown}`;
}

const average = ' (avg)';
const metrics: Readonly<Record<string, (metric: Metric, measured: Measured) => string>> = {
  Resource: (metric, measured) => resource(metric.resource, measured.resource?.current),
  ContainerResource: (metric, measured) => resource(metric.containerResource, measured.containerResource?.current),
  Pods: (metric, measured) => amount(metric.pods?.target, measured.pods?.current),
  Object: (metric, measured) => amount(metric.object?.target, measured.object?.current, average),
  External: (metric, measured) => amount(metric.external?.target, measured.external?.current, average),
};

/** Actual and desired values have the same position in their lists. */
export function targetsCell({ spec, status }: Draft<v2.HorizontalPodAutoscaler>): string {
  const [wanted, measured] = [itemsOf(spec?.metrics), itemsOf(status?.currentMetrics)];
  if (wanted.length === 0) return none;
  const shown = wanted.map(
    (metric, position) => entryOf(metrics, metric.type ?? '')?.(metric, measured[position] ?? {}) ?? '<unknown type>',
  );
  const more = shown.length - shownMax;
  return `${shown.slice(0, shownMax).join(', ')}${more > 0 ? ` + ${more} more...` : ''}`;
}
