import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BarrierOutcome, StoreEngine } from './engine.js';
import { within } from './within.js';

const gatherMsMax = 1;
/** The longest wait for a current barrier, which takes about a millisecond. With scarce processors it takes dozens, and a reader would wait twice as long. */
const promptMsMax = 4;

/** Milliseconds; for tests. */
export interface BarrierTimes {
  readonly gatherMs?: number;
  readonly promptMs?: number;
}

/**
 * Shares read barriers, since each costs two wake-ups of threads and one or two reads. Readers gather until a turn of the event loop brings no other reader
 * and no current barrier may soon be answered. A reader cannot join a barrier that has begun, which promises nothing about writes completed since.
 */
export class Barriers {
  readonly #replica: Pick<StoreEngine, 'barrier'>;
  readonly #timeoutMs: number;
  #gathering: Promise<BarrierOutcome> | null = null;
  #gathered = 0;
  readonly #gatherMs: number;
  readonly #promptMs: number;
  #underWay: Promise<unknown> | null = null;

  constructor(
    replica: Pick<StoreEngine, 'barrier'>,
    timeoutMs: number,
    { gatherMs = gatherMsMax, promptMs = promptMsMax }: BarrierTimes = {},
  ) {
    this.#replica = replica;
    this.#timeoutMs = timeoutMs;
    this.#gatherMs = gatherMs;
    this.#promptMs = promptMs;
  }

  reach(): Promise<BarrierOutcome> {
    this.#gathered++;
    return (this.#gathering ??= this.#begin());
  }

  async #begin(): Promise<BarrierOutcome> {
    if (this.#underWay !== null) await within(this.#underWay, this.#promptMs);
    const end = performance.now() + this.#gatherMs;
    let known: number;
    do {
      known = this.#gathered;
      await nextTurn();
    } while (known < this.#gathered && performance.now() < end);
    this.#gathering = null;
    this.#gathered = 0;
    const barrier = this.#replica.barrier(this.#timeoutMs);
    const underWay = barrier
      .catch(() => undefined)
      .then(() => {
        if (this.#underWay === underWay) this.#underWay = null;
      });
    this.#underWay = underWay;
    return barrier;
  }
}
