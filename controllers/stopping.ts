import type { Clock } from './client/clock.js';

export interface StoppingOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds that the work may take to stop. */
  readonly graceMs: number;
  /** Called when it takes longer, before it is abandoned. */
  readonly onLate: () => void;
}

/**
 * Settles like `work`; at the latest the grace period after the stop was requested. A program without its lease must end, even if its parts still wait.
 * `mayAct` and closed connections prevent later writes.
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
