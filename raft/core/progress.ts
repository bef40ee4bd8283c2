import { logIndex } from '../types.js';
import type { LogIndex, MemberId, SnapshotMeta } from '../types.js';

export type ProgressState = 'probe' | 'replicate' | 'snapshot';

/**
 * A leader's knowledge of a server.
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
  match: LogIndex = logIndex(0);
  ackedRound = 0;
  /** Heartbeats repeat lost ones. */
  sentCommit: LogIndex = logIndex(0);
  sentRound = 0;
  /** Last indexes, oldest first; at most `inflightMax`. */
  #inflight: LogIndex[] = [];
  #probeSent = false;
  #pendingSnapshot: SnapshotMeta | null = null;

  readonly #inflightMax: number;

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

  sent(last: LogIndex): void {
    if (this.state === 'probe') this.#probeSent = true;
    if (this.state !== 'replicate') return;
    this.#inflight.push(last);
    this.next = logIndex(last + 1);
  }

  /** The last probe may be lost. */
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

  /** Acceptance is final. */
  isFresh(rejected: LogIndex): boolean {
    if (this.state === 'probe') return rejected === this.next - 1;
    return this.state === 'replicate' && rejected > this.match;
  }

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

  /** The next attempt waits for a heartbeat. */
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
