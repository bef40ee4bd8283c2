import { logIndex, term as toTerm } from '../types.js';
import { inLease } from './election.js';
import type { Message, MessageBody, MessageType } from './messages.js';
import { becomeFollower } from './roles.js';
import type { Server } from './server.js';
import { heardFromPast } from './lastContact.js';

/** Raft, section 5.1: "current terms are exchanged whenever servers communicate". */
export function admit(server: Server, message: Message): boolean {
  if (message.term > server.term) return admitNewer(server, message);
  if (message.term < server.term) refuseOlder(server, message);
  return message.term === server.term;
}

function admitNewer(server: Server, message: Message): boolean {
  if (message.type === 'preVote' || (message.type === 'preVoteReply' && message.granted)) return true;
  if (message.type === 'vote' && !message.transfer && inLease(server)) return false;
  const isFromLeader = message.type === 'append' || message.type === 'installSnapshot';
  becomeFollower(server, message.term, isFromLeader ? message.from : null);
  return true;
}

/** A deposed leader might learn of its successor in no other way. */
function refuseOlder(server: Server, message: Message): void {
  heardFromPast(server, message);
  const body = refusals[message.type]?.(message);
  if (body !== undefined) server.sendAfterSync(message.from, body);
}

const staleAppend = (): MessageBody => ({
  type: 'appendReply',
  round: 0,
  result: { accepted: false, rejected: logIndex(0), hintIndex: logIndex(0), hintTerm: toTerm(0) },
});

const refusals: { readonly [T in MessageType]?: (message: Message) => MessageBody | undefined } = {
  preVote: () => ({ type: 'preVoteReply', granted: false }),
  vote: () => ({ type: 'voteReply', granted: false }),
  append: staleAppend,
  installSnapshot: staleAppend,
  readIndex: (message) => (message.type === 'readIndex' ? { type: 'readIndexReply', id: message.id, index: null } : undefined),
};
