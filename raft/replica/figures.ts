import type { ReplicaFigures } from '../replicaApi.js';
import { CountedDurations } from './countedDurations.js';

/** Milliseconds: a good disk syncs in one, a bad one needs more than an election timeout. */
const syncBoundsMs = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000] as const;

export class Figures {
  readonly logSync = new CountedDurations(syncBoundsMs);
  elections = 0;
  leaderChanges = 0;
  proposalsRefused = 0;
  proposalsGivenUp = 0;
  snapshotsInstalled = 0;
  #lastLeader: string | null = null;
  #checkpointAtMs: number;

  constructor(nowMs: number) {
    this.#checkpointAtMs = nowMs;
  }

  /** Neither the first leader, nor one lost and found again, is a change. */
  stateChanged(role: string, leader: string | null): void {
    if (role === 'candidate') this.elections += 1;
    if (leader === null) return;
    if (this.#lastLeader !== null && this.#lastLeader !== leader) this.leaderChanges += 1;
    this.#lastLeader = leader;
  }

  checkpointed(nowMs: number): void {
    this.#checkpointAtMs = nowMs;
  }

  describe(nowMs: number, proposalsWaiting: number): ReplicaFigures {
    const { elections, leaderChanges, proposalsRefused, proposalsGivenUp, snapshotsInstalled } = this;
    return {
      logSync: this.logSync.describe(),
      elections,
      leaderChanges,
      proposalsWaiting,
      proposalsRefused,
      proposalsGivenUp,
      snapshotsInstalled,
      checkpointAgeMs: nowMs - this.#checkpointAtMs,
    };
  }
}
