import { createCore, raftRules } from '../../raft/core/core.js';
import type { Core, CoreOptions } from '../../raft/core/contract.js';
import { Machine } from '../../raft/core/machine.js';
import type { Ready } from '../../raft/core/ready.js';
import type { HardState, LogIndex } from '../../raft/types.js';
import { honestDisk } from './disk.js';
import { orderedStages, stages } from './server.js';
import type { Surroundings } from './server.js';

export type BrokenMode = Pick<Surroundings, 'makeCore' | 'disk' | 'stages'>;

const correct: BrokenMode = { makeCore: createCore, disk: honestDisk, stages: orderedStages };

/** Answers a leader's reads at once, without confirming that it still leads. */
class TrustingCore extends Machine {
  #trusted: { readonly id: number; readonly index: LogIndex }[] = [];

  override read(id: number): void {
    if (this.role === 'leader') this.#trusted.push({ id, index: this.commit });
    else super.read(id);
  }

  override ready(): Ready | null {
    const ready = super.ready();
    if (this.#trusted.length === 0) return ready;
    const nothing: Ready = {
      immediate: [],
      install: null,
      persist: null,
      afterSync: [],
      committed: [],
      reads: [],
      failedReads: [],
      state: null,
    };
    const merged = { ...(ready ?? nothing), reads: [...(ready?.reads ?? []), ...this.#trusted] };
    this.#trusted = [];
    return merged;
  }
}

/** Worlds with one broken rule each, which the simulator must detect. */
export const brokenModes = {
  none: correct,
  /** A restarted server forgets its vote. */
  voteNotPersisted: { ...correct, disk: { keep: (hardState: HardState): HardState => ({ ...hardState, vote: null }) } },
  /** A restarted server forgets terms. */
  termNotPersisted: {
    ...correct,
    disk: { keep: (hardState: HardState, before: HardState): HardState => ({ ...hardState, term: before.term, vote: before.vote }) },
  },
  /** Figure 8: an entry of an older term counts as committed once a majority has it. */
  commitOlderTerm: {
    ...correct,
    makeCore: (options: CoreOptions): Core => new Machine(options, { ...raftRules, commitsByCounting: () => true }),
  },
  /** Votes and acknowledgements are sent before their data are synced. */
  ackBeforeSync: {
    ...correct,
    stages: [stages.sendImmediate, stages.sendAfterSync, stages.write, stages.sync, stages.apply, stages.answerReads],
  },
  /** A leader answers reads without a quorum. */
  readWithoutQuorum: { ...correct, makeCore: (options: CoreOptions): Core => new TrustingCore(options, raftRules) },
} satisfies Record<string, BrokenMode>;

export type BrokenName = keyof typeof brokenModes;
