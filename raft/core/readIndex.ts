import type { MemberId } from '../types.js';
import { receivedAppend } from './quiescence.js';
import { heardFromLeader } from './following.js';
import type { Leadership } from './leadership.js';
import { isSoleVoter } from './election.js';
import { limits } from './limits.js';
import type { MessageOf } from './messages.js';
import { quorumValue } from './quorum.js';
import type { Server } from './server.js';

// Linearizable reads without log entries (dissertation, section 6.4): the leader notes its commit index and confirms its leadership with a quorum; the requester
// reads once it has applied that index. No clock is trusted.

/** Called for each Ready. */
export function flushReads(server: Server): void {
  if (!server.reads.anyWaiting) return;
  if (server.leadership !== null) flushRounds(server, server.leadership);
  else if (server.leader !== null) forward(server, server.leader);
}

/** A quorum's replies to round n or later show that this server led after its reads began. */
export function confirmRounds(server: Server): void {
  const { leadership, reads } = server;
  if (leadership === null || reads.roundsInFlight === 0) return;
  const acked = quorumValue(server.memberships.voters, (id) =>
    id === server.id ? leadership.round : (leadership.peers.get(id)?.ackedRound ?? 0),
  );
  reads.confirm(acked, (read, index) => server.sendNow(read.from, { type: 'readIndexReply', id: read.id, index }));
}

/**
 * The request shows, like a reply to a round, that its sender was in no later term. Where leader and sender are a quorum, as of three voters, no other server
 * is asked. The sender drops the extension of an idle leader, so that leader sends soon.
 */
export function onReadIndex(server: Server, message: MessageOf<'readIndex'>): void {
  const { leadership } = server;
  if (leadership !== null && leadership.firstIndex <= server.log.commit && areQuorum(server, message.from)) {
    leadership.quiesced = false;
    server.sendNow(message.from, { type: 'readIndexReply', id: message.id, index: server.log.commit });
    return;
  }
  const kept = server.role === 'leader' && server.reads.addRemote(message.from, message.id, server.now);
  if (!kept) server.sendNow(message.from, { type: 'readIndexReply', id: message.id, index: null });
}

function areQuorum(server: Server, other: MemberId): boolean {
  return quorumValue(server.memberships.voters, (id) => (id === server.id || id === other ? 1 : 0)) === 1;
}

/** An index comes from the leader, although no round does. */
export function onReadIndexReply(server: Server, message: MessageOf<'readIndexReply'>): void {
  if (message.index !== null && message.from === server.leader) {
    heardFromLeader(server, message);
    receivedAppend(server, false);
  }
  server.reads.batchReplied(message.id, message.index);
}

/** Reads wait until the leader commits an entry of its term: before, it does not know which older ones are committed. */
function flushRounds(server: Server, leadership: Leadership): void {
  if (leadership.firstIndex > server.log.commit || server.reads.roundsInFlight >= limits.readRoundsMax) return;
  leadership.round++;
  server.reads.beginRound(leadership.round, server.log.commit);
  if (isSoleVoter(server)) confirmRounds(server);
}

function forward(server: Server, leader: MemberId): void {
  if (server.reads.batchesInFlight >= limits.forwardedBatchesMax) return;
  server.sendNow(leader, { type: 'readIndex', id: server.reads.beginBatch(leader) });
}
