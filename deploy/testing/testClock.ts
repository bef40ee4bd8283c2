import type { MemberOrder } from './orders.js';

/**
 * A clock that a test can advance, in place of Node's `Date`; in programs that only send requests also of timers and `performance.now`, so that all pending
 * waits end. Node's socket timers are not affected.
 */

let aheadMs = 0;

export function setClock(order: MemberOrder & { readonly order: 'clock' }): void {
  const byMs = order.aheadMs - aheadMs;
  if (byMs <= 0) return;
  aheadMs = order.aheadMs;
  for (const timer of [...timers]) timer.shorten(byMs);
}

/** Replaces `Date`, which provides the times in objects. */
export function patchDate(): void {
  const Real = Date;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args: [], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [Real.now() + aheadMs] : args, newTarget) as Date,
    apply: () => new Real(Real.now() + aheadMs).toString(),
    get: (target, key, receiver) => (key === 'now' ? () => Real.now() + aheadMs : (Reflect.get(target, key, receiver) as unknown)),
  });
}

const timers = new Set<TestTimer>();
const real = { setTimeout, clearTimeout, setInterval, clearInterval, now: performance.now.bind(performance) };

type Action = (...args: unknown[]) => void;

/** Replaces timers of `setTimeout` and `setInterval`, with the used part of Node's own. */
class TestTimer {
  readonly #action: () => void;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  #dueMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #isReferenced = true;

  constructor(action: () => void, delayMs: number, repeats: boolean) {
    this.#action = action;
    this.#delayMs = delayMs;
    this.#repeats = repeats;
    this.refresh();
  }

  refresh(): this {
    timers.add(this);
    this.#dueMs = real.now() + this.#delayMs;
    return this.#arm();
  }

  shorten(byMs: number): void {
    this.#dueMs -= byMs;
    this.#arm();
  }

  close(): this {
    timers.delete(this);
    if (this.#timer) real.clearTimeout(this.#timer);
    return this;
  }

  ref(): this {
    this.#isReferenced = true;
    this.#timer?.ref();
    return this;
  }
  unref(): this {
    this.#isReferenced = false;
    this.#timer?.unref();
    return this;
  }
  hasRef(): boolean {
    return this.#isReferenced;
  }
  [Symbol.dispose](): void {
    this.close();
  }

  #arm(): this {
    if (this.#timer) real.clearTimeout(this.#timer);
    this.#timer = real.setTimeout(() => this.#fire(), Math.max(0, this.#dueMs - real.now()));
    if (!this.#isReferenced) this.#timer.unref();
    return this;
  }

  #fire(): void {
    timers.delete(this);
    if (this.#repeats) this.refresh();
    this.#action();
  }
}

/** Replaces timers and the clock of durations. */
export function patchTimers(): void {
  const make =
    (repeats: boolean) =>
    (action: Action, delayMs = 0, ...args: unknown[]): TestTimer =>
      new TestTimer(() => action(...args), Math.max(1, Number(delayMs) || 1), repeats);
  const clear = (timer: unknown): void => {
    if (timer instanceof TestTimer) timer.close();
    else real.clearTimeout(timer as NodeJS.Timeout);
  };
  Object.assign(globalThis, { setTimeout: make(false), setInterval: make(true), clearTimeout: clear, clearInterval: clear });
  performance.now = () => real.now() + aheadMs;
}
