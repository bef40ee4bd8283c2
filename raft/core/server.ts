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

/** Tests replace these to prove that the simulator notices. */
export interface Rules {
  /** Raft, section 5.4.2. */
  readonly commitsByCounting: (entryTerm: Term, current: Term) => boolean;
  /** 1 disables learning. */
  readonly adaptiveTimeoutsMax: number;
}

export interface LastContact {
  readonly of: MemberId | null;
  readonly term: Term;
  /** The tick of its last message, or of the vote or campaign that began the wait. */
  readonly since: number;
}

/** Figure 2 of the paper and the other modules' data. It decides nothing. */
export class Server {
  readonly id: MemberId;
  readonly log: RaftLog;
  readonly memberships: MembershipHistory;
  readonly reads: Reads;

  term: Term;
  vote: MemberId | null;
  role: Role = 'follower';
  leader: MemberId | null = null;
  leadership: Leadership | null = null;

  now = 0;
  electionElapsed = 0;
  /** See `quiescence.ts`. */
  extension = 0;
  readonly adaptiveTimeout: AdaptiveTimeout;
  lastContact: LastContact;
  formerContact: LastContact | null = null;
  /** The most that this term's leader was sent. */
  answered: { readonly term: Term; readonly match: LogIndex; readonly round: number } = { term: toTerm(0), match: logIndex(0), round: 0 };
  /** The excess over the shortest wait, in `electionTicks`-ths. */
  #electionDraw = 0;
  readonly votes = new Map<MemberId, boolean>();

  durable: HardState;
  applied: LogIndex;
  applying: LogIndex;

  /** Independent of unsynced state; `afterSync` may depend on it. */
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
    this.memberships = this.#readMemberships();
    this.reads = new Reads(options.random);
    this.adaptiveTimeout = new AdaptiveTimeout(options.electionTicks, rules.adaptiveTimeoutsMax);
    // The current leader has not been silent.
    this.lastContact = { of: null, term: this.term, since: Infinity };
    this.drawElectionTimeout();
  }

  /** The drawn value in [timeout, 2 * timeout). */
  get electionTimeout(): number {
    const { ticks } = this.adaptiveTimeout;
    return ticks + Math.floor((ticks * this.#electionDraw) / this.options.electionTicks);
  }

  /**
   * A failed candidate waits at random, so that split votes do not repeat (Raft, section 5.2). Followers wait in turn, since all miss a leader at the same
   * moment.
   */
  drawElectionTimeout(): void {
    const { electionTicks, random } = this.options;
    this.electionElapsed = 0;
    this.extension = 0;
    const voters = this.memberships.voters.filter((id) => id !== this.leader);
    if (this.leader === null || !voters.includes(this.id)) {
      this.#electionDraw = random(electionTicks);
      return;
    }
    const before = voters.filter((id) => id < this.id).length;
    const turnTicks = electionTicks * Math.min(limits.soonTurn, 1 / voters.length);
    // Even the first waits: others may have heard the leader later.
    this.#electionDraw = Math.min(electionTicks - 1, Math.floor(turnTicks * (before + 1 / 4) + random(Math.ceil(turnTicks / 2))));
  }

  shortenElectionTimeout(ticks: number): void {
    const { electionTicks } = this.options;
    const remaining = Math.max(0, Math.min(ticks, this.electionTimeout - this.electionElapsed));
    this.electionElapsed = this.adaptiveTimeout.ticks;
    this.extension = 0;
    this.#electionDraw = Math.min(Math.ceil((remaining * electionTicks) / this.adaptiveTimeout.ticks), electionTicks - 1);
  }

  /** Sends messages that promise nothing about this server's disk (dissertation, section 10.2.1). */
  sendNow(to: MemberId, body: MessageBody, term: Term = this.term): void {
    if (this.immediate.length < limits.outboxMessagesMax) this.immediate.push({ from: this.id, to, term, ...body });
  }

  /** Sends once all decisions so far are durable: votes, acknowledgements, vote requests. */
  sendAfterSync(to: MemberId, body: MessageBody, term: Term = this.term): void {
    if (this.afterSync.length < limits.outboxMessagesMax) this.afterSync.push({ from: this.id, to, term, ...body });
  }

  /** Only this and snapshots advance the commit index. */
  commitTo(index: LogIndex): void {
    this.log.commitTo(index);
    this.memberships.committed(index);
  }

  #readMemberships(): MembershipHistory {
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
