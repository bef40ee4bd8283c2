import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '../../api/errorText.js';

export interface WaitOptions {
  /** 10,000 unless given. */
  readonly timeoutMs?: number;
  /** Interval of attempts of `eventually`; 20 unless given. */
  readonly everyMs?: number;
}

const defaultTimeoutMs = 10_000;
const defaultEveryMs = 20;

export const timeoutOf = ({ timeoutMs = defaultTimeoutMs }: WaitOptions): number => timeoutMs;

/** The awaited state did not come. The cause is the last attempt's error. */
export class NotInTime extends Error {
  override readonly name = 'NotInTime';
}

/**
 * Calls `attempt` until it neither throws nor rejects, and resolves with its result: an assertion about a state that changes by itself. A result of `false` or
 * `null` counts as not yet.
 *
 *     await eventually(async () => { expect(await replicas()).to.equal(3); });
 */
export async function eventually<T>(attempt: () => T | Promise<T>, options: WaitOptions = {}): Promise<T> {
  const timeoutMs = timeoutOf(options);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let cause: unknown = 'it was not so yet';
    try {
      const result = await attempt();
      if (result !== false && result !== null) return result;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) {
      throw new NotInTime(`not within ${timeoutMs} ms: ${errorText(cause)}`, { cause });
    }
    await delay(options.everyMs ?? defaultEveryMs);
  }
}
