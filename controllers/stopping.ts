import type { Clock } from './client/clock.js';

export interface StoppingOptions {
  /** Asks the work to stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds that the work may take to stop. */
  readonly graceMs: number;
  /** Called when it takes longer, before it is left alone. */
  readonly onLate: () => void;
}

/**
 * Settles as `work` does; and when that takes longer than the grace after it was asked to stop, without it. A program whose lease is lost must end,
 * whatever one of its parts still waits for: the reference ends at once. Nothing that is written reaches the server by then, because `mayAct` and
 * closed connections stand before it.
 */
export function stopped(work: Promise<unknown>, { signal, clock, graceMs, onLate }: StoppingOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let cancel = (): void => undefined;
    const begin = (): void => {
      cancel = clock.after(graceMs, () => {
        onLate();
        resolve();
      });
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
    const over = (): void => {
      signal.removeEventListener('abort', begin);
      cancel();
    };
    work.then(
      () => {
        over();
        resolve();
      },
      (error: unknown) => {
        over();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
