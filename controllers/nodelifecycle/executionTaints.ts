import { timeText } from '../../api/time.js';
import type { Node, Taint } from '../../api/types/core/v1.js';
import type { Readiness } from './heartbeat.js';

/** Taints that evict pods from nodes that are not ready. Pure. */

const effect = 'NoExecute';
const keys: Readonly<Record<Readiness, string | null>> = {
  True: null,
  False: 'node.kubernetes.io/not-ready',
  Unknown: 'node.kubernetes.io/unreachable',
};
const managed: ReadonlySet<string> = new Set(Object.values(keys).filter((key) => key !== null));
const isManaged = (taint: Taint): boolean => taint.effect === effect && managed.has(taint.key);

/** Returns the action for a node: none, at once (to remove or swap taints), or in its zone's turn. */
export function taintUrgency(node: Node, ready: Readiness): 'none' | 'now' | 'in turn' {
  const present = (node.spec?.taints ?? []).filter(isManaged).map(({ key }) => key);
  const wanted = keys[ready];
  if (wanted === null) return present.length > 0 ? 'now' : 'none';
  if (present.length === 1 && present[0] === wanted) return 'none';
  return present.length > 0 ? 'now' : 'in turn';
}

export function executionTaints({ spec }: Node, ready: Readiness, now: number): readonly Taint[] {
  const wanted = keys[ready];
  const before = spec?.taints ?? [];
  const others = before.filter((taint) => !isManaged(taint));
  if (wanted === null) return others;
  const same = before.find((taint) => isManaged(taint) && taint.key === wanted);
  return [...others, same ?? { key: wanted, effect, timeAdded: timeText(now) }];
}
