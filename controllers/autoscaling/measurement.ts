import { isTerminating, nameOf } from '../../api/meta/object.js';
import { parseQuantity, scaledQuantity } from '../../api/quantity.js';
import { timeOf } from '../../api/time.js';
import type { Container, Pod } from '../../api/types/core/v1.js';
import { conditionOf, hasFailed } from '../workloads/podState.js';

export interface PodMetric {
  readonly value: number;
  readonly at: number;
  readonly windowMs: number;
}
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** A metric that cannot be computed, with the reason. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
}

/** Returns thousandths of an amount; undefined for invalid text. */
export function milli(text: string | number | undefined): number {
  const read = parseQuantity(String(text ?? '0'));
  return read.ok ? Number(scaledQuantity(read.quantity, 3)) : 0;
}

export interface Periods {
  readonly cpuInitializationMs: number;
  readonly readinessDelayMs: number;
}

interface Groups {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
}

/** The processor use of a starting pod is atypical, and does not count until the pod is ready. */
export function grouped({
  pods,
  metrics,
  resource,
  periods,
  now,
}: Pick<PodsQuestion, 'pods' | 'metrics' | 'resource' | 'periods' | 'now'>): Groups {
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  let ready = 0;
  for (const pod of pods) {
    const name = nameOf(pod);
    const metric = metrics.get(name);
    if (isTerminating(pod) || hasFailed(pod)) ignored.push(name);
    else if (pod.status?.phase === 'Pending') unready.push(name);
    else if (!metric) missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, metric, periods, now)) unready.push(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

function isStarting({ status }: Pod, metric: PodMetric, { cpuInitializationMs, readinessDelayMs }: Periods, now: number): boolean {
  const condition = conditionOf(status?.conditions, 'Ready');
  const startedAt = timeOf(status?.startTime);
  if (!condition || Number.isNaN(startedAt)) return true;
  const changedAt = timeOf(condition.lastTransitionTime);
  if (startedAt + cpuInitializationMs > now) return condition.status === 'False' || metric.at < changedAt + metric.windowMs;
  return condition.status === 'False' && startedAt + readinessDelayMs > changedAt;
}

export function requestsOf(pods: readonly Pod[], resource: string, container: string | null): ReadonlyMap<string, number> {
  return new Map(
    pods.map((pod) => {
      const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
      const all: readonly Container[] = [...(pod.spec?.containers ?? []), ...sidecars];
      const counted = container === null ? all : all.filter(({ name }) => name === container);
      if (container !== null && counted.length === 0) throw new MetricError(`container ${container} not present in pod ${nameOf(pod)}`);
      return [
        nameOf(pod),
        counted.reduce((sum, { name, resources }) => {
          const request = resources?.requests?.[resource];
          if (request === undefined) throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${nameOf(pod)}`);
          return sum + milli(request);
        }, 0),
      ];
    }),
  );
}

/** Permitted distances of the ratio of use to target from 1, for each direction. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}
const isTolerated = (ratio: number, { up, down }: Tolerances): boolean => ratio >= 1 - down && ratio <= 1 + up;

export interface Measured {
  readonly replicas: number;
  /** Percent of the requests; absent where those do not count. */
  readonly utilization?: number;
  readonly average: number;
}

export interface PodsQuestion {
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  /** '' for metrics other than resources. */
  readonly resource: string;
  readonly current: number;
  readonly periods: Periods;
  readonly tolerances: Tolerances;
  readonly now: number;
  /** Percent of the requests, or thousandths for each pod. */
  readonly target: { readonly percent: number; readonly requests: ReadonlyMap<string, number> } | { readonly milli: number };
}

/** Returns the number of pods by their use. Unmeasured pods are assumed to change least: idle when scaling up, busy when scaling down. */
export function replicasByPods(question: PodsQuestion): Measured {
  const { pods, metrics, current, tolerances, target } = question;
  if (pods.length === 0) throw new MetricError('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = grouped(question);
  const used = new Map([...metrics].map(([name, { value }]) => [name, value]));
  for (const name of [...unready, ...ignored]) used.delete(name);
  if (used.size === 0) throw new MetricError('did not receive metrics for targeted pods (pods might be unready)');
  const first = ratioOf(used, target);
  const result = (replicas: number): Measured => ({
    replicas,
    average: first.average,
    ...(first.percent === undefined ? {} : { utilization: first.percent }),
  });
  const unreadyCount = unready.length > 0 && first.ratio > 1;
  if (!unreadyCount && missing.length === 0) return result(isTolerated(first.ratio, tolerances) ? current : Math.ceil(first.ratio * ready));
  if (first.ratio < 1) for (const name of missing) used.set(name, busy(name, target));
  if (first.ratio > 1) for (const name of missing) used.set(name, 0);
  if (unreadyCount) for (const name of unready) used.set(name, 0);
  const second = ratioOf(used, target);
  const turned = (first.ratio < 1 && second.ratio > 1) || (first.ratio > 1 && second.ratio < 1);
  if (isTolerated(second.ratio, tolerances) || turned) return result(current);
  const replicas = Math.ceil(second.ratio * used.size);
  const wrongWay = (second.ratio < 1 && replicas > current) || (second.ratio > 1 && replicas < current);
  return result(wrongWay ? current : replicas);
}

function busy(name: string, target: PodsQuestion['target']): number {
  return 'milli' in target ? target.milli : ((target.requests.get(name) ?? 0) * Math.max(100, target.percent)) / 100;
}

function ratioOf(
  used: ReadonlyMap<string, number>,
  target: PodsQuestion['target'],
): { readonly ratio: number; readonly average: number; readonly percent?: number } {
  if ('milli' in target) {
    const average = Math.floor([...used.values()].reduce((sum, value) => sum + value, 0) / used.size);
    return { ratio: average / target.milli, average };
  }
  const known = [...used].filter(([name]) => target.requests.has(name));
  const requested = known.reduce((sum, [name]) => sum + (target.requests.get(name) ?? 0), 0);
  if (requested === 0) throw new MetricError('no metrics returned matched known pods');
  const total = known.reduce((sum, [, value]) => sum + value, 0);
  const percent = Math.floor((total * 100) / requested);
  return { ratio: percent / target.percent, average: Math.floor(total / known.length), percent };
}

export interface ValueQuestion {
  readonly value: number;
  readonly target: { readonly total: number } | { readonly average: number };
  readonly current: number;
  /** Pods as the target's status counts them. */
  readonly statusReplicas: number;
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
}

/** Returns the number of pods by one value for all of them. */
export function replicasByValue({ value, target, current, statusReplicas, pods, tolerances }: ValueQuestion): Measured {
  if ('average' in target) {
    const ratio = value / (target.average * statusReplicas);
    const replicas = statusReplicas > 0 && isTolerated(ratio, tolerances) ? statusReplicas : Math.ceil(value / target.average);
    return { replicas, average: statusReplicas > 0 ? Math.ceil(value / statusReplicas) : 0 };
  }
  const ratio = value / target.total;
  if (current === 0) return { replicas: Math.ceil(ratio), average: value };
  if (isTolerated(ratio, tolerances)) return { replicas: current, average: value };
  const ready = pods.filter(
    (pod) => pod.status?.phase === 'Running' && conditionOf(pod.status.conditions, 'Ready')?.status === 'True',
  ).length;
  return { replicas: Math.ceil(ratio * ready), average: value };
}
