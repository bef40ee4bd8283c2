export interface Repeated {
  stop(): void;
}

/**
 * Runs an action at multiples of an interval of this process's clock, so that all periodic checks run at the same moments: an idle process wakes once for all
 * of them. The first run comes after half an interval to one and a half. Does not keep the process alive.
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

/** Returns the delay until the next multiple; a timer that fires a little early or late still belongs to the moment that it was set for. */
export const untilNext = (nowMs: number, intervalMs: number): number => Math.round(nowMs / intervalMs + 1) * intervalMs - nowMs;
