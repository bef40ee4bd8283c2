import type { Prng } from '../simulation/prng.js';

/** Together with the names of its members this stays below what a body may have. */
const charactersMax = 400_000;
/** One, two, three and four bytes each in UTF-8, and what JSON escapes. */
const characters = [...'abcdefghijklmnopqrstuvwxyz0123456789 \n"\\äß€語😀'];
const blockLength = 1_000;

/** A text of 0 to 400,000 characters; short ones are as frequent as long ones by their order of magnitude. */
export function drawText(prng: Prng): string {
  const length = prng.chance(50) ? 0 : Math.floor(charactersMax ** (prng.below(1_001) / 1_000));
  const block = Array.from({ length: Math.min(length, blockLength) }, () => prng.pick(characters)).join('');
  if (length <= blockLength) return block;
  // Numbers between the blocks: a piece that comes twice, late or not at all shows.
  const parts: string[] = [];
  for (let at = 0; at < length; at += blockLength) parts.push(String(at), block);
  return parts
    .join('')
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '.');
}
