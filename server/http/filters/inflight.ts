import type { Exchange } from '../exchange.js';
import { OwnCount, type Count, ownerOf, Slots } from '../../../program/port/connections/index.js';
import type { Filter } from './filter.js';

export interface InflightLimits {
  /** 0 for no limit. */
  readonly readOnlyMax: number;
  readonly mutatingMax: number;
  /** Counts of reads, writes and probes, shared by several threads. */
  readonly counts?: readonly [Count, Count, Count];
}

export interface Inflight {
  readonly filter: Filter;
  /** Requests in progress, without long-running ones. */
  readonly current: { readonly readOnly: number; readonly mutating: number };
}

/** Limit of waiting health probes, reached only when checks hang. */
const probesMax = 1_000;

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/** Reads, writes and probes have separate limits. A request gives up its slot while its body is sent, and when the work is done. */
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

/** Supervisors must not take a busy server for a dead one. */
export const isProbe = ({ info }: Exchange): boolean => !info.isResource && /^\/(readyz|livez|healthz)(\/|$)/.test(info.path);
