import type { Exchange } from '../exchange.js';
import { OwnCount, type Count, ownerOf, Slots } from '../../../program/port/connections/index.js';
import type { Filter } from './filter.js';

export interface InflightLimits {
  /** Requests that change nothing; 0 for no limit. */
  readonly readOnlyMax: number;
  readonly mutatingMax: number;
  /** Counts of reads, writes and probes that several threads have in common. */
  readonly counts?: readonly [Count, Count, Count];
}

export interface Inflight {
  readonly filter: Filter;
  /** Requests that are being worked on now, without long-running ones. */
  readonly current: { readonly readOnly: number; readonly mutating: number };
}

/** Questions about the health of the process that wait for an answer; there are so many only when checks hang. */
const probesMax = 1_000;

/** Verbs that change nothing. */
const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/**
 * Bounds how many requests are worked on at once; more are told to come back. Reads, writes and probes have slots of their own. The exchange gives
 * its slot back while its body is being sent, and for good when the work is done.
 */
export function inflightFilter({
  readOnlyMax,
  mutatingMax,
  counts = [new OwnCount(), new OwnCount(), new OwnCount()],
}: InflightLimits): Inflight {
  const [readOnly, mutating, probes] = [
    new Slots(readOnlyMax, counts[0]),
    new Slots(mutatingMax, counts[1]),
    new Slots(probesMax, counts[2]),
  ];
  return {
    current: {
      get readOnly() {
        return readOnly.taken;
      },
      get mutating() {
        return mutating.taken;
      },
    },
    filter: (exchange) => {
      if (exchange.longRunning) return undefined;
      const { info, user } = exchange;
      const slots = isProbe(exchange) ? probes : readOnlyVerbs.has(info.verb) ? readOnly : mutating;
      exchange.takeSlot(slots, slots === probes ? '' : ownerOf(user, exchange.address));
      return undefined;
    },
  };
}

/** Whoever watches over the process must not take a server that is busy for a dead one. */
export const isProbe = ({ info }: Exchange): boolean => !info.isResource && /^\/(readyz|livez|healthz)(\/|$)/.test(info.path);
