import type { Node } from '../../api/types/core/v1.js';
import type { Readiness } from './heartbeat.js';

/** How fast pods are driven off nodes that fell silent: slower, or not at all, where so many did that the network is to blame. Pure. */

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

export interface Rates {
  readonly usual: number;
  readonly reduced: number;
  /** At most so many nodes make a small cluster, in which nothing is evicted while a part of it is away. */
  readonly smallMax: number;
  readonly unhealthyShare: number;
}

const regionLabel = 'topology.kubernetes.io/region';
const zoneLabel = 'topology.kubernetes.io/zone';
/** Nodes that come and go as their owner likes say so: they tell nothing of their zone. */
const excludedLabel = 'node.kubernetes.io/exclude-disruption';
const silentMin = 3;

/** Whether the state of a node counts for its zone's. */
export const countsInZone = ({ metadata: { labels = {} } }: Node): boolean => !(excludedLabel in labels);

/** Where a node stands; '' for nodes that do not say. */
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

/** Nodes per second that may be tainted in a zone. Where no zone answers, it is this program that is cut off: nothing is done. */
export function rateOf({ state, size }: Zone, allDisrupted: boolean, { usual, reduced, smallMax }: Rates): number {
  if (allDisrupted) return 0;
  return state === 'PartialDisruption' ? (size > smallMax ? reduced : 0) : usual;
}
