import { tooManyRequests } from '../../api/status.js';
import { groupMasters } from '../../authentication/authenticator.js';
import type { Exchange } from '../exchange.js';

export interface InflightLimits {
  /** Requests that change nothing; 0 for no limit. */
  readonly readOnlyMax: number;
  readonly mutatingMax: number;
}

export interface Inflight {
  readonly filter: (exchange: Exchange) => void;
  /** Requests that are being worked on now, without long-running ones. */
  readonly current: { readOnly: number; mutating: number };
}

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/** Bounds how many requests are worked on at once; more are told to come back. Administrators always get through, to see what is wrong. */
export function inflightFilter(limits: InflightLimits): Inflight {
  const current = { readOnly: 0, mutating: 0 };
  return {
    current,
    filter: (exchange) => {
      if (exchange.longRunning) return;
      const kind = readOnlyVerbs.has(exchange.info.verb) ? 'readOnly' : 'mutating';
      const max = kind === 'readOnly' ? limits.readOnlyMax : limits.mutatingMax;
      if (max > 0 && current[kind] >= max && !exchange.user.groups.includes(groupMasters)) {
        throw tooManyRequests('too many requests, please try again later', 1);
      }
      current[kind]++;
      exchange.onClose(() => { current[kind]--; });
    },
  };
}
