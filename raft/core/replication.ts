import { logIndex, term as toTerm } from '../types.js';
import type { Entry, MemberId } from '../types.js';
import { quiescedInterval, sentAppend } from './quiescence.js';
import { invariant } from './invariant.js';
import type { Leadership } from './leadership.js';
import { limits } from './limits.js';
import type { AppendResult, MessageOf } from './messages.js';
import type { Progress } from './progress.js';
import { quorumValue } from './quorum.js';
import { becomeFollower } from './roles.js';
import type { Server } from './server.js';
import { heardFollower, missQuorum } from './lastContact.js';
import { handOverIfReady, mostUpToDate } from './transfer.js';

// The leader's half of log replication; following.ts has the followers' half.

/**
 * A leader without replies from a quorum steps down, so that clients try other servers: not before followers would replace it, and after at most
 * `adaptiveTimeoutsMax` election timeouts.
 */
export function tickLeader(server: Server, leadership: Leadership): void {
  const heardAt = quorumHeardAt(server, leadership);
  if (server.now - heardAt >= server.adaptiveTimeout.ticks + leadership.extension) {
    missQuorum(server, heardAt + leadership.extension);
    becomeFollower(server, server.term, null);
    return;
  }
  if (leadership.transfer !== null && server.now - leadership.transfer.since >= server.options.electionTicks) leadership.transfer = null;
  if (++leadership.heartbeatElapsed < heartbeatInterval(server, leadership)) return;
  leadership.heartbeatElapsed = 0;
  leadership.heartbeatDue = true;
}

/** See `Core.restTicks`. A leader without peers sends no heartbeats. */
export function leaderRest(server: Server, leadership: Leadership): number {
  if (leadership.peers.size === 0) return 2 * server.options.electionTicks;
  const untilMissed = quorumHeardAt(server, leadership) + server.adaptiveTimeout.ticks + leadership.extension - server.now;
  return Math.max(1, Math.min(heartbeatInterval(server, leadership) - leadership.heartbeatElapsed, untilMissed));
}

/**
 * If all followers are known to be up to date, heartbeats come half as often, as long as `idleHeartbeatsMin` fit into an election timeout, and then at the
 * pace of `quiescence.ts`.
 */
function heartbeatInterval(server: Server, leadership: Leadership): number {
  const { heartbeatTicks, electionTicks } = server.options;
  if (!isSettled(server, leadership)) return heartbeatTicks;
  if (leadership.quiesced) return quiescedInterval(server.options);
  return Math.max(heartbeatTicks, Math.min(2 * heartbeatTicks, Math.floor(electionTicks / limits.idleHeartbeatsMin)));
}

function isSettled({ log, reads }: Server, { peers, round, transfer }: Leadership): boolean {
  if (transfer !== null || reads.roundsInFlight > 0 || log.commit < log.lastIndex) return false;
  for (const peer of peers.values()) {
    const upToDate = peer.state === 'replicate' && peer.match === log.lastIndex && peer.sentCommit === log.commit;
    if (!upToDate || peer.ackedRound < round) return false;
  }
  return true;
}

export function isActive(server: Server, peer: Progress): boolean {
  return server.now - peer.activeAt < server.options.electionTicks + (server.leadership?.extension ?? 0);
}

/** Called once per Ready, so that simultaneous proposals share a message. Empty appends are also checked against the log, and so reveal lost entries. */
export function flushAppends(server: Server, leadership: Leadership): void {
  const { heartbeatDue, round } = leadership;
  const isQuiesced = heartbeatDue && isSettled(server, leadership);
  let everyoneHears = leadership.peers.size > 0;
  let anyoneHears = false;
  for (const peer of leadership.peers.values()) {
    if (heartbeatDue) peer.resumeProbe();
    const sent = sendEntries(server, leadership, peer);
    const commitIsNews = peer.state === 'replicate' && peer.sentCommit < server.log.commit;
    const speaks = (heartbeatDue && !sent) || peer.sentRound < round || commitIsNews;
    if (speaks) sendEmpty(server, leadership, peer);
    anyoneHears ||= sent || speaks;
    everyoneHears &&= peer.state === 'replicate' && (sent || speaks);
  }
  leadership.heartbeatDue = false;
  if (everyoneHears) leadership.heartbeatElapsed = 0;
  if (anyoneHears) sentAppend(server, leadership, { isQuiesced, heardAt: quorumHeardAt(server, leadership) });
}

export function onAppendReply(server: Server, message: MessageOf<'appendReply'>): void {
  const { leadership } = server;
  if (leadership === null) heardFollower(server);
  const peer = leadership?.peers.get(message.from);
  if (leadership === null || peer === undefined) return;
  noteActive(server, leadership, peer);
  peer.ackedRound = Math.max(peer.ackedRound, message.round);
  if (message.result.accepted) onAccepted(server, leadership, peer, message.result);
  else onRejected(server, peer, message.result);
}

/**
 * Commits what a quorum has persisted if it is of the current term: an older entry may still be overwritten although a majority holds it (Raft, section 5.4.2
 * and figure 8).
 */
