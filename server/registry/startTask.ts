import { setTimeout as delay } from 'node:timers/promises';
import { StatusError } from '../../api/status.js';
import { errorText } from '../../api/errorText.js';

export interface StartTaskOptions {
  readonly signal?: AbortSignal;
  /** A refusal rejects where this is absent. */
  readonly refused?: (what: string, error: unknown) => void;
  readonly recovered?: (what: string) => void;
  /** The first one doubles up to the last. */
  readonly backgroundMs?: { readonly first: number; readonly last: number };
}

const retryMs = 200;
const awaited: ReadonlySet<number> = new Set([429, 503, 504]);
/** The namespace is not visible yet, or another server was faster. */
const momentary: ReadonlySet<number> = new Set([404, 409]);
const momentaryAttemptsMax = 25;
const backgroundDefaultMs = { first: 1_000, last: 60_000 };

/** A refusal or an unreadable object is retried in the background: an administrator needs the server to repair the cause. Rejects when `signal` aborts. */
export async function startTask(what: string, attempt: () => Promise<unknown>, options: StartTaskOptions): Promise<void> {
  const { signal, refused } = options;
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted();
    try {
      await attempt();
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error, attempts)) {
        if (refused === undefined) throw new Error(`${what} cannot be made: ${messageOf(error)}`, { cause: error });
        refused(what, error);
        void attemptLater(what, attempt, messageOf(error), options);
        return;
      }
    }
    await delay(retryMs, undefined, signal === undefined ? {} : { signal });
  }
}

const isPassing = (error: unknown, attempts: number): boolean =>
  error instanceof StatusError && (awaited.has(error.code) || (momentary.has(error.code) && attempts < momentaryAttemptsMax));

async function attemptLater(what: string, attempt: () => Promise<unknown>, reason: string, options: StartTaskOptions): Promise<void> {
  const { signal, refused, recovered, backgroundMs: { first, last } = backgroundDefaultMs } = options;
  const isOver = (): boolean => signal?.aborted === true;
  let lastReason = reason;
  for (let waitMs = first; ; waitMs = Math.min(waitMs * 2, last)) {
    // An abort ends the wait.
    await delay(waitMs, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch(() => undefined);
    if (isOver()) return;
    try {
      await attempt();
      recovered?.(what);
      return;
    } catch (error) {
      if (messageOf(error) === lastReason) continue;
      lastReason = messageOf(error);
      refused?.(what, error);
    }
  }
}

const messageOf = (error: unknown): string => errorText(error);
