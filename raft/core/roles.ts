import { logIndex } from '../types.js';
import type { Entry, EntryKind, MemberId, Term } from '../types.js';
import { invariant } from './invariant.js';
import { Leadership } from './leadership.js';
import { Progress } from './progress.js';
import type { Server } from './server.js';
import { loseContact } from './lastContact.js';

// Every change of role, term or leader goes through here.
//
//              timeout          quorum would vote        quorum voted
//   follower ----------> preCandidate ------> candidate -------> leader
//      ^  ^                    |                  |                 |
//      |  +--------------------+------------------+                 |
//      +--- newer term, leader of this term, no quorum, removed ----+

export function becomeFollower(server: Server, term: Term, leader: MemberId | null): void {
  invariant(term >= server.term, 'a term never goes back', () => ({ from: server.term, to: term }));
  if (term > server.term) {
    server.term = term;
    server.vote = null;
    loseContact(server);
  }
  if (server.leadership !== null) endLeadership(server);
  server.role = 'follower';
  server.leader = leader;
  if (leader !== null) server.reads.reclaimBatches(leader);
  server.votes.clear();
  server.drawElectionTimeout();
}

/** Dissertation, section 9.6. */
export function becomePreCandidate(server: Server): void {
  server.role = 'preCandidate';
  server.leader = null;
  server.votes.clear();
  server.votes.set(server.id, true);
  server.drawElectionTimeout();
}

/** The own vote counts once durable. */
export function becomeCandidate(server: Server): void {
  invariant(server.role !== 'leader', 'a leader does not campaign', () => ({ term: server.term }));
  server.role = 'candidate';
  server.term = (server.term + 1) as Term;
  server.vote = server.id;
  loseContact(server);
  server.leader = null;
  server.votes.clear();
  server.drawElectionTimeout();
}

export function becomeLeader(server: Server): void {
  invariant(
    server.role === 'candidate' && server.durable.term === server.term && server.durable.vote === server.id,
    'a leader was a candidate of the same term whose own vote is durable',
    () => ({ role: server.role, term: server.term, durable: server.durable }),
  );
  server.role = 'leader';
  server.leader = server.id;
  server.reads.reclaimBatches(server.id);
  server.votes.clear();
  server.leadership = new Leadership(logIndex(server.log.lastIndex + 1));
  appendOwn(server, [{ kind: 'noop', data: new Uint8Array(0) }]);
  followMembership(server, server.leadership);
}

export function appendOwn(server: Server, contents: readonly { readonly kind: EntryKind; readonly data: Uint8Array }[]): void {
  const first = server.log.lastIndex + 1;
  const entries: Entry[] = contents.map(({ kind, data }, offset) => ({ index: logIndex(first + offset), term: server.term, kind, data }));
  server.log.append(entries);
  server.memberships.appended(entries);
}

/** New peers are presumed to lack only the last entry. */
export function followMembership(server: Server, leadership: Leadership): void {
  const create = (id: MemberId): Progress => new Progress(id, server.log.lastIndex, server.now, server.options.inflightMax);
  leadership.setPeers(server.memberships.current, server.id, create);
}

function endLeadership(server: Server): void {
  server.leadership = null;
  for (const read of server.reads.abandonRounds()) server.sendNow(read.from, { type: 'readIndexReply', id: read.id, index: null });
}
