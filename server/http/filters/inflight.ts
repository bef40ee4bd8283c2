import { tooManyRequests } from '../../api/status.js';
import { groupMasters } from '../../authentication/authenticator.js';
import type { User } from '../../endpoints/context.js';
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

/** Those on whom the cluster depends have this much more room, which nobody else can fill: a flood of clients must not cost nodes and managers their leases. */
const reserveShare = 0.25;
/** Administrators are let in to see what is wrong, though not without any bound. */
const administratorsShare = 9;
const essentialUsers: ReadonlySet<string> = new Set(['system:kube-controller-manager', 'system:kube-scheduler']);
const essentialGroups: ReadonlySet<string> = new Set(['system:nodes', 'system:serviceaccounts:kube-system']);

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/** Bounds how many requests are worked on at once; more are told to come back. */
export function inflightFilter(limits: InflightLimits): Inflight {
  const current = { readOnly: 0, mutating: 0 };
  return {
    current,
    filter: (exchange) => {
      if (exchange.longRunning) return;
      const kind = readOnlyVerbs.has(exchange.info.verb) ? 'readOnly' : 'mutating';
      const max = kind === 'readOnly' ? limits.readOnlyMax : limits.mutatingMax;
      // The second look comes only where the first finds no room.
      if (max > 0 && current[kind] >= max && current[kind] >= Math.ceil(max * (1 + shareBeyond(exchange.user)))) {
        throw tooManyRequests('too many requests, please try again later', 1);
      }
      current[kind]++;
      exchange.onClose(() => { current[kind]--; });
    },
  };
}

/** How much more than others a user may have, as a share of the limit. */
function shareBeyond({ name, groups }: User): number {
  if (groups.includes(groupMasters)) return administratorsShare;
  return essentialUsers.has(name) || groups.some((group) => essentialGroups.has(group)) ? reserveShare : 0;
}
