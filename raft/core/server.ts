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

  /** In [timeout, 2 * timeout) of the adaptive timeout, at random: split votes do not repeat (Raft, section 5.2). Follows what is learnt while it runs. */
  get electionTimeout(): number {
    const { ticks } = this.adaptiveTimeout;
    return ticks + Math.floor((ticks * this.electionDraw) / this.options.electionTicks);
  }

  drawElectionTimeout(): void {
    this.electionElapsed = 0;
    this.patience = 0;
    this.electionDraw = this.options.random(this.options.electionTicks);
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
