import type { LogIndex, MemberId } from '../types.js';
import { limits } from './limits.js';

interface LocalRead {
  readonly id: number;
  readonly since: number;
}

interface RemoteRead {
  readonly from: MemberId;
  readonly id: number;
}

interface Batch {
  readonly leader: MemberId;
  readonly since: number;
  readonly reads: readonly LocalRead[];
}

interface Round {
  readonly round: number;
  readonly index: LogIndex;
  readonly local: readonly LocalRead[];
  readonly remote: readonly RemoteRead[];
}

/** Replies to an earlier run never meet a batch of this one. */
const batchStarts = 2 ** 40;
const batchesPerStart = 2 ** 12;

/**
 * Pending reads; `readIndex.ts` decides.
 *
 *   read() --> waiting --leader here--> rounds --confirmed--> answered --> Ready.reads
 *                 |  ^                     | leadership lost
 *                 |  | leader changed      +----------------> failed ----> Ready.failedReads
 *                 v  |                                          ^
 *              batches at the leader -----reply-----> answered  |
 *                 +---------- refused, or an election timeout --+
 */
export class Reads {
  #waiting: LocalRead[] = [];
  #remoteWaiting: (RemoteRead & { readonly since: number })[] = [];
  #rounds: Round[] = [];
  readonly #batches = new Map<number, Batch>();
  #nextBatch: number;
  #underWay = 0;
  #answered: { readonly id: number; readonly index: LogIndex }[] = [];
  #failed: number[] = [];

  constructor(random: (below: number) => number) {
    this.#nextBatch = random(batchStarts) * batchesPerStart;
  }

  get anyWaiting(): boolean {
    return this.#waiting.length > 0 || this.#remoteWaiting.length > 0;
  }

  get roundsInFlight(): number {
    return this.#rounds.length;
  }

  get batchesInFlight(): number {
    return this.#batches.size;
  }

  addLocal(id: number, now: number): void {
    if (this.#underWay >= limits.localReadsMax) {
      this.#failed.push(id);
      return;
    }
    this.#underWay++;
    this.#waiting.push({ id, since: now });
  }

  addRemote(from: MemberId, id: number, now: number): boolean {
    if (this.#remoteWaiting.length >= limits.remoteReadsMax) return false;
    this.#remoteWaiting.push({ from, id, since: now });
    return true;
  }

  beginRound(round: number, index: LogIndex): void {
    this.#rounds.push({ round, index, local: this.#waiting, remote: this.#remoteWaiting });
    this.#waiting = [];
    this.#remoteWaiting = [];
  }

  confirm(round: number, reply: (read: RemoteRead, index: LogIndex) => void): void {
    while (this.#rounds[0] !== undefined && this.#rounds[0].round <= round) {
      const { index, local, remote } = this.#rounds[0];
      this.#rounds.shift();
      this.#answer(local, index);
      for (const read of remote) reply(read, index);
    }
  }

  /** Returns the remote reads to refuse. */
  abandonRounds(): RemoteRead[] {
    const remote = [...this.#rounds.flatMap((round) => round.remote), ...this.#remoteWaiting];
    for (const round of this.#rounds) this.#fail(round.local);
    this.#rounds = [];
    this.#remoteWaiting = [];
    return remote;
  }

  beginBatch(leader: MemberId): number {
    const id = this.#nextBatch++;
    this.#batches.set(id, { leader, since: this.#waiting[0]?.since ?? 0, reads: this.#waiting });
    this.#waiting = [];
    return id;
  }

  /** Null: the server does not lead. Ignores late or repeated replies. */
  batchReplied(id: number, index: LogIndex | null): void {
    const batch = this.#batches.get(id);
    if (batch === undefined) return;
    this.#batches.delete(id);
    if (index === null) this.#fail(batch.reads);
    else this.#answer(batch.reads, index);
  }

  reclaimBatches(leader: MemberId): void {
    for (const [id, batch] of this.#batches) {
      if (batch.leader === leader) continue;
      this.#batches.delete(id);
      this.#waiting = [...batch.reads, ...this.#waiting].sort((a, b) => a.since - b.since);
    }
  }

  /** Fails reads that have waited for a leader since before `deadline`. Rounds need no deadline: a leader without a quorum steps down. */
  expire(deadline: number): void {
    const late = this.#waiting.findIndex((read) => read.since > deadline);
    this.#fail(this.#waiting.splice(0, late === -1 ? this.#waiting.length : late));
    for (const [id, batch] of this.#batches) {
      if (batch.since > deadline) continue;
      this.#batches.delete(id);
      this.#fail(batch.reads);
    }
    this.#remoteWaiting = this.#remoteWaiting.filter((read) => read.since > deadline);
  }

  take(): { readonly answered: readonly { readonly id: number; readonly index: LogIndex }[]; readonly failed: readonly number[] } {
    const taken = { answered: this.#answered, failed: this.#failed };
    this.#answered = [];
    this.#failed = [];
    return taken;
  }

  #answer(reads: readonly LocalRead[], index: LogIndex): void {
    this.#underWay -= reads.length;
    for (const read of reads) this.#answered.push({ id: read.id, index });
  }

  #fail(reads: readonly LocalRead[]): void {
    this.#underWay -= reads.length;
    for (const read of reads) this.#failed.push(read.id);
  }
}
