import { selects } from '../../api/selectors.js';
import type { HPAScalingRules, HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget } from '../../api/types/autoscaling/v2.js';
import type { Pod } from '../../api/types/core/v1.js';
import { groupResourceOf } from '../../api/meta/resource.js';
import { namespaceOf } from '../../api/meta/object.js';
import {
  MetricError,
  milli,
  replicasByPods,
  replicasByValue,
  requestsOf,
  type Measured,
  type Periods,
  type PodMetrics,
  type Tolerances,
} from './measurement.js';
import type { MetricsApi } from './metricsApi.js';
import type { ScaleTargets } from './scaleTargets.js';

/** What is asked of one metric of an autoscaler. */
export interface Question {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly current: number;
  readonly statusReplicas: number;
  readonly periods: Periods;
  readonly tolerances: Tolerances;
  readonly now: number;
}

export interface Proposal {
  readonly replicas: number;
  /** What the metric is called in events. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** Why a metric of a type could not be computed, as conditions and events say. */
export const failureReason = (type: string): string =>
  ['Resource', 'ContainerResource', 'Pods', 'Object', 'External'].includes(type) ? `FailedGet${type}Metric` : 'InvalidMetricSourceType';

/** Written as the reference writes amounts of thousandths. */
export const quantityText = (thousandths: number): string => (thousandths % 1000 === 0 ? String(thousandths / 1000) : `${thousandths}m`);

/** How many replicas one metric asks for. Rejects where that cannot be known. */
export async function proposalOf(spec: MetricSpec, question: Question, metrics: MetricsApi, targets: ScaleTargets): Promise<Proposal> {
  const namespace = namespaceOf(question.autoscaler);
  switch (spec.type) {
    case 'Resource':
      if (spec.resource) return ofResource(spec.resource.name, null, spec.resource.target, question, metrics);
      break;
    case 'ContainerResource':
      if (spec.containerResource) {
        const { name, container, target } = spec.containerResource;
        return ofResource(name, container, target, question, metrics);
      }
      break;
    case 'Pods':
      if (spec.pods) {
        const { metric, target } = spec.pods;
        const measured = byPods(question, await metrics.ofPods(namespace, question.selector, metric), '', {
          milli: milli(target.averageValue),
        });
        const current = { averageValue: quantityText(measured.average) };
        return { replicas: measured.replicas, name: `pods metric ${metric.name}`, status: { type: 'Pods', pods: { metric, current } } };
      }
      break;
    case 'Object':
      if (spec.object) {
        const { metric, target, describedObject } = spec.object;
        const type = await targets.typeOf(describedObject);
        const value = await metrics.ofObject(namespace, describedObject, groupResourceOf(type), metric);
        const { replicas, current } = byValue(question, value, target);
        const name = `${describedObject.kind} metric ${metric.name}`;
        return { replicas, name, status: { type: 'Object', object: { metric, current, describedObject } } };
      }
      break;
    case 'External':
      if (spec.external) {
        const { metric, target } = spec.external;
        const { replicas, current } = byValue(question, await metrics.ofOutside(namespace, metric), target);
        return { replicas, name: `external metric ${metric.name}`, status: { type: 'External', external: { metric, current } } };
      }
  }
  throw new MetricError(`unknown metric source type ${JSON.stringify(spec.type)}`);
}

async function ofResource(
  resource: string,
  container: string | null,
  target: MetricTarget,
  question: Question,
  metrics: MetricsApi,
): Promise<Proposal> {
  const measured = await metrics.ofResource(namespaceOf(question.autoscaler), question.selector, resource, container);
  const { averageUtilization: percent } = target;
  const aim =
    percent === undefined ? { milli: milli(target.averageValue) } : { percent, requests: requestsOf(question.pods, resource, container) };
  const { replicas, average, utilization } = byPods(question, measured, resource, aim);
  const current = { averageValue: quantityText(average), ...(utilization === undefined ? {} : { averageUtilization: utilization }) };
  const how = percent === undefined ? '' : ' utilization (percentage of request)';
  return container === null
    ? { replicas, name: `${resource} resource${how}`, status: { type: 'Resource', resource: { name: resource, current } } }
    : {
        replicas,
        name: `${resource} container resource${how}`,
        status: { type: 'ContainerResource', containerResource: { name: resource, container, current } },
      };
}

const byPods = (
  question: Question,
  metrics: PodMetrics,
  resource: string,
  target: Parameters<typeof replicasByPods>[0]['target'],
): Measured => replicasByPods({ ...question, metrics, resource, target });

function byValue(
  question: Question,
  value: number,
  target: MetricTarget,
): { replicas: number; current: { value?: string; averageValue?: string } } {
  if (target.averageValue !== undefined) {
    const { replicas, average } = replicasByValue({ ...question, value, target: { average: milli(target.averageValue) } });
    return { replicas, current: { averageValue: quantityText(average) } };
  }
  if (target.value === undefined)
    throw new MetricError('invalid metric source: neither a value target nor an average value target was set');
  return {
    replicas: replicasByValue({ ...question, value, target: { total: milli(target.value) } }).replicas,
    current: { value: quantityText(value) },
  };
}

/** How far from the target nothing happens: as the autoscaler says for each direction, where it may (`own`), otherwise as the cluster does. */
export function tolerancesOf({ spec: { behavior } }: HorizontalPodAutoscaler, usual: number, own: boolean): Tolerances {
  const of = (rules: HPAScalingRules | undefined): number =>
    rules?.tolerance === undefined || !own ? usual : milli(rules.tolerance) / 1000;
  return { up: of(behavior?.scaleUp), down: of(behavior?.scaleDown) };
}

/** The terms of a selector as text, as scales have it; null where nobody can read it. */
export function selectorTerms(text: string): ((labels: Readonly<Record<string, string>> | undefined) => boolean) | null {
  const requirements = splitTerms(text).map(requirementOf);
  if (requirements.some((each) => each === null)) return null;
  const matchExpressions = requirements.flatMap((each) => each ?? []);
  return (labels) => selects({ matchExpressions }, labels);
}

/** Commas within brackets do not part terms. */
const splitTerms = (text: string): readonly string[] =>
  text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function requirementOf(term: string): Requirement | null {
  const [, set = '', word = '', list = ''] = /^([^\s()=!]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term) ?? [];
  if (set !== '') return { key: set, operator: word === 'in' ? 'In' : 'NotIn', values: list.split(',').map((value) => value.trim()) };
  const [, key = '', sign = '', value = ''] = /^([^\s()=!]+)\s*(==?|!=)\s*([^\s()=!]*)$/.exec(term) ?? [];
  if (key !== '') return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
  const [, not = '', name = ''] = /^(!?)\s*([^\s()=!]+)$/.exec(term) ?? [];
  return name === '' ? null : { key: name, operator: not === '!' ? 'DoesNotExist' : 'Exists' };
}
