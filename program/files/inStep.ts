export interface Repeated {
  stop(): void;
}

/**
 * Runs an action at multiples of the interval, so that an idle process wakes once for all periodic checks. The first run comes after half an interval to one
 * and a half. Does not keep the process alive.
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

/** A timer that fires a little early or late still belongs to the moment that it was set for. */
export const untilNext = (nowMs: number, intervalMs: number): number => Math.round(nowMs / intervalMs + 1) * intervalMs - nowMs;
