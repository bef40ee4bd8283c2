import type { RefusedForward } from '../transport/contract.js';
import type { MemberId, Term } from '../types.js';

export interface Proposal {
  readonly sequence: number;
  /** Includes session and sequence. */
  readonly data: Uint8Array;
  readonly deadlineMs: number;
}

/** Becomes an append if this replica leads, a message otherwise. */
export interface ProposalBatch {
  readonly leader: MemberId;
  readonly term: Term;
  readonly attempt: number;
  readonly part: number;
  readonly proposals: readonly Proposal[];
}

/** `inDoubt`: it may be in a leader's log. */
export interface GivenUp {
  readonly sequence: number;
  readonly inDoubt: boolean;
}

export interface ProposalOptions {
  readonly self: MemberId;
  readonly session: string;
  readonly countMax: number;
  readonly bytesMax: number;
  readonly batchBytesMax: number;
  /** Doubles each time. */
  readonly resendTicks: number;
  /** Ticks without a settled proposal after which clients should try another replica. */
  readonly waitTicks: number;
  /** Attempts never repeat, even if the replica is reopened. */
  readonly attempts?: AttemptCounter;
}

export interface AttemptCounter {
  last: number;
}

interface Item extends Proposal {
  readonly addedTick: number;
  /** 0: certainly in no log. */
  attempt: number;
  settled: boolean;
}

interface Stream {
  readonly leader: MemberId;
  readonly term: Term;
  attempt: number;
  part: number;
  over: boolean;
}

const resendDoublingsMax = 5;

/**
 * Unsettled proposals, and where they may be. Everything in doubt belongs to the term of `stream`; a later stream is opened only once nothing is in doubt.
 * raft/DESIGN.md proves that this suffices for "at most once".
 *
 *    queue:   [ settled ... | sent in this attempt ... | to be sent ... ]
 *                           ^ first                    ^ cursor
 *
 * Pure: the caller sends, and supplies the time.
 */
export class Proposals {
  readonly #options: ProposalOptions;
  readonly #items = new Map<number, Item>();
  #queue: Item[] = [];
  #cursor = 0;
  #bytes = 0;
  #inDoubt = 0;
  #stream: Stream | null = null;
  readonly #attempts: AttemptCounter;
  #known: { readonly leader: MemberId; readonly term: Term } | null = null;
  readonly #connected = new Set<MemberId>();
  #delayed = false;
  #ticksWithoutProgress = 0;
  #resends = 0;
  #earliestDeadlineMs = Infinity;
  #now = 0;
  #lastSettledTick = 0;

  constructor(options: ProposalOptions) {
    this.#options = options;
    this.#attempts = options.attempts ?? { last: 0 };
  }

