import { logIndex } from '../types.js';
import type { LogIndex, MemberId, SnapshotMeta } from '../types.js';

export type ProgressState = 'probe' | 'replicate' | 'snapshot';

/**
 * A leader's knowledge of one other server.
 *
 *             accepted                          accepted at or past the snapshot
 *   probe ----------------> replicate      snapshot -------------------------> replicate
 *     ^                         |             ^  |
 *     |  rejected, unreachable  |             |  | sent, or given up
 *     +-------------------------+   entries   |  v
 *     +--------------------------- compacted ---> probe
 *
 * probe: one append at a time until the logs agree somewhere. replicate: `next` runs ahead of `match`, with a window of appends in flight. snapshot: entries
 * wait for the snapshot's arrival; only heartbeats are sent.
 */
export class Progress {
  state: ProgressState = 'probe';
  /** Highest index known to be durable there and equal to the leader's. */
  match: LogIndex = logIndex(0);
  /** The newest read round that this server confirmed. */
  ackedRound = 0;
  /** The newest commit index and read round sent; heartbeats repeat lost ones. */
  sentCommit: LogIndex = logIndex(0);
  sentRound = 0;
  /** Last index of each append in flight, oldest first; at most `inflightMax`. */
  #inflight: LogIndex[] = [];
  #probeSent = false;
  #pendingSnapshot: SnapshotMeta | null = null;

  readonly #inflightMax: number;

  /** `activeAt` is the tick of the last reply. */
  constructor(
    readonly id: MemberId,
    public next: LogIndex,
    public activeAt: number,
    inflightMax: number,
  ) {
    this.#inflightMax = inflightMax;
  }

  get snapshot(): SnapshotMeta | null {
    return this.#pendingSnapshot;
  }

  get mayCarryEntries(): boolean {
    if (this.state === 'probe') return !this.#probeSent;
    return this.state === 'replicate' && this.#inflight.length < this.#inflightMax;
  }

  /** State replicate is optimistic and does not wait for the reply. */
  sent(last: LogIndex): void {
    if (this.state === 'probe') this.#probeSent = true;
    if (this.state !== 'replicate') return;
    this.#inflight.push(last);
    this.next = logIndex(last + 1);
  }

  /** The probe may have been lost, so the next one may carry entries again. */
  resumeProbe(): void {
    this.#probeSent = false;
  }

  /** Returns whether `match` grew. */
  accepted(match: LogIndex): boolean {
    while (this.#inflight[0] !== undefined && this.#inflight[0] <= match) this.#inflight.shift();
    const grew = match > this.match;
    if (grew) this.match = match;
    this.next = logIndex(Math.max(this.next, match + 1));
    if (this.state === 'probe' || (this.#pendingSnapshot !== null && match >= this.#pendingSnapshot.index)) this.#becomeReplicate();
    return grew;
  }

  /** Ignores reordered replies: acceptance is final. */
  isFresh(rejected: LogIndex): boolean {
    if (this.state === 'probe') return rejected === this.next - 1;
    return this.state === 'replicate' && rejected > this.match;
  }

  /** Restarts at `next`, one append at a time. */
  becomeProbe(next: number): void {
    this.state = 'probe';
    this.next = logIndex(Math.max(next, this.match + 1));
    this.#probeSent = false;
    this.#pendingSnapshot = null;
    this.#inflight = [];
  }

  becomeSnapshot(snapshot: SnapshotMeta): void {
    this.state = 'snapshot';
    this.#pendingSnapshot = snapshot;
    this.#inflight = [];
  }

  /** The next attempt waits for a heartbeat: the follower is busy, or away. */
  snapshotEnded(ok: boolean): void {
    if (this.#pendingSnapshot === null) return;
    this.becomeProbe(ok ? this.#pendingSnapshot.index + 1 : this.match + 1);
    this.#probeSent = true;
  }

  #becomeReplicate(): void {
    this.state = 'replicate';
    this.next = logIndex(this.match + 1);
    this.#probeSent = false;
    this.#pendingSnapshot = null;
    this.#inflight = [];
  }
}
