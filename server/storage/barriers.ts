import type { BarrierOutcome, Replica } from '../../raft/replica-api.js';

/**
 * Shares read barriers: one is under way at a time, and all readers that arrive meanwhile share the next one. A reader may not join the
 * barrier under way, because that one promises nothing about writes which completed after it began.
 */
export class Barriers {
  private next: Promise<BarrierOutcome> | null = null;
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(private readonly replica: Pick<Replica, 'barrier'>, private readonly timeoutMs: number) {}

  reach(): Promise<BarrierOutcome> {
    if (this.next === null) {
      this.next = this.underWay.then(() => {
        this.next = null;
        const barrier = this.replica.barrier({ timeoutMs: this.timeoutMs });
        this.underWay = barrier.catch(() => undefined);
        return barrier;
      });
    }
    return this.next;
  }
}
