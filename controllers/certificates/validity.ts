const minuteMs = 60_000;
/** Certificates are backdated slightly, since clocks differ. */
const backdateMs = 5 * minuteMs;
/** Shorter lives are not reduced by backdating. */
const shortMs = 8 * 60 * minuteMs;
const shortestMs = 10 * minuteMs;

/** Returns the requested duration within the cluster's bounds. */
export function durationMs(askedSeconds: number | undefined, longestMs: number): number {
  if (askedSeconds === undefined || askedSeconds * 1000 > longestMs) return longestMs;
  return Math.max(askedSeconds * 1000, shortestMs);
}

/** Throws if the authority has expired, which would invalidate its certificates. */
export function validityOf(
  now: number,
  { livesMs, authorityEnds }: { readonly livesMs: number; readonly authorityEnds: number },
): { readonly notBefore: number; readonly notAfter: number } {
  if (now >= authorityEnds) throw new Error('the authority that should sign has expired');
  const notAfter = livesMs < shortMs ? now + livesMs : now + livesMs - backdateMs;
  return { notBefore: now - backdateMs, notAfter: Math.min(notAfter, authorityEnds) };
}
