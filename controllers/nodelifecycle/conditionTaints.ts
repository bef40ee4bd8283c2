import { timeText } from '../../api/time.js';
import type { Node, Taint } from '../../api/types/core/v1.js';
import { conditionOf } from '../workloads/podState.js';

/** Taints that keep new pods away from an unhealthy node. Pure. */

const effect = 'NoSchedule';

/** A condition, its bad status, and the taint for it. */
const faults: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', 'node.kubernetes.io/not-ready'],
  ['Ready', 'Unknown', 'node.kubernetes.io/unreachable'],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
const unschedulable = 'node.kubernetes.io/unschedulable';
const managed: ReadonlySet<string> = new Set([...faults.map(([, , key]) => key), unschedulable]);
const isManaged = (taint: Taint): boolean => taint.effect === effect && managed.has(taint.key);

/** Returns the desired taints of a node, or null when unchanged. Other taints and effects stay. */
export function taintsOf({ spec, status }: Node, now: number): readonly Taint[] | null {
  const keys = faults.filter(([type, bad]) => conditionOf(status?.conditions, type)?.status === bad).map(([, , key]) => key);
  if (spec?.unschedulable) keys.push(unschedulable);
  const before = spec?.taints ?? [];
  const present = before.filter(isManaged).map(({ key }) => key);
  if (present.length === keys.length && keys.every((key) => present.includes(key))) return null;
  const kept = before.filter((taint) => !isManaged(taint) || keys.includes(taint.key));
  return [...kept, ...keys.filter((key) => !present.includes(key)).map((key) => ({ key, effect, timeAdded: timeText(now) }))];
}
