import type { Node } from '../../api/types/core/v1.js';
import type { Readiness } from './heartbeat.js';

/** The eviction rate for silent nodes: lower, or zero, where so many are silent that the network is the likely cause. Pure. */

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

export interface Rates {
  readonly usual: number;
  readonly reduced: number;
  /** Largest size of a small cluster, where partial silence prevents all evictions. */
  readonly smallMax: number;
  readonly unhealthyShare: number;
}

const regionLabel = 'topology.kubernetes.io/region';
const zoneLabel = 'topology.kubernetes.io/zone';
/** Nodes that are regularly removed and added have this label and do not count for their zone. */
const excludedLabel = 'node.kubernetes.io/exclude-disruption';
const silentMin = 3;

export const countsInZone = ({ metadata: { labels = {} } }: Node): boolean => !(excludedLabel in labels);

export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region = labels[regionLabel] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels[zoneLabel] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}::${zone}`;
}

export interface Zone {
  readonly state: ZoneState;
  readonly size: number;
  readonly silent: number;
}

export function zoneStateOf(readiness: readonly Readiness[], { unhealthyShare }: Rates): Zone {
  const silent = readiness.filter((ready) => ready !== 'True').length;
  const size = readiness.length;
  const state =
    silent > 0 && silent === size
      ? 'FullDisruption'
      : silent >= silentMin && silent / size >= unhealthyShare
        ? 'PartialDisruption'
        : 'Normal';
  return { state, size, silent };
}

/** Returns how many nodes per second may be tainted in a zone: 0 if no zone answers, since this program is then cut off. */
export function rateOf({ state, size }: Zone, allDisrupted: boolean, { usual, reduced, smallMax }: Rates): number {
  if (allDisrupted) return 0;
  return state === 'PartialDisruption' ? (size > smallMax ? reduced : 0) : usual;
}
