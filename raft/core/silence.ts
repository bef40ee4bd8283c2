import type { MemberId } from '../types.js';
import type { Message } from './messages.js';
import type { Server } from './server.js';

// Where silences end, and `adaptiveTimeout` learns of them. The present one is that of the server's own term; going without a leader for a while, as a
// preCandidate does, does not end it. Besides, the last silence of an older term is kept: a word of that leader shows that it was deposed while it was alive.

/** A word of the leader of this server's term. */
export function heardLeader(server: Server, leader: MemberId): void {
  server.adaptiveTimeout.learn(server.now - server.silence.since);
  server.silence = { of: leader, term: server.term, since: server.now };
}

/** The server has entered a term, or voted in it: it waits for somebody to lead. */
export function beginSilence(server: Server): void {
  if (server.silence.of !== null) server.formerSilence = server.silence;
  server.silence = { of: null, term: server.term, since: server.now };
}

/** A leader that hears from no quorum any more, the last time at `since`, waits for it now. */
export function missQuorum(server: Server, since: number): void {
  server.silence = { of: server.id, term: server.term, since };
}

/** A follower answered a leader that has given up: its quorum was late, not gone. */
export function heardFollower(server: Server): void {
  if (server.silence.of === server.id) heardLeader(server, server.id);
}

/** A refusal of a pre-vote, of this server's term: the leader itself may have refused. */
export function heardRefusal(server: Server, from: MemberId): void {
  if (server.silence.of === from) heardLeader(server, from);
}

/** An answer to the campaign of this server in its term, be it too late: so long do elections take. */
export function heardVoter(server: Server): void {
  if (server.role !== 'leader' && server.vote === server.id) server.adaptiveTimeout.learn(server.now - server.silence.since);
}

/**
 * A message of an older term. If its sender led in that term and did not know of a newer one yet, it was alive, and deposed for being late. One such sight
 * is enough; how late it was is not known, since the network may have kept the message: `adaptiveTimeout` bounds what a silence teaches.
 */
export function heardFromPast(server: Server, message: Message): void {
  const { formerSilence } = server;
  if (formerSilence === null || message.from !== formerSilence.of || message.term !== formerSilence.term || !isLeading(message)) return;
  server.adaptiveTimeout.learn(server.now - formerSilence.since);
  server.formerSilence = null;
}

/** A leader that wakes up reads the requests for pre-votes first, and refuses them in its own term, before it learns of its successor. */
function isLeading(message: Message): boolean {
  return message.type === 'append' || message.type === 'installSnapshot' || (message.type === 'preVoteReply' && !message.granted);
}
