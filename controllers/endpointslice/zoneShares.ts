import { parseQuantity, scaledQuantity } from '../../api/quantity.js';
import type { Node } from '../../api/types/core/v1.js';
import { conditionOf } from '../workloads/podState.js';

/** The distribution of processors over zones, assumed to be that of traffic. Pure. */

const zoneLabel = 'topology.kubernetes.io/zone';
const excludedLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** The share of each zone, of 1. Null where unknown: a node lacks data, or there are fewer than two zones. */
export type ZoneShares = ReadonlyMap<string, number> | null;

const serves = ({ metadata, status }: Node): boolean =>
  conditionOf(status?.conditions, 'Ready')?.status === 'True' && !excludedLabels.some((label) => metadata.labels?.[label] !== undefined);
const milliPlaces = 3;

function cpuOf({ status }: Node): number {
  const parsed = parseQuantity(status?.allocatable?.['cpu'] ?? '0');
  return parsed.ok ? Number(scaledQuantity(parsed.quantity, milliPlaces)) : 0;
}

export const shareFacts = (node: Node): string => JSON.stringify([serves(node), node.metadata.labels?.[zoneLabel], cpuOf(node)]);

export function zoneShares(nodes: readonly Node[]): ZoneShares {
  const byZone = new Map<string, number>();
  for (const node of nodes.filter(serves)) {
    const zone = node.metadata.labels?.[zoneLabel];
    const cpu = cpuOf(node);
    if (!zone || cpu === 0) return null;
    byZone.set(zone, (byZone.get(zone) ?? 0) + cpu);
  }
  const total = [...byZone.values()].reduce((sum, cpu) => sum + cpu, 0);
  return byZone.size < 2 ? null : new Map([...byZone].map(([zone, cpu]) => [zone, cpu / total]));
}
