import type { MemberId } from '../types.js';
import type { Leadership } from './leadership.js';
import type { Progress } from './progress.js';
import type { Server } from './server.js';

// Leadership transfer (dissertation, section 3.10).

/**
 * The default target is the most up-to-date voter. Called after all permitted appends are sent, so that one sync persists them and the target's vote. A target
 * that gets the request before the entries loses its election.
 */
export function transferLeadership(server: Server, to: MemberId | null): void {
  const { leadership } = server;
  if (leadership === null) return;
  const target = to === null ? mostUpToDate(server, leadership) : leadership.peers.get(to);
  if (!target || !server.memberships.voters.includes(target.id)) return;
  leadership.transfer = { to: target.id, since: server.now };
  if (target.state === 'replicate' && target.next > server.log.lastIndex) server.sendNow(target.id, { type: 'timeoutNow' });
}

/** Called whenever a follower's `match` grew; may ask again. */
export function handOverIfReady(server: Server, leadership: Leadership): void {
  const target = leadership.transfer === null ? undefined : leadership.peers.get(leadership.transfer.to);
  if (target !== undefined && target.match === server.log.lastIndex) server.sendNow(target.id, { type: 'timeoutNow' });
}

export function mostUpToDate(server: Server, leadership: Leadership): Progress | null {
  const voters = [...leadership.peers.values()].filter((peer) => server.memberships.voters.includes(peer.id));
  const better = (a: Progress, b: Progress): Progress => (b.match > a.match || (b.match === a.match && b.activeAt > a.activeAt) ? b : a);
  return voters.length === 0 ? null : voters.reduce(better);
}
