/** What is done again and again, until it is stopped. */
export interface Repeated {
  stop(): void;
}

/**
 * Does something at multiples of an interval of this process's clock, so that everything that is looked at now and then is looked at in the same moments: an idle
 * process is woken once for all of it. The first time comes after half an interval to one and a half. Does not keep the process alive.
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

/** From any moment; a timer that fires a little early or late still means the moment that it was set for. */
export const untilNext = (nowMs: number, intervalMs: number): number => Math.round(nowMs / intervalMs + 1) * intervalMs - nowMs;
