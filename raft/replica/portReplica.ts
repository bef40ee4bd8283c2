import type { MembershipChange } from '../core/contract.js';
import type {
  BarrierOutcome,
  ChangeBatch,
  MembershipOutcome,
  Replica,
  ReplicaAdministration,
  ReplicaStatus,
  SnapshotOutcome,
  SpaceUse,
  WriteOutcome,
} from '../replicaApi.js';
import { encodeProposal } from '../store/command.js';
import type { Change, ChangesResult, Command, RangeOptions, RangeResult } from '../store/contract.js';
import { revision } from '../types.js';
import type { Revision } from '../types.js';
import { ReplicaError } from './errors.js';
import { RequestWriter, headOfChanges, readAnswers, readChanges } from './port.js';
import type { AnswerReceiver, LogLine } from './port.js';
import { SoleMemberReader } from './soleMember.js';

export interface PortReplicaOptions {
  readonly session: string;
  readonly takenBytes: BigInt64Array;
  readonly soleMember: SharedArrayBuffer;
  readonly published?: () => Revision;
  readonly post: (batch: ArrayBuffer) => void;
  readonly ended: Promise<void>;
  readonly log: (line: LogLine) => void;
}

interface BarrierBatch {
  readonly pending: Pending<BarrierOutcome>[];
  readonly word: number;
}

interface Pending<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
  readonly deadlineMs: number;
}

const graceMs = 1_000;
const sweepMs = 250;
const sweepMsMax = 24 * 60 * 60 * 1000;

class EncodedChanges implements ChangeBatch {
  readonly revision: Revision;
  readonly compacted: Revision;
  readonly gap: boolean;
  readonly #encoded: Buffer;
  #changes: readonly Change[] | null = null;

  constructor(encoded: Buffer) {
    const { revision, compacted, gap } = headOfChanges(encoded);
    this.revision = revision;
    this.compacted = compacted;
    this.gap = gap;
    this.#encoded = encoded;
  }

  get changes(): readonly Change[] {
    this.#changes ??= readChanges(this.#encoded);
    return this.#changes;
  }
}

/** Requests of one turn of the event loop form a batch. Listeners receive earlier changes before an outcome. */
export class PortReplica implements Replica, ReplicaAdministration {
  readonly #options: PortReplicaOptions;
  readonly #requests = new RequestWriter();
  readonly #writes = new Map<number, Pending<WriteOutcome>>();
  readonly #barriers = new Map<number, BarrierBatch>();
  readonly #others = new Map<number, Pending<unknown>>();
  readonly #changeListeners = new Set<(batch: ChangeBatch) => void>();
  readonly #failureListeners = new Set<(error: Error) => void>();
  readonly #soleMember: SoleMemberReader;
  #deliveredThrough = revision(0);
  #nextId = 1;
  #barrierOfBatch: { readonly id: number; timeoutMs: number } | null = null;
  #flushIsDue = false;
  #sweeper: NodeJS.Timeout | null = null;
  /** The time when something may be late: timely answers cause no wake-up. */
  #sweepsAt = Infinity;
  #failure: Error | null = null;
  #stopping: Promise<void> | null = null;

  constructor(options: PortReplicaOptions) {
    this.#options = options;
    this.#soleMember = new SoleMemberReader(options.soleMember);
  }

  write(
    transaction: Parameters<Replica['write']>[0],
    { timeoutMs, use = 'growing' }: Parameters<Replica['write']>[1],
  ): Promise<WriteOutcome> {
    return this.#propose({ type: 'transaction', transaction }, timeoutMs, use);
  }

  compact(revision: Revision, timeoutMs: number): Promise<WriteOutcome> {
    return this.#propose({ type: 'compact', revision }, timeoutMs, 'freeing');
  }

