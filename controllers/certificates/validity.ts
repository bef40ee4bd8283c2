/** The validity of a new certificate. Pure. */

const minuteMs = 60_000;
/** Clocks differ: certificates are valid from a little before their creation. */
const backdateMs = 5 * minuteMs;
/** Certificates with a shorter life are backdated without losing any of it. */
const shortMs = 8 * 60 * minuteMs;
const shortestMs = 10 * minuteMs;

/** Returns the requested duration within the cluster's bounds. */
export function durationMs(askedSeconds: number | undefined, longestMs: number): number {
  if (askedSeconds === undefined || askedSeconds * 1000 > longestMs) return longestMs;
  return Math.max(askedSeconds * 1000, shortestMs);
}

/** Throws where the authority has expired: its certificates would be invalid too. */
export function validityOf(
  now: number,
  { livesMs, authorityEnds }: { readonly livesMs: number; readonly authorityEnds: number },
): { readonly notBefore: number; readonly notAfter: number } {
  if (now >= authorityEnds) throw new Error('the authority that should sign has expired');
  const notAfter = livesMs < shortMs ? now + livesMs : now + livesMs - backdateMs;
  return { notBefore: now - backdateMs, notAfter: Math.min(notAfter, authorityEnds) };
}