export function advanceCommit(server: Server, leadership: Leadership): void {
  const index = logIndex(quorumValue(server.memberships.voters, (id) => matchOf(server, leadership, id)));
  if (index <= server.log.commit) return;
  const term = server.log.termAt(index);
  if (term === null || !server.rules.commitsByCounting(term, server.term)) return;
  server.commitTo(index);
  if (isRemoved(server)) leave(server, leadership);
}

export function reportSnapshot(server: Server, to: MemberId, ok: boolean): void {
  server.leadership?.peers.get(to)?.snapshotEnded(ok);
}

export function reportUnreachable(server: Server, to: MemberId): void {
  const peer = server.leadership?.peers.get(to);
  if (peer?.state === 'replicate') peer.becomeProbe(peer.match + 1);
}

function onAccepted(server: Server, leadership: Leadership, peer: Progress, { match }: AppendResult & { accepted: true }): void {
  invariant(match <= server.log.lastIndex, "no follower holds more of the leader's log than the leader", () => ({
    from: peer.id,
    match,
    lastIndex: server.log.lastIndex,
  }));
  if (!peer.accepted(match)) return;
  advanceCommit(server, leadership);
  if (server.leadership === leadership) handOverIfReady(server, leadership);
}

function onRejected(server: Server, peer: Progress, { rejected, hintIndex, hintTerm }: AppendResult & { accepted: false }): void {
  if (!peer.isFresh(rejected)) return;
  if (peer.state === 'replicate') {
    peer.becomeProbe(peer.match + 1);
    return;
  }
  const agreed = server.log.lastNotAfter(hintIndex, hintTerm, peer.match);
  peer.becomeProbe(Math.min(rejected, agreed.index + 1));
}

function matchOf(server: Server, leadership: Leadership, id: MemberId): number {
  return id === server.id ? server.log.durableIndex : (leadership.peers.get(id)?.match ?? 0);
}

function quorumHeardAt(server: Server, leadership: Leadership): number {
  return quorumValue(server.memberships.voters, (id) => (id === server.id ? server.now : (leadership.peers.get(id)?.activeAt ?? 0)));
}

/** Shows how much silence check-quorum must tolerate. */
function noteActive(server: Server, leadership: Leadership, peer: Progress): void {
  if (peer.activeAt === server.now) return;
  const before = quorumHeardAt(server, leadership);
  peer.activeAt = server.now;
  if (quorumHeardAt(server, leadership) > before) server.adaptiveTimeout.learn(server.now - before - leadership.extension);
}

/** Keeps `inflightMax` messages in flight at most. */
function sendEntries(server: Server, leadership: Leadership, peer: Progress): boolean {
  const { log, options } = server;
  let sent = false;
  while (peer.next <= log.lastIndex && peer.mayCarryEntries) {
    if (peer.state === 'probe' && !isActive(server, peer)) break;
    if (peer.next < log.firstIndex) {
      offerSnapshot(server, peer);
      break;
    }
    const entries = log.slice(peer.next, log.lastIndex, options.appendBytesMax);
    sendAppend(server, leadership, peer, { previousIndex: peer.next - 1, entries });
    peer.sent(logIndex(peer.next + entries.length - 1));
    sent = true;
  }
  return sent;
}

function sendEmpty(server: Server, leadership: Leadership, peer: Progress): void {
  const previousIndex = peer.snapshot?.index ?? Math.max(peer.next - 1, server.log.firstIndex - 1);
  sendAppend(server, leadership, peer, { previousIndex, entries: [] });
}

function sendAppend(
  server: Server,
  leadership: Leadership,
  peer: Progress,
  { previousIndex, entries }: { previousIndex: number; entries: readonly Entry[] },
): void {
  const { commit } = server.log;
  const previousTerm = peer.snapshot?.index === previousIndex ? peer.snapshot.term : server.log.termAt(previousIndex);
  invariant(previousTerm !== null, 'the leader knows the term of the entry before those it sends', () => ({
    previousIndex,
    firstIndex: server.log.firstIndex,
  }));
  server.sendNow(peer.id, {
    type: 'append',
    previousIndex: logIndex(previousIndex),
    previousTerm: toTerm(previousTerm),
    entries,
    commit,
    round: leadership.round,
  });
  peer.sentCommit = commit;
  peer.sentRound = leadership.round;
}

function offerSnapshot(server: Server, peer: Progress): void {
  const snapshot = server.options.snapshotSource();
  invariant(
    snapshot.index + 1 >= server.log.firstIndex && snapshot.index <= server.log.commit,
    'a snapshot holds committed entries and leaves no gap before the log',
    () => ({ snapshot: snapshot.index, firstIndex: server.log.firstIndex, commit: server.log.commit }),
  );
  peer.becomeSnapshot(snapshot);
  server.sendNow(peer.id, { type: 'installSnapshot', snapshot });
}

function isRemoved(server: Server): boolean {
  return server.memberships.currentIndex <= server.log.commit && !server.memberships.mayCampaign(server.id);
}

/** The leader has committed its own removal (dissertation, section 4.2.2): it informs the others, and the most up-to-date takes over without a pause. */
function leave(server: Server, leadership: Leadership): void {
  flushAppends(server, leadership);
  const successor = mostUpToDate(server, leadership);
  if (successor !== null) server.sendNow(successor.id, { type: 'timeoutNow' });
  becomeFollower(server, server.term, null);
}
