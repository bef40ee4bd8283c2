export interface Repeated {
  stop(): void;
}

/**
 * Runs an action at multiples of the interval, so that an idle process wakes once for all periodic checks. The first run comes after 0.5 to 1.5 intervals.
 * Does not keep the process alive.
 */
export function inStep(intervalMs: number, action: () => void): Repeated {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(
      () => {
        wait();
        action();
      },
      untilNext(performance.now(), intervalMs),
    ).unref();
  };
  wait();
  return { stop: () => clearTimeout(timer) };
}

/** Rounds, because a timer may fire slightly early or late. */
export const untilNext = (nowMs: number, intervalMs: number): number => Math.round(nowMs / intervalMs + 1) * intervalMs - nowMs;
