import { logIndex } from '../types.js';
import type { Entry, LogIndex, Term } from '../types.js';
import { receivedAppend, isQuiescedAppend } from './quiescence.js';
import { invariant } from './invariant.js';
import type { MessageOf } from './messages.js';
import { becomeFollower } from './roles.js';
import type { Server } from './server.js';
import { heardLeader } from './lastContact.js';

// The followers' half of log replication (Raft, figure 2, AppendEntries and InstallSnapshot).

export function onAppend(server: Server, message: MessageOf<'append'>): void {
  heardFromLeader(server, message);
  receivedAppend(server, isQuiescedAppend(server, message));
  checkContiguous(message);
  const { previousIndex, previousTerm, entries } = message;
  const last = logIndex(previousIndex + entries.length);
  // Every later leader has the entries committed here (leader completeness); they may be compacted.
  if (last <= server.log.commit) return accept(server, message, server.log.commit);
  if (previousIndex >= server.log.commit && server.log.termAt(previousIndex) !== previousTerm) return reject(server, message);
  appendMissing(server, entries);
  const commit = message.commit < last ? message.commit : last;
  const isNews = commit > server.log.commit;
  if (isNews) server.commitTo(commit);
  // A reply to a new commit index would wake the leader for nothing. The next heartbeat repeats a lost reply.
  if (isNews && entries.length === 0 && hasAnswered(server, message, last)) return;
  accept(server, message, last);
}

export function onInstallSnapshot(server: Server, message: MessageOf<'installSnapshot'>): void {
  heardFromLeader(server, message);
  receivedAppend(server, false);
  const { snapshot } = message;
  if (snapshot.index <= server.log.commit) return accept(server, message, server.log.commit);
  // Only their commitment was unknown.
  if (server.log.termAt(snapshot.index) === snapshot.term) server.commitTo(snapshot.index);
  else install(server, message);
  accept(server, message, snapshot.index);
}

export function heardFromLeader(server: Server, message: { readonly from: typeof server.id; readonly term: Term }): void {
  const { from, term } = message;
  invariant(server.role !== 'leader' && (server.leader === null || server.leader === from), 'a term has at most one leader', () => ({
    term,
    from,
    role: server.role,
    leader: server.leader,
  }));
  if (server.role !== 'follower' || server.leader === null) becomeFollower(server, term, from);
  server.electionElapsed = 0;
  heardLeader(server, from);
}

/** A reordered message must not truncate later entries (Raft, figure 2, AppendEntries 3 and 4). */
function appendMissing(server: Server, entries: readonly Entry[]): void {
  const start = entries.findIndex((entry) => entry.index > server.log.commit && server.log.termAt(entry.index) !== entry.term);
  const first = entries[start];
  if (first === undefined) return;
  if (first.index <= server.log.lastIndex) {
    server.log.truncate(first.index);
    server.memberships.truncated(first.index);
  }
  const missing = entries.slice(start);
  server.log.append(missing);
  server.memberships.appended(missing);
}

function install(server: Server, { snapshot }: MessageOf<'installSnapshot'>): void {
  server.log.install(snapshot);
  server.memberships.reset(snapshot.index, snapshot.membership);
  server.applied = server.applying = snapshot.index;
}

function hasAnswered({ answered, term }: Server, { round }: MessageOf<'append'>, match: LogIndex): boolean {
  return answered.term === term && answered.match >= match && answered.round >= round;
}

function accept(server: Server, message: MessageOf<'append' | 'installSnapshot'>, match: LogIndex): void {
  const { answered, term } = server;
  const before = answered.term === term ? answered : { match, round: 0 };
  server.answered = { term, match: match > before.match ? match : before.match, round: Math.max(roundOf(message), before.round) };
  server.sendAfterSync(message.from, { type: 'appendReply', round: roundOf(message), result: { accepted: true, match } });
}

function reject(server: Server, message: MessageOf<'append'>): void {
  const hint = server.log.lastNotAfter(message.previousIndex, message.previousTerm, server.log.commit);
  const result = { accepted: false, rejected: message.previousIndex, hintIndex: hint.index, hintTerm: hint.term } as const;
  server.sendAfterSync(message.from, { type: 'appendReply', round: message.round, result });
}

function roundOf(message: MessageOf<'append' | 'installSnapshot'>): number {
  return message.type === 'append' ? message.round : 0;
}

function checkContiguous({ previousIndex, previousTerm, entries, from }: MessageOf<'append'>): void {
  let index: number = previousIndex;
  let term: number = previousTerm;
  for (const entry of entries) {
    invariant(
      entry.index === index + 1 && entry.term >= term,
      'the entries of a message follow one another and their terms never go back',
      () => ({ from, previousIndex, previousTerm, index: entry.index, term: entry.term }),
    );
    ({ index, term } = entry);
  }
}
