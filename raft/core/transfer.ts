import type { MemberId } from '../types.js';
import type { Leadership } from './leadership.js';
import type { Progress } from './progress.js';
import type { Server } from './server.js';

// Leadership transfer (dissertation, section 3.10): the leader stops taking proposals, brings the target up to date and tells it to campaign.

/**
 * `to` null: to whoever is most up to date. Without a suitable voter nothing happens. Called when all appends that may be sent have been: a target that lacks
 * nothing but what is on its way is told at once, behind it, so that one sync there makes both the last entries and its own vote durable. Should the
 * word overtake the entries, the target loses the election that it begins, which costs an election timeout and nothing else.
 */
export function transferLeadership(server: Server, to: MemberId | null): void {
  const { leadership } = server;
  if (leadership === null) return;
  const target = to === null ? mostUpToDate(server, leadership) : leadership.peers.get(to);
  if (!target || !server.memberships.voters.includes(target.id)) return;
  leadership.transfer = { to: target.id, since: server.now };
  if (target.state === 'replicate' && target.next > server.log.lastIndex) server.sendNow(target.id, { type: 'timeoutNow' });
}

/** Called whenever a follower's `match` grew: says it to a target that had to catch up first, and once more to one that was told. */
export function handOverIfReady(server: Server, leadership: Leadership): void {
  const target = leadership.transfer === null ? undefined : leadership.peers.get(leadership.transfer.to);
  if (target !== undefined && target.match === server.log.lastIndex) server.sendNow(target.id, { type: 'timeoutNow' });
}

export function mostUpToDate(server: Server, leadership: Leadership): Progress | null {
  const voters = [...leadership.peers.values()].filter((peer) => server.memberships.voters.includes(peer.id));
  const better = (a: Progress, b: Progress): Progress => (b.match > a.match || (b.match === a.match && b.activeAt > a.activeAt) ? b : a);
  return voters.length === 0 ? null : voters.reduce(better);
}
