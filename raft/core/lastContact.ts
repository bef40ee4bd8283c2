import type { MemberId } from '../types.js';
import type { Message } from './messages.js';
import type { Server } from './server.js';

// The current silence belongs to the server's term, across phases of preCandidate. The last one of an older term is kept: a message of that leader shows that it
// was deposed while alive.

export function heardLeader(server: Server, leader: MemberId): void {
  server.adaptiveTimeout.learn(server.now - server.lastContact.since);
  server.lastContact = { of: leader, term: server.term, since: server.now };
}

export function loseContact(server: Server): void {
  if (server.lastContact.of !== null) server.formerContact = server.lastContact;
  server.lastContact = { of: null, term: server.term, since: server.now };
}

/** The quorum last replied at `since`. */
export function missQuorum(server: Server, since: number): void {
  server.lastContact = { of: server.id, term: server.term, since };
}

/** A follower answered a leader that gave up: its quorum was late, not gone. */
export function heardFollower(server: Server): void {
  if (server.lastContact.of === server.id) heardLeader(server, server.id);
}

/** A pre-vote of this server's term was refused, perhaps by the leader itself. */
export function heardRefusal(server: Server, from: MemberId): void {
  if (server.lastContact.of === from) heardLeader(server, from);
}

/** Even a late reply shows how long elections take. */
export function heardVoter(server: Server): void {
  if (server.role !== 'leader' && server.vote === server.id) server.adaptiveTimeout.learn(server.now - server.lastContact.since);
}

/** A leader of an older term was alive and deposed for being late. Its delay is unknown; `adaptiveTimeout` bounds the lesson. */
export function heardFromPast(server: Server, message: Message): void {
  const { formerContact } = server;
  if (formerContact === null || message.from !== formerContact.of || message.term !== formerContact.term || !isLeading(message)) return;
  server.adaptiveTimeout.learn(server.now - formerContact.since);
  server.formerContact = null;
}

/** A resumed leader refuses pre-vote requests before it learns of its successor. */
function isLeading(message: Message): boolean {
  return message.type === 'append' || message.type === 'installSnapshot' || (message.type === 'preVoteReply' && !message.granted);
}
