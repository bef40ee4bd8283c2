import { logIndex, term as toTerm } from '../types.js';
import type { HardState, LogIndex, MemberId, Term } from '../types.js';
import type { CoreOptions } from './contract.js';
import { MembershipHistory } from './history.js';
import { invariant } from './invariant.js';
import type { Leadership } from './leadership.js';
import { limits } from './limits.js';
import { RaftLog } from './log.js';
import type { Message, MessageBody } from './messages.js';
import { AdaptiveTimeout } from './adaptiveTimeout.js';
import { Reads } from './reads.js';
import type { Role } from './ready.js';

/** The decisions that a test replaces to show that the simulator would notice. Production has one set of them: `raftRules`. */
export interface Rules {
  /** May a leader of `current` commit an entry of `entryTerm` because a quorum holds it? (Raft, section 5.4.2) */
  readonly commitsByCounting: (entryTerm: Term, current: Term) => boolean;
  /** The longest wait for a leader that is known to be late, in election timeouts; 1: nothing is learnt. */
  readonly adaptiveTimeoutsMax: number;
}

/** Whom a server waits for, in which term, and since which tick. */
export interface Silence {
  /** Who was seen to lead in the term; null: nobody yet. */
  readonly of: MemberId | null;
  readonly term: Term;
  /** The tick of its last word, or of the vote or the campaign by which the wait for a leader of this term began. */
  readonly since: number;
}

/** What one server knows: figure 2 of the paper and what the other modules of this folder keep in it. They change it; it decides nothing. */
export class Server {
  readonly id: MemberId;
  readonly log: RaftLog;
  readonly memberships: MembershipHistory;
  readonly reads: Reads;

  term: Term;
  vote: MemberId | null;
  role: Role = 'follower';
  leader: MemberId | null = null;
  /** Set exactly while `role` is leader. */
  leadership: Leadership | null = null;

  /** Ticks since the start. */
  now = 0;
  /** Ticks since this server heard from its leader, voted or campaigned. */
  electionElapsed = 0;
  /** Ticks by which the leader may be later than usual, since its last word told that nobody waits for anything: see `calm.ts`. */
  patience = 0;
  readonly adaptiveTimeout: AdaptiveTimeout;
  silence: Silence;
  /** The last silence of a leader in an older term, until a word of it is heard. */
  formerSilence: Silence | null = null;
  /** The most that the leader of a term was answered: which entries are here, and which of its read rounds was heard of. */
  answered: { readonly term: Term; readonly match: LogIndex; readonly round: number } = { term: toTerm(0), match: logIndex(0), round: 0 };
  /** Drawn anew for each wait, from [0, electionTicks): how far, in `electionTicks`-ths, it goes beyond the shortest one. */
  private electionDraw = 0;
  /** Answers to the election under way. */
  readonly votes = new Map<MemberId, boolean>();

  /** What the disk is known to hold. */
  durable: HardState;
  /** The owner has applied entries up to here, and was given entries up to `applying`. */
  applied: LogIndex;
  applying: LogIndex;

  /** Messages that depend on nothing that is not durable yet, and those that do or may. */
  immediate: Message[] = [];
  afterSync: Message[] = [];

  constructor(
    readonly options: CoreOptions,
    readonly rules: Rules,
  ) {
    const { hardState, appliedIndex, log } = options;
    invariant(
      appliedIndex <= log.lastIndex && appliedIndex + 1 >= log.firstIndex,
      'the log reaches back to the applied index and covers it',
      () => ({ appliedIndex, firstIndex: log.firstIndex, lastIndex: log.lastIndex }),
    );
    this.id = options.id;
    this.term = hardState.term;
    this.vote = hardState.vote;
    this.durable = hardState;
    this.applied = this.applying = appliedIndex;
    this.log = new RaftLog(log, hardState.commit > appliedIndex ? hardState.commit : appliedIndex, options.tailBytesMax);
    invariant(this.log.lastTerm <= this.term, 'no entry is newer than the term', () => ({ term: this.term, lastTerm: this.log.lastTerm }));
    this.memberships = this.readMemberships();
    this.reads = new Reads(options.random);
    this.adaptiveTimeout = new AdaptiveTimeout(options.electionTicks, { timeoutsMax: rules.adaptiveTimeoutsMax });
    // Whoever leads now has not been silent: this server was not there.
    this.silence = { of: null, term: this.term, since: Infinity };
    this.drawElectionTimeout();
  }

  /** In [timeout, 2 * timeout) of the adaptive timeout, as drawn. Follows what is learnt while it runs. */
  get electionTimeout(): number {
    const { ticks } = this.adaptiveTimeout;
    return ticks + Math.floor((ticks * this.electionDraw) / this.options.electionTicks);
  }

  /**
   * Who fails to be elected waits at random, so that split votes do not repeat (Raft, section 5.2). Who follows a leader waits in turn: should it fall silent,
   * voters miss it at the same moment, and with random waits two of them are candidates at once too often.
   */
  drawElectionTimeout(): void {
    const { electionTicks, random } = this.options;
    this.electionElapsed = 0;
    this.patience = 0;
    const voters = this.memberships.voters.filter((id) => id !== this.leader);
    if (this.leader === null || !voters.includes(this.id)) {
      this.electionDraw = random(electionTicks);
      return;
    }
    const before = voters.filter((id) => id < this.id).length;
    const turnTicks = electionTicks * Math.min(limits.soonTurn, 1 / voters.length);
    // Not at once in one's turn: the others may have heard it last, and refuse while they wait for it.
    this.electionDraw = Math.min(electionTicks - 1, Math.floor(turnTicks * (before + 1 / 4) + random(Math.ceil(turnTicks / 2))));
  }

  /** The shortest wait is over, and no more than `ticks` remain of what was drawn. */
  shortenElectionTimeout(ticks: number): void {
    const { electionTicks } = this.options;
    const remaining = Math.max(0, Math.min(ticks, this.electionTimeout - this.electionElapsed));
    this.electionElapsed = this.adaptiveTimeout.ticks;
    this.patience = 0;
    this.electionDraw = Math.min(Math.ceil((remaining * electionTicks) / this.adaptiveTimeout.ticks), electionTicks - 1);
  }

  /** Sends without waiting for the disk: for messages that promise nothing about this server's disk (dissertation, section 10.2.1). */
  sendNow(to: MemberId, body: MessageBody, term: Term = this.term): void {
    if (this.immediate.length < limits.outboxMessagesMax) this.immediate.push({ from: this.id, to, term, ...body });
  }

  /** Sends once everything that was decided so far is durable: votes, acknowledgements, requests for votes. */
  sendAfterSync(to: MemberId, body: MessageBody, term: Term = this.term): void {
    if (this.afterSync.length < limits.outboxMessagesMax) this.afterSync.push({ from: this.id, to, term, ...body });
  }

  /** The only way the commit index moves, but for a snapshot. */
  commitTo(index: LogIndex): void {
    this.log.commitTo(index);
    this.memberships.committed(index);
  }

  private readMemberships(): MembershipHistory {
    const { appliedIndex, membership, log, appendBytesMax } = this.options;
    const memberships = new MembershipHistory(appliedIndex, membership);
    for (let at = appliedIndex + 1; at <= log.lastIndex;) {
      const entries = log.entries(at as LogIndex, log.lastIndex, appendBytesMax);
      invariant(entries.length > 0, 'the log has every entry up to its last index', () => ({ at, lastIndex: log.lastIndex }));
      memberships.appended(entries);
      at += entries.length;
    }
    memberships.committed(this.log.commit);
    return memberships;
  }
}
