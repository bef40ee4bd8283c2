/** From when until when a new certificate holds. Pure. */

const minuteMs = 60_000;
/** Clocks differ: certificates hold from a little before they are made. */
const backdateMs = 5 * minuteMs;
/** Of certificates that live shorter than this, backdating takes nothing away. */
const shortMs = 8 * 60 * minuteMs;
const shortestMs = 10 * minuteMs;

/** How long, as the request asks within what the cluster allows. */
export function durationMs(askedSeconds: number | undefined, longestMs: number): number {
  if (askedSeconds === undefined || askedSeconds * 1000 > longestMs) return longestMs;
  return Math.max(askedSeconds * 1000, shortestMs);
}

/** Throws where the authority does not hold any more: what it signed would not either. */
export function validityOf(
  now: number,
  { livesMs, authorityEnds }: { readonly livesMs: number; readonly authorityEnds: number },
): { readonly notBefore: number; readonly notAfter: number } {
  if (now >= authorityEnds) throw new Error('the authority that should sign has expired');
  const notAfter = livesMs < shortMs ? now + livesMs : now + livesMs - backdateMs;
  return { notBefore: now - backdateMs, notAfter: Math.min(notAfter, authorityEnds) };
}
