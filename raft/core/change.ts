import type { ChangeResult, MembershipChange } from './contract.js';
import type { Leadership } from './leadership.js';
import { limits } from './limits.js';
import { changed, encodeMembership } from './membership.js';
import { isActive } from './replication.js';
import { appendOwn, followMembership } from './roles.js';
import type { Server } from './server.js';

/**
 * Adds, promotes or removes one server (dissertation, chapter 4), effective when appended. The leader must first commit an entry of its term: otherwise
 * quorums of two changes might not intersect (the correction of 2015).
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
  return change.type === 'promote' ? lagReason(server, leadership, change.id) : null;
}

/** A quorum may need a lagging voter (dissertation, section 4.2.1). */
function lagReason(server: Server, leadership: Leadership, id: typeof server.id): string | null {
  const peer = leadership.peers.get(id);
  if (peer === undefined) return null;
  if (!isActive(server, peer)) return `${id} does not answer, so it has not caught up: start it, see what its log says, and try again`;
  const caughtUp = peer.state === 'replicate' && peer.match + limits.promoteLagEntriesMax >= server.log.commit;
  return caughtUp ? null : `${id} has not caught up with the log yet: it is at ${peer.match} of ${server.log.commit}; try again`;
}
