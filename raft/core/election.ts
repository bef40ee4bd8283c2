import type { MemberId } from '../types.js';
import { limits } from './limits.js';
import type { MessageOf } from './messages.js';
import { voteOutcome } from './quorum.js';
import { becomeCandidate, becomeFollower, becomeLeader, becomePreCandidate } from './roles.js';
import type { Server } from './server.js';
import { loseContact, heardRefusal, heardVoter } from './lastContact.js';

export function tickElection(server: Server): void {
  server.electionElapsed++;
  campaignIfDue(server);
}

/** Assumes no further messages; see `Core.restTicks`. */
export function electionRest(server: Server): number {
  const waits = server.leader !== null || !isSoleVoter(server);
  return waits ? Math.max(1, server.electionTimeout + server.extension - server.electionElapsed) : 1;
}

/**
 * Voters campaign in the order of their ids. The first waits a tick, in which the others notice the loss too; each next one waits the length of an election. A
 * failed candidate waits at random.
 */
export function campaignSoon(server: Server): void {
  if (server.leadership !== null) return;
  const before = otherVoters(server).filter((id) => id < server.id && id !== server.leader).length;
  server.shortenElectionTimeout(1 + before * Math.ceil(server.options.electionTicks * limits.soonTurn));
}

/** See `Core.stopped`. A sole voter cannot have been replaced. */
export function standDown(server: Server): void {
  if (server.leadership !== null && !isSoleVoter(server)) becomeFollower(server, server.term, null);
}

function campaignIfDue(server: Server): void {
  if (server.role === 'follower' && server.leader === null && isSoleVoter(server)) {
    campaign(server, false);
  } else if (server.electionElapsed >= server.electionTimeout + server.extension) {
    if (server.memberships.mayCampaign(server.id)) preCampaign(server);
    else becomeFollower(server, server.term, null);
  }
}

export function isSoleVoter(server: Server): boolean {
  return server.memberships.voters.length === 1 && server.memberships.voters[0] === server.id;
}

/** Learned delays do not count: a server that waits longer must not prevent the replacement of a dead leader (dissertation, section 4.2.3). */
export function inLease(server: Server): boolean {
  return server.role === 'leader' || (server.leader !== null && server.electionElapsed < server.options.electionTicks);
}

export function onPreVote(server: Server, message: MessageOf<'preVote'>): void {
  const granted = message.term > server.term && !inLease(server) && isUpToDate(server, message);
  // Its own term informs an outdated candidate.
  server.sendAfterSync(message.from, { type: 'preVoteReply', granted }, granted ? message.term : server.term);
}

/** The request is of this server's term. */
export function onVote(server: Server, message: MessageOf<'vote'>): void {
  const free = server.vote === message.from || (server.vote === null && server.leader === null);
  const granted = free && isUpToDate(server, message);
  if (granted) {
    server.vote = message.from;
    server.electionElapsed = 0;
    server.extension = 0;
    if (server.lastContact.of === null) loseContact(server);
  }
  server.sendAfterSync(message.from, { type: 'voteReply', granted });
}

export function onPreVoteReply(server: Server, message: MessageOf<'preVoteReply'>): void {
  if (!message.granted) heardRefusal(server, message.from);
  if (server.role !== 'preCandidate') return;
  if (message.granted && message.term !== server.term + 1) return;
  server.votes.set(message.from, message.granted);
  decidePreVote(server);
}

export function onVoteReply(server: Server, message: MessageOf<'voteReply'>): void {
  heardVoter(server);
  if (server.role === 'candidate') countVote(server, message.from, message.granted);
}

/** Campaigns at once, without pre-vote (dissertation, section 3.10). */
export function onTimeoutNow(server: Server, message: MessageOf<'timeoutNow'>): void {
  if (server.role !== 'leader' && server.leader === message.from && server.memberships.mayCampaign(server.id)) campaign(server, true);
}

export function onVoteDurable(server: Server): void {
  const { durable, term, id } = server;
  if (server.role === 'candidate' && durable.term === term && durable.vote === id && !server.votes.has(id)) countVote(server, id, true);
}

function preCampaign(server: Server): void {
  becomePreCandidate(server);
  for (const to of otherVoters(server)) server.sendNow(to, { type: 'preVote', ...lastEntry(server), transfer: false }, nextTerm(server));
  decidePreVote(server);
}

function campaign(server: Server, transfer: boolean): void {
  becomeCandidate(server);
  for (const to of otherVoters(server)) server.sendAfterSync(to, { type: 'vote', ...lastEntry(server), transfer });
}

function decidePreVote(server: Server): void {
  const outcome = voteOutcome(server.memberships.voters, server.votes);
  if (outcome === 'won') campaign(server, false);
  else if (outcome === 'lost') becomeFollower(server, server.term, null);
}

function countVote(server: Server, from: MemberId, granted: boolean): void {
  server.votes.set(from, granted);
  const outcome = voteOutcome(server.memberships.voters, server.votes);
  if (outcome === 'won') becomeLeader(server);
  else if (outcome === 'lost') becomeFollower(server, server.term, null);
}

/** The voter's log must not be newer than the candidate's (Raft, section 5.4.1). */
function isUpToDate(server: Server, message: MessageOf<'vote' | 'preVote'>): boolean {
  const { lastTerm, lastIndex } = server.log;
  return message.lastTerm > lastTerm || (message.lastTerm === lastTerm && message.lastIndex >= lastIndex);
}

function lastEntry(server: Server): Pick<MessageOf<'vote'>, 'lastIndex' | 'lastTerm'> {
  return { lastIndex: server.log.lastIndex, lastTerm: server.log.lastTerm };
}

function nextTerm(server: Server): typeof server.term {
  return (server.term + 1) as typeof server.term;
}

function otherVoters(server: Server): MemberId[] {
  return server.memberships.voters.filter((id) => id !== server.id);
}
