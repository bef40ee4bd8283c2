import { createdAt } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import type { Node, NodeCondition } from '../../api/types/core/v1.js';
import type { Lease } from '../../api/types/coordination/v1.js';
import { conditionOf } from '../workloads/podState.js';

/** A node's signs of life, and the conditions that follow from them. Pure. */

/** Signs of life count from when they were seen, since nodes' clocks differ. */
export interface Health {
  /** When the last sign of life was seen. */
  readonly seenAt: number;
  readonly heartbeat: string | null;
  readonly renewed: string | null;
}

export interface GracePeriods {
  readonly startupMs: number;
  readonly runningMs: number;
}

export type Readiness = 'True' | 'False' | 'Unknown';

export interface Verdict {
  readonly health: Health;
  /** True once readiness was reported by the node or another controller. Before, it is not tainted, nor are its pods marked. */
  readonly reported: boolean;
  readonly before: Readiness;
  readonly ready: Readiness;
  /** Conditions of a silent node; null if unchanged. */
  readonly conditions: readonly NodeCondition[] | null;
}

const watched: readonly string[] = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export interface SignsOfLife {
  readonly lease?: Lease | undefined;
  readonly known?: Health | undefined;
}

export function judged(node: Node, signs: SignsOfLife, grace: GracePeriods, now: number): Verdict {
  const ready = conditionOf(node.status?.conditions, 'Ready');
  const health = observed(node, ready, signs, now);
  const before = readinessOf(ready);
  const silentMs = now - health.seenAt;
  if (silentMs <= (ready ? grace.runningMs : grace.startupMs))
    return { health, reported: ready !== undefined, before, ready: before, conditions: null };
  const conditions = silentConditions(node, now);
  return { health, reported: true, before, ready: 'Unknown', conditions };
}

const readinessOf = (ready: NodeCondition | undefined): Readiness =>
  ready?.status === 'True' || ready?.status === 'False' ? ready.status : 'Unknown';

function observed(node: Node, ready: NodeCondition | undefined, { lease, known }: SignsOfLife, now: number): Health {
  const heartbeat = ready ? (ready.lastHeartbeatTime ?? '') : null;
  const renewed = lease?.spec?.renewTime ?? null;
  // A node that never reported is silent since its creation, not since this program's start.
  if (!known) return { seenAt: ready || renewed !== null ? now : createdAt(node), heartbeat, renewed };
  const lives = (heartbeat !== known.heartbeat && heartbeat !== null) || (renewed !== null && renewed !== known.renewed);
  return { seenAt: lives ? now : known.seenAt, heartbeat, renewed: renewed ?? known.renewed };
}

/** Null where all conditions are Unknown already. */
function silentConditions(node: Node, now: number): readonly NodeCondition[] | null {
  const conditions = node.status?.conditions ?? [];
  const lastTransitionTime = timeText(now);
  const changed = conditions.map((condition) =>
    watched.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime,
        }
      : condition,
  );
  const missing = watched.filter((type) => !conditionOf(conditions, type));
  if (missing.length === 0 && changed.every((condition, index) => condition === conditions[index])) return null;
  return [
    ...changed,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata.creationTimestamp ?? null,
      lastTransitionTime,
    })),
  ];
}