  get size(): number {
    return this.#items.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(proposal: Proposal): boolean {
    if (this.#items.size >= this.#options.countMax || this.#bytes + proposal.data.length > this.#options.bytesMax) return false;
    const item: Item = { ...proposal, addedTick: this.#now, attempt: 0, settled: false };
    this.#items.set(item.sequence, item);
    this.#queue.push(item);
    this.#bytes += item.data.length;
    this.#earliestDeadlineMs = Math.min(this.#earliestDeadlineMs, item.deadlineMs);
    return true;
  }

  leads(leader: MemberId | null, term: Term): void {
    if (leader === null) this.#known = null;
    else if (this.#known?.leader !== leader || this.#known.term !== term) this.#known = { leader, term };
  }

  connected(peer: MemberId): void {
    this.#connected.add(peer);
    if (this.#stream?.leader === peer) this.#rewind(this.#stream);
  }

  disconnected(peer: MemberId): void {
    this.#connected.delete(peer);
  }

  isConnected(peer: MemberId): boolean {
    return this.#connected.has(peer);
  }

  /** Call `sent` or `delay` with it. */
  next(): ProposalBatch | null {
    const stream = this.#openStream();
    if (stream === null || stream.over || this.#delayed) return null;
    if (stream.leader !== this.#options.self && !this.#connected.has(stream.leader)) return null;
    const proposals: Proposal[] = [];
    let bytes = 0;
    for (let at = this.#cursor; at < this.#queue.length; at += 1) {
      const item = this.#queue[at] as Item;
      if (item.settled) continue;
      if (bytes > 0 && bytes + item.data.length > this.#options.batchBytesMax) break;
      bytes += item.data.length;
      proposals.push(item);
    }
    return proposals.length === 0
      ? null
      : { leader: stream.leader, term: stream.term, attempt: stream.attempt, part: stream.part, proposals };
  }

  sent(batch: ProposalBatch): void {
    const stream = this.#stream as Stream;
    for (const { sequence } of batch.proposals) {
      const item = this.#items.get(sequence) as Item;
      if (item.attempt !== 0) continue;
      item.attempt = batch.attempt;
      this.#inDoubt += 1;
    }
    const last = batch.proposals[batch.proposals.length - 1]?.sequence ?? 0;
    while (this.#cursor < this.#queue.length && (this.#queue[this.#cursor] as Item).sequence <= last) this.#cursor += 1;
    stream.part += 1;
  }

  delay(): void {
    this.#delayed = true;
  }

  tick(): void {
    this.#now += 1;
    this.#delayed = false;
    if (this.#inDoubt === 0 || this.#stream === null || this.#stream.leader === this.#options.self) return;
    this.#ticksWithoutProgress += 1;
    if (this.#ticksWithoutProgress < this.#options.resendTicks * 2 ** Math.min(this.#resends, resendDoublingsMax)) return;
    this.#resends += 1;
    this.#ticksWithoutProgress = 0;
    this.#rewind(this.#stream);
  }

  refused(from: MemberId, refusal: RefusedForward): void {
    const stream = this.#stream;
    if (stream === null || refusal.session !== this.#options.session) return;
    if (stream.leader !== from || stream.term !== refusal.term || stream.attempt !== refusal.attempt) return;
    for (const item of this.#queue) {
      if (item.sequence < refusal.refusedFrom || item.settled) continue;
      if (refusal.leads || item.attempt === refusal.attempt) this.#clear(item);
    }
    stream.over = !refusal.leads;
    this.#rewind(stream);
    this.delay();
  }

  applied(term: Term): void {
    if (this.#stream === null || term <= this.#stream.term) return;
    for (const item of this.#queue) this.#clear(item);
    this.#stream = null;
  }

  settle(sequence: number): boolean {
    const item = this.#items.get(sequence);
    if (item === undefined) return false;
    this.#remove(item);
    this.#lastSettledTick = this.#now;
    this.#ticksWithoutProgress = 0;
    this.#resends = 0;
    return true;
  }

  /** A snapshot skipped entries: abandons those in doubt. */
  skipped(): GivenUp[] {
    return this.#giveUp((item) => item.attempt !== 0);
  }

  /** While others are settled, the rest waits for its deadline. */
  stuck(): GivenUp[] {
    const { waitTicks } = this.#options;
    if (this.#items.size === 0 || this.#now - this.#lastSettledTick < waitTicks) return [];
    return this.#giveUp(({ addedTick }) => this.#now - addedTick >= waitTicks);
  }

  expire(nowMs: number): GivenUp[] {
    if (nowMs < this.#earliestDeadlineMs) return [];
    const late = this.#giveUp((item) => item.deadlineMs <= nowMs);
    this.#earliestDeadlineMs = Infinity;
    for (const item of this.#items.values()) this.#earliestDeadlineMs = Math.min(this.#earliestDeadlineMs, item.deadlineMs);
    return late;
  }

  drain(): GivenUp[] {
    return this.#giveUp(() => true);
  }

  #openStream(): Stream | null {
    const known = this.#known;
    const stream = this.#stream;
    if (known === null) return null;
    if (stream !== null && stream.term === known.term && stream.leader === known.leader) return stream;
    if (this.#inDoubt > 0) return null;
    this.#attempts.last += 1;
    this.#stream = { ...known, attempt: this.#attempts.last, part: 0, over: false };
    this.#cursor = 0;
    this.#resends = 0;
    // The replica that asked for a pause no longer leads.
    this.#delayed = false;
    return this.#stream;
  }

  #rewind(stream: Stream): void {
    this.#attempts.last += 1;
    stream.attempt = this.#attempts.last;
    stream.part = 0;
    this.#cursor = 0;
  }

  #clear(item: Item): void {
    if (item.attempt === 0 || item.settled) return;
    item.attempt = 0;
    this.#inDoubt -= 1;
  }

  #giveUp(which: (item: Item) => boolean): GivenUp[] {
    const givenUp: GivenUp[] = [];
    for (const item of this.#items.values()) {
      if (!which(item)) continue;
      givenUp.push({ sequence: item.sequence, inDoubt: item.attempt !== 0 });
      this.#remove(item);
    }
    return givenUp;
  }

  #remove(item: Item): void {
    this.#clear(item);
    item.settled = true;
    this.#items.delete(item.sequence);
    this.#bytes -= item.data.length;
    this.#dropSettled();
  }

  #dropSettled(): void {
    if (this.#queue.length < 64 || this.#items.size * 2 > this.#queue.length) return;
    const before = this.#queue.slice(0, this.#cursor);
    this.#cursor -= before.filter((item) => item.settled).length;
    this.#queue = this.#queue.filter((item) => !item.settled);
  }
}
