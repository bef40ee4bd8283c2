import type { Prng } from '../simulation/prng.js';

/** With member names this is below the limit of a body. */
const charactersMax = 400_000;
/** One to four bytes in UTF-8, and characters that JSON escapes. */
const characters = [...'abcdefghijklmnopqrstuvwxyz0123456789 \n"\\äß€語😀'];
const blockLength = 1_000;

/** A text of 0 to 400,000 characters with evenly distributed magnitude. */
export function drawText(prng: Prng): string {
  const length = prng.chance(50) ? 0 : Math.floor(charactersMax ** (prng.below(1_001) / 1_000));
  const block = Array.from({ length: Math.min(length, blockLength) }, () => prng.pick(characters)).join('');
  if (length <= blockLength) return block;
  // Numbers between blocks reveal duplicates, delays and gaps.
  const parts: string[] = [];
  for (let at = 0; at < length; at += blockLength) parts.push(String(at), block);
  return parts
    .join('')
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '.');
}
