import type { Core } from '../core/contract.js';
import { votersOf } from '../core/membership.js';
import type { MemberId } from '../types.js';

/** The smallest voter of a new cluster that reaches a quorum need not wait for the first timeout. */
export class FirstElection {
  readonly #core: Core;
  readonly #isConnected: (peer: MemberId) => boolean;
  readonly #waitTicks: number;
  #quietTicks = 0;
  #isOver = false;

  /** `waitTicks` with a quorum show that there is no leader. */
  constructor(core: Core, isConnected: (peer: MemberId) => boolean, waitTicks: number) {
    this.#core = core;
    this.#isConnected = isConnected;
    this.#waitTicks = waitTicks;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  leaderKnown(): void {
    this.#isOver = true;
  }

  tick(): void {
    if (this.#isOver) return;
    const { id, membership } = this.#core;
    const voters = votersOf(membership);
    const reachable = voters.filter((voter) => voter === id || this.#isConnected(voter));
    const first = reachable.length * 2 > voters.length && reachable.every((voter) => voter >= id) && voters.includes(id);
    this.#quietTicks = first ? this.#quietTicks + 1 : 0;
    if (this.#quietTicks === this.#waitTicks) this.#core.campaignSoon();
  }
}
