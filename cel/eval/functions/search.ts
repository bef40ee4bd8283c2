/**
 * Searches texts. The engine takes about a step per character, but for crafted texts the product of both lengths; where this would be large, the linear search
 * of Knuth, Morris and Pratt replaces it.
 */

/** The worst-case steps that the engine's own search may take. */
const productMax = 4_000_000;

const isSmall = (text: string, part: string): boolean => text.length * part.length <= productMax;

/** Positions are in units; -1 for none. */
export function firstPosition(text: string, part: string, from = 0): number {
  if (isSmall(text, part)) return text.indexOf(part, from);
  for (const at of positions(unitsOf(text, false), unitsOf(part, false), Math.max(0, from))) return at;
  return -1;
}

export function lastPosition(text: string, part: string, upTo = Infinity): number {
  if (isSmall(text, part)) return text.lastIndexOf(part, upTo);
  const latest = Math.min(Math.max(0, upTo), text.length - part.length);
  // Searches the reversed texts, where ends become beginnings.
  for (const at of positions(unitsOf(text, true), unitsOf(part, true), text.length - part.length - latest))
    return text.length - part.length - at;
  return -1;
}

/** `by` is not empty. */
export function pieces(text: string, by: string): string[] {
  if (isSmall(text, by)) return text.split(by);
  const found: string[] = [];
  let from = 0;
  for (const at of positions(unitsOf(text, false), unitsOf(by, false), 0)) {
    if (at < from) continue;
    found.push(text.slice(from, at));
    from = at + by.length;
  }
  found.push(text.slice(from));
  return found;
}

function unitsOf(text: string, backwards: boolean): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[backwards ? text.length - 1 - i : i] = text.charCodeAt(i);
  return units;
}

/** All positions, including overlapping ones. */
function* positions(text: Uint16Array, part: Uint16Array, from: number): Generator<number> {
  if (part.length > text.length) return;
  const borders = bordersOf(part);
  for (let at = from, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== part[matched]) matched = borders[matched - 1]!;
    if (text[at] === part[matched]) matched += 1;
    if (matched < part.length) continue;
    yield at - part.length + 1;
    matched = borders[matched - 1]!;
  }
}

/** The length of the longest proper border of each prefix. */
function bordersOf(part: Uint16Array): Int32Array {
  const borders = new Int32Array(part.length);
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = borders[length - 1]!;
    if (part[at] === part[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