  async barrier(timeoutMs: number): Promise<BarrierOutcome> {
    if (this.#isOver) return { outcome: 'unavailable', reason: this.#whyOver };
    this.#barrierOfBatch ??= { id: this.#takeId(), timeoutMs };
    this.#barrierOfBatch.timeoutMs = Math.max(this.#barrierOfBatch.timeoutMs, timeoutMs);
    const { id } = this.#barrierOfBatch;
    return new Promise((resolve, reject) => {
      const batch = this.#barriers.get(id);
      const pending = { resolve, reject, deadlineMs: performance.now() + timeoutMs };
      if (batch === undefined) this.#barriers.set(id, { pending: [pending], word: this.#soleMember.word });
      else batch.pending.push(pending);
      this.#sweepFor(pending.deadlineMs);
      this.#flushSoon();
    });
  }

  current(): Revision | null {
    if (!this.#soleMember.isProven || this.#isOver) return null;
    const { published } = this.#options;
    return published === undefined || published() <= this.#deliveredThrough ? this.#deliveredThrough : null;
  }

  range(options: RangeOptions): Promise<RangeResult> {
    return this.#ask((id) => this.#requests.range(id, options));
  }

  changesSince(after: Revision, bytesMax: number): Promise<ChangesResult> {
    return this.#ask((id) => this.#requests.changesSince(id, after, bytesMax));
  }

  status(): Promise<ReplicaStatus> {
    return this.#ask((id) => this.#requests.status(id));
  }

  async transferLeadership(timeoutMs: number): Promise<void> {
    if (!this.#isOver) await this.#ask((id) => this.#requests.transfer(id, timeoutMs));
  }

  async changeMembership(change: MembershipChange, timeoutMs: number): Promise<MembershipOutcome> {
    if (this.#isOver) return { outcome: 'unavailable', reason: this.#whyOver };
    return this.#ask((id) => this.#requests.membership(id, timeoutMs, change));
  }

  async snapshot(): Promise<SnapshotOutcome> {
    return this.#isOver ? { outcome: 'failed', reason: this.#whyOver } : this.#ask((id) => this.#requests.snapshot(id));
  }

  onChanges(listener: (batch: ChangeBatch) => void): () => void {
    this.#changeListeners.add(listener);
    return () => void this.#changeListeners.delete(listener);
  }

  onFailure(listener: (error: Error) => void): () => void {
    this.#failureListeners.add(listener);
    const failure = this.#failure;
    if (failure !== null) queueMicrotask(() => listener(failure));
    return () => void this.#failureListeners.delete(listener);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  receive(batch: ArrayBufferLike): void {
    const bytes = batch.byteLength;
    readAnswers(batch, this.#receiver);
    Atomics.add(this.#options.takenBytes, 0, BigInt(bytes));
  }

  /** The outcome of its writes is unknown. */
  failed(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#settleAll(error);
    if (this.#stopping === null) for (const listener of this.#failureListeners) listener(error);
  }

  readonly #receiver: AnswerReceiver = {
    changes: (encoded) => {
      if (this.#changeListeners.size === 0) return;
      const batch = new EncodedChanges(encoded);
      for (const listener of this.#changeListeners) listener(batch);
      this.#deliveredThrough = batch.revision;
    },
    written: (sequence, outcome) => {
      this.#writes.get(sequence)?.resolve(outcome);
      this.#writes.delete(sequence);
    },
    barrier: (id, outcome) => {
      const batch = this.#barriers.get(id);
      if (batch === undefined) return;
      this.#barriers.delete(id);
      if (outcome.outcome === 'reached') {
        this.#deliveredThrough = outcome.revision;
        this.#soleMember.reached(batch.word);
      }
      for (const { resolve } of batch.pending) resolve(outcome);
    },
    range: (id, result) => this.#answer(id, result),
    changesSince: (id, result) => this.#answer(id, result),
    status: (id, status) => this.#answer(id, status),
    membership: (id, outcome) => this.#answer(id, outcome),
    snapshot: (id, outcome) => this.#answer(id, outcome),
    done: (id) => this.#answer(id, undefined),
    log: (line) => this.#options.log(line),
    failed: (error) => this.failed(error),
  };

  get #isOver(): boolean {
    return this.#failure !== null || this.#stopping !== null;
  }

  get #whyOver(): string {
    return this.#stopping !== null || this.#failure === null ? 'the replica stops' : `the replica has failed: ${this.#failure.message}`;
  }

  async #propose(command: Command, timeoutMs: number, use: SpaceUse): Promise<WriteOutcome> {
    if (this.#isOver) return { outcome: 'unavailable', reason: this.#whyOver };
    const sequence = this.#takeId();
    this.#requests.propose({ sequence, timeoutMs, use, data: encodeProposal(this.#options.session, sequence, command) });
    return new Promise((resolve, reject) => {
      const deadlineMs = performance.now() + timeoutMs;
      this.#writes.set(sequence, { resolve, reject, deadlineMs });
      this.#sweepFor(deadlineMs);
      this.#flushSoon();
    });
  }

  async #ask<T>(write: (id: number) => void): Promise<T> {
    if (this.#isOver) throw new ReplicaError('STOPPED', this.#whyOver, this.#failure ?? undefined);
    const id = this.#takeId();
    write(id);
    return new Promise<T>((resolve, reject) => {
      this.#others.set(id, { resolve: resolve as (value: unknown) => void, reject, deadlineMs: Infinity });
      this.#flushSoon();
    });
  }

  #answer(id: number, value: unknown): void {
    this.#others.get(id)?.resolve(value);
    this.#others.delete(id);
  }

  async #stop(): Promise<void> {
    if (this.#failure === null) {
      const id = this.#takeId();
      const done = new Promise((resolve, reject) => this.#others.set(id, { resolve, reject, deadlineMs: Infinity }));
      this.#requests.stop(id);
      this.#flush();
      await done.catch(() => undefined);
    }
    await this.#options.ended;
    this.#settleAll(new ReplicaError('STOPPED', 'the replica was stopped'));
  }

  #takeId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  #flushSoon(): void {
    if (this.#flushIsDue) return;
    this.#flushIsDue = true;
    setImmediate(() => {
      this.#flushIsDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#failure !== null) return;
    const barrier = this.#barrierOfBatch;
    this.#barrierOfBatch = null;
    if (barrier !== null) this.#requests.barrier(barrier.id, barrier.timeoutMs);
    if (!this.#requests.isEmpty) this.#options.post(this.#requests.take().buffer);
  }

  #sweepFor(deadlineMs: number): void {
    const at = deadlineMs + graceMs;
    if (at >= this.#sweepsAt) return;
    if (this.#sweeper !== null) clearTimeout(this.#sweeper);
    this.#sweepsAt = at;
    this.#sweeper = setTimeout(() => this.#sweep(), Math.min(sweepMsMax, Math.max(sweepMs, at - performance.now()))).unref();
  }

  #sweep(): void {
    this.#sweeper = null;
    this.#sweepsAt = Infinity;
    const late = performance.now() - graceMs;
    let next = Infinity;
    for (const [sequence, { resolve, deadlineMs }] of this.#writes) {
      if (deadlineMs >= late) {
        next = Math.min(next, deadlineMs);
        continue;
      }
      this.#writes.delete(sequence);
      resolve({ outcome: 'unknown', reason: 'the consensus thread did not answer within the time limit' });
    }
    for (const [id, { pending, word }] of this.#barriers) {
      const inTime = pending.filter(({ deadlineMs }) => deadlineMs >= late);
      for (const { deadlineMs } of inTime) next = Math.min(next, deadlineMs);
      for (const { resolve, deadlineMs } of pending)
        if (deadlineMs < late) resolve({ outcome: 'unavailable', reason: 'the consensus thread did not answer within the time limit' });
      if (inTime.length > 0) this.#barriers.set(id, { pending: inTime, word });
      else this.#barriers.delete(id);
    }
    this.#sweepFor(next);
  }

  #settleAll(error: Error): void {
    for (const { resolve } of this.#writes.values()) resolve({ outcome: 'unknown', reason: error.message });
    for (const { pending } of this.#barriers.values())
      for (const { resolve } of pending) resolve({ outcome: 'unavailable', reason: error.message });
    for (const { reject } of this.#others.values()) reject(error);
    this.#writes.clear();
    this.#barriers.clear();
    this.#others.clear();
    if (this.#sweeper !== null) clearTimeout(this.#sweeper);
    this.#sweeper = null;
    this.#sweepsAt = Infinity;
  }
}
