import { selects, shownSelector } from '../../api/selectors.js';
import type {
  HPAScalingRules,
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from '../../api/types/autoscaling/v2.js';
import type { Pod } from '../../api/types/core/v1.js';
import { groupResourceOf } from '../../api/meta/resource.js';
import { namespaceOf } from '../../api/meta/object.js';
import { messageOf } from '../client/errors.js';
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
  readonly name: string;
  readonly status: MetricStatus;
}

export const failureReason = (type: string): string =>
  ['Resource', 'ContainerResource', 'Pods', 'Object', 'External'].includes(type) ? `FailedGet${type}Metric` : 'InvalidMetricSourceType';

/** Formats amounts of thousandths as the reference does. */
export const quantityText = (thousandths: number): string => (thousandths % 1000 === 0 ? String(thousandths / 1000) : `${thousandths}m`);

/** Returns the replicas for one metric. Rejects if unknown. */
export async function proposalOf(spec: MetricSpec, question: Question, metrics: MetricsApi, targets: ScaleTargets): Promise<Proposal> {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === 'Resource' && resource) return ofResource(resource, question, metrics);
  if (type === 'ContainerResource' && containerResource) return ofResource(containerResource, question, metrics);
  if (type === 'Pods' && pods) return ofPods(pods, question, metrics);
  if (type === 'Object' && object) return ofObject(object, question, metrics, targets);
  if (type === 'External' && external) return ofOutside(external, question, metrics);
  throw new MetricError(`unknown metric source type ${JSON.stringify(type)}`);
}

async function ofPods({ metric, target }: NonNullable<MetricSpec['pods']>, question: Question, metrics: MetricsApi): Promise<Proposal> {
  const namespace = namespaceOf(question.autoscaler);
  const used = await within(`unable to get metric ${metric.name}`, metrics.ofPods(namespace, question.selector, metric));
  const { replicas, average } = byPods(question, used, '', { milli: milli(target.averageValue) });
  const current = { averageValue: quantityText(average) };
  return { replicas, name: `pods metric ${metric.name}`, status: { type: 'Pods', pods: { metric, current } } };
}

async function ofObject(
  { metric, target, describedObject }: NonNullable<MetricSpec['object']>,
  question: Question,
  metrics: MetricsApi,
  targets: ScaleTargets,
): Promise<Proposal> {
  const namespace = namespaceOf(question.autoscaler);
  const { kind, name: objectName } = describedObject;
  const measure = async (): Promise<number> => {
    const type = await within('unable to fetch metrics from custom metrics API', targets.typeOf(describedObject));
    return metrics.ofObject(namespace, describedObject, groupResourceOf(type), metric);
  };
  const value = await within(`unable to get metric ${metric.name}: ${kind} on ${namespace} ${objectName}/`, measure(), '');
  const { replicas, current } = byValue(question, value, target);
  const name = target.averageValue === undefined ? `${kind} metric ${metric.name}` : outside(metric);
  return { replicas, name, status: { type: 'Object', object: { metric, current, describedObject } } };
}

async function ofOutside(
  { metric, target }: NonNullable<MetricSpec['external']>,
  question: Question,
  metrics: MetricsApi,
): Promise<Proposal> {
  const namespace = namespaceOf(question.autoscaler);
  const where = `${namespace}/${metric.name}/${shownSelector(metric.selector)}`;
  const value = await within(`unable to get external metric ${where}`, metrics.ofOutside(namespace, metric));
  const { replicas, current } = byValue(question, value, target);
  return { replicas, name: outside(metric), status: { type: 'External', external: { metric, current } } };
}

async function within<A>(what: string, work: Promise<A>, separator = ': '): Promise<A> {
  try {
    return await work;
  } catch (error) {
    throw new MetricError(`${what}${separator}${messageOf(error)}`, { cause: error });
  }
}

const outside = ({ name, selector }: MetricIdentifier): string => `external metric ${name}(${shownSelector(selector)})`;

export function failureSummary(spec: MetricSpec, message: string): string {
  const { object, external, resource, containerResource } = spec;
  switch (spec.type) {
    case 'Resource':
      return `failed to get ${resource?.name} resource metric value: ${message}`;
    case 'ContainerResource':
      return `failed to get ${containerResource?.container} container metric value: ${message}`;
    case 'Pods':
      return `failed to get pods metric value: ${message}`;
    case 'Object': {
      const average = object?.target.averageValue === undefined ? '' : `failed to get ${object.metric.name} object metric: `;
      return `failed to get object metric value: ${average}${message}`;
    }
    case 'External': {
      const { metric, target } = external ?? { metric: { name: '' }, target: { averageValue: undefined } };
      const which = target.averageValue === undefined ? `external metric ${metric.name}` : `${metric.name} external metric`;
      return `failed to get ${metric.name} external metric value: failed to get ${which}: ${message}`;
    }
    default:
      return message;
  }
}

interface ResourceSource {
  readonly name: string;
  readonly container?: string | null;
  readonly target: MetricTarget;
}

async function ofResource(
  { name: resource, container = null, target }: ResourceSource,
  question: Question,
  metrics: MetricsApi,
): Promise<Proposal> {
  const { averageUtilization: percent } = target;
  const measured = async (): Promise<Measured> => {
    const used = metrics.ofResource(namespaceOf(question.autoscaler), question.selector, { resource, container });
    const metric = await within(`unable to get metrics for resource ${resource}`, used);
    const aim =
      percent === undefined ? { milli: milli(target.averageValue) } : { percent, requests: requestsOf(question.pods, resource, container) };
    return byPods(question, metric, resource, aim);
  };
  const failureText = `failed to get ${resource} ${percent === undefined ? 'usage' : 'utilization'}`;
  const { replicas, average, utilization } = await within(failureText, measured());
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

/** Returns the tolerances: the autoscaler's per direction, where permitted (`own`), else the cluster's. */
export function tolerancesOf({ spec: { behavior } }: HorizontalPodAutoscaler, usual: number, own: boolean): Tolerances {
  const of = (rules: HPAScalingRules | undefined): number =>
    rules?.tolerance === undefined || !own ? usual : milli(rules.tolerance) / 1000;
  return { up: of(behavior?.scaleUp), down: of(behavior?.scaleDown) };
}

/** Parses the selector of a scale; null for invalid text. */
export function selectorTerms(text: string): ((labels: Readonly<Record<string, string>> | undefined) => boolean) | null {
  const requirements = splitTerms(text).map(requirementOf);
  if (requirements.some((each) => each === null)) return null;
  const matchExpressions = requirements.flatMap((each) => each ?? []);
  return (labels) => selects({ matchExpressions }, labels);
}

/** Commas within brackets do not separate terms. */
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
