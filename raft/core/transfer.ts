import type { MemberId } from '../types.js';
import type { Leadership } from './leadership.js';
import type { Progress } from './progress.js';
import type { Server } from './server.js';

// Leadership transfer (dissertation, section 3.10): the leader stops taking proposals, brings the target up to date and tells it to campaign.

/** `to` null: to whoever is most up to date. Without a suitable voter nothing happens. */
export function transferLeadership(server: Server, to: MemberId | null): void {
  const { leadership } = server;
  if (leadership === null) return;
  const target = to === null ? mostUpToDate(server, leadership) : leadership.peers.get(to);
  if (!target || !server.memberships.voters.includes(target.id)) return;
  leadership.transfer = { to: target.id, since: server.now };
  handOverIfReady(server, leadership);
}

/** Called whenever a follower's `match` grew. A lost message is not repeated: the transfer is given up after an election timeout. */
export function handOverIfReady(server: Server, leadership: Leadership): void {
  const target = leadership.transfer === null ? undefined : leadership.peers.get(leadership.transfer.to);
  if (target !== undefined && target.match === server.log.lastIndex) server.sendNow(target.id, { type: 'timeoutNow' });
}

export function mostUpToDate(server: Server, leadership: Leadership): Progress | null {
  const voters = [...leadership.peers.values()].filter((peer) => server.memberships.voters.includes(peer.id));
  const better = (a: Progress, b: Progress): Progress => (b.match > a.match || (b.match === a.match && b.activeAt > a.activeAt) ? b : a);
  return voters.length === 0 ? null : voters.reduce(better);
}
