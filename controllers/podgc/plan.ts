import { type Condition, createdAt, isTerminating, nameOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import type { Node, Pod, PodStatus } from '../../api/types/core/v1.js';
import { conditionOf, isFinished } from '../workloads/podState.js';

/** Pods that no other controller will ever remove. Pure. */

/** A pod to delete at once. `condition` gives the reason, where it may be read. */
/** Reasons for removals, as in the reference's metrics. */
export type RemovalReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

export interface Removal {
  readonly pod: Pod;
  readonly reason: RemovalReason;
  readonly condition: Condition | null;
}

export interface Observed {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** Names of nodes that certainly do not exist. */
  readonly goneNodes: ReadonlySet<string>;
  /** Number of finished pods to keep; all if not positive. */
  readonly endedMax: number;
}

const outOfService = 'node.kubernetes.io/out-of-service';
const orphaned = (now: number): Condition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
  lastTransitionTime: timeText(now),
});

/** Returns each pod once, for the first matching reason. */
export function removals(observed: Observed, now: number): readonly Removal[] {
  const { pods, goneNodes } = observed;
  const all: readonly Removal[] = [
    ...tooManyEnded(observed).map((pod) => ({ pod, reason: 'terminated', condition: null }) as const),
    ...onBrokenNodes(observed).map((pod) => ({ pod, reason: 'out-of-service', condition: null }) as const),
    ...pods
      .filter(({ spec }) => goneNodes.has(spec?.nodeName ?? ''))
      .map((pod) => ({ pod, reason: 'orphaned', condition: orphaned(now) }) as const),
    ...pods
      .filter((pod) => isTerminating(pod) && !pod.spec?.nodeName)
      .map((pod) => ({ pod, reason: 'unscheduled', condition: null }) as const),
  ];
  const seen = new Set<Pod>();
  return all.filter(({ pod }) => !seen.has(pod) && seen.add(pod));
}

/** Removes the oldest beyond the limit, evicted ones first. */
function tooManyEnded({ pods, endedMax }: Observed): readonly Pod[] {
  if (endedMax <= 0) return [];
  const ended = pods.filter(isFinished);
  return ended.sort(byEvictionAndAge).slice(0, Math.max(0, ended.length - endedMax));
}

/** The node is not ready and has the out-of-service taint: its pods will not terminate by themselves. */
function onBrokenNodes({ pods, nodes }: Observed): readonly Pod[] {
  const broken = new Set(
    nodes
      .filter(
        ({ spec, status }) =>
          conditionOf(status?.conditions, 'Ready')?.status !== 'True' && spec?.taints?.some(({ key }) => key === outOfService),
      )
      .map(nameOf),
  );
  return pods.filter((pod) => isTerminating(pod) && broken.has(pod.spec?.nodeName ?? '')).sort(byEvictionAndAge);
}

function byEvictionAndAge(a: Pod, b: Pod): number {
  const evicted = ({ status }: Pod): number => (status?.reason === 'Evicted' ? 0 : 1);
  return evicted(a) - evicted(b) || createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}

export function missingNodes(pods: readonly Pod[], nodes: readonly Node[]): ReadonlySet<string> {
  const known = new Set(nodes.map(nameOf));
  return new Set(pods.flatMap(({ spec }) => (spec?.nodeName && !known.has(spec.nodeName) ? [spec.nodeName] : [])));
}

/** Returns the status to write before deletion; null for a finished pod. A pod without a kubelet would otherwise seem to run for ever. */
export function failedStatus({ pod, condition }: Removal): PodStatus | null {
  if (isFinished(pod)) return null;
  const { generation } = pod.metadata;
  const conditions = condition ? [{ ...condition, ...(generation === undefined ? {} : { observedGeneration: generation }) }] : undefined;
  return { phase: 'Failed', ...(conditions ? { conditions } : {}) };
}
