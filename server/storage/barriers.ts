import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BarrierOutcome, StoreEngine } from './engine.js';
import { within } from './within.js';

/** Readers gather no longer than this. */
const gatherMsMax = 1;
/** A barrier that takes longer has met trouble, such as a leader that is gone; those who came later need not wait for its end. */
const promptMsMax = 250;

/** Milliseconds; for tests. */
export interface BarrierTimes {
  readonly gatherMs?: number;
  readonly promptMs?: number;
}

/**
 * Shares read barriers. Each wakes the consensus thread and is woken by it, which costs as much as it does to answer a reader or two. So
 * readers gather: a barrier begins after a turn of the event loop that brought no further reader, and while none is under way that may soon be
 * answered. A reader that is alone waits for the end of its turn and no longer; where there are many, the turns are long because they answer readers.
 *
 * A reader may not join a barrier that has begun, because that one promises nothing about writes which completed after it began.
 */
export class Barriers {
  private gathering: Promise<BarrierOutcome> | null = null;
  private gathered = 0;
  private readonly gatherMs: number;
  private readonly promptMs: number;
  private underWay: Promise<unknown> | null = null;

  constructor(
    private readonly replica: Pick<StoreEngine, 'barrier'>,
    private readonly timeoutMs: number,
    { gatherMs = gatherMsMax, promptMs = promptMsMax }: BarrierTimes = {},
  ) {
    this.gatherMs = gatherMs;
    this.promptMs = promptMs;
  }

  reach(): Promise<BarrierOutcome> {
    this.gathered++;
    return (this.gathering ??= this.begin());
  }

  private async begin(): Promise<BarrierOutcome> {
    if (this.underWay !== null) await within(this.underWay, this.promptMs);
    const end = performance.now() + this.gatherMs;
    let known: number;
    // At least one turn, however late it is: `reach` keeps this promise as the one that is gathering until then, and not a moment longer.
    do {
      known = this.gathered;
      await nextTurn();
    } while (known < this.gathered && performance.now() < end);
    this.gathering = null;
    this.gathered = 0;
    const barrier = this.replica.barrier({ timeoutMs: this.timeoutMs });
    const underWay = barrier
      .catch(() => undefined)
      .then(() => {
        if (this.underWay === underWay) this.underWay = null;
      });
    this.underWay = underWay;
    return barrier;
  }
}
