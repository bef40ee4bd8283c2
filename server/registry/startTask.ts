import { setTimeout as delay } from 'node:timers/promises';
import { StatusError } from '../../api/status.js';

/** How a server makes what it owes its cluster at the start. */
export interface StartTaskOptions {
  /** Ends all attempts. */
  readonly signal?: AbortSignal;
  /** Hears of what cannot be made just now, once for each reason. Without it a refusal is a defect, and rejects. */
  readonly refused?: (what: string, error: unknown) => void;
  /** Hears of what could be made after all. */
  readonly recovered?: (what: string) => void;
  /** Waits between attempts in the background, in milliseconds: the first one, which doubles up to the last. */
  readonly backgroundMs?: { readonly first: number; readonly last: number };
}

const retryMs = 200;
/** Storage takes no writes just now: it is waited for, as long as it takes. */
const awaited: ReadonlySet<number> = new Set([429, 503, 504]);
/** The namespace is not visible yet, or another server was faster: true for a moment only. */
const momentary: ReadonlySet<number> = new Set([404, 409]);
const momentaryAttemptsMax = 25;
const backgroundDefaultMs = { first: 1_000, last: 60_000 };

/**
 * Attempts something until it is done. What is refused, or cannot be read, is told of and goes on being attempted in the background: it must not keep a server
 * from starting, because an administrator needs the server to put right what stands in the way. Rejects when `signal` aborts.
 */
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
  let told = reason;
  for (let waitMs = first; ; waitMs = Math.min(waitMs * 2, last)) {
    // An abort ends the wait.
    await delay(waitMs, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch(() => undefined);
    if (isOver()) return;
    try {
      await attempt();
      recovered?.(what);
      return;
    } catch (error) {
      if (messageOf(error) === told) continue;
      told = messageOf(error);
      refused?.(what, error);
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
