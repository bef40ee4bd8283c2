import type { ChangeResult, MembershipChange } from './contract.js';
import type { Leadership } from './leadership.js';
import { limits } from './limits.js';
import { changed, encodeMembership } from './membership.js';
import { isActive } from './replication.js';
import { appendOwn, followMembership } from './roles.js';
import type { Server } from './server.js';

/**
 * One server is added, promoted or removed at a time (dissertation, chapter 4). The change takes effect with its appending. A leader must first
 * have committed an entry of its own term: otherwise two changes from different terms, each unknown to the other, could make quorums that do not
 * meet (the correction of 2015 to single-server changes).
 */
export function changeMembership(server: Server, leadership: Leadership, change: MembershipChange): ChangeResult {
  const reason = refusal(server, leadership, change);
  if (reason !== null) return { outcome: 'refused', reason };
  const next = changed(server.memberships.current, change);
  if (!next.ok) return { outcome: 'refused', reason: next.reason };
  appendOwn(server, [{ kind: 'membership', data: encodeMembership(next.membership) }]);
  followMembership(server, leadership);
  return { outcome: 'appended', first: server.log.lastIndex, term: server.term };
}

function refusal(server: Server, leadership: Leadership, change: MembershipChange): string | null {
  if (leadership.firstIndex > server.log.commit) return 'the leader has not committed an entry of its term yet; try again';
  if (server.memberships.currentIndex > server.log.commit) return 'an earlier membership change is not committed yet; try again';
  if (change.type === 'promote' && !isCaughtUp(server, leadership, change.id)) return `${change.id} has not caught up with the log yet; try again`;
  return null;
}

/** A voter that lags would stop the cluster where it is needed for a quorum (dissertation, section 4.2.1). */
function isCaughtUp(server: Server, leadership: Leadership, id: typeof server.id): boolean {
  const peer = leadership.peers.get(id);
  if (peer === undefined) return true; // not a learner: `changed` tells why it cannot be promoted
  return peer.state === 'replicate' && isActive(server, peer) && peer.match + limits.promoteLagEntriesMax >= server.log.commit;
}
