import type { Holders } from './heldRules.js';
import type { Work } from './work.js';

interface Class {
  readonly positions: readonly number[];
  readonly holders: readonly Holders[];
  bits: Uint32Array;
}
export type Dimension = readonly Class[];

/** Groups the positions of a list's words by holders. Pauses after long work. */
export function* dimension<T>(words: readonly T[], holdersOf: (word: T) => readonly Holders[], work: Work): Generator<void, Dimension> {
  const classes = new Map<string, { positions: number[]; holders: readonly Holders[]; bits: Uint32Array }>();
  for (const [position, word] of words.entries()) {
    const holders = holdersOf(word);
    if (work.spend(1 + holders.length)) yield;
    const key = holders.map(({ id }) => id).join();
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { positions: [position], holders, bits: noBits });
    else known.positions.push(position);
  }
  return [...classes.values()];
}

const noBits = new Uint32Array(0);

/** Combinations of a rule that no rule holds: for each list, positions of words, all freely combined. */
export type Box = readonly (readonly number[])[];

/**
 * Returns the combinations, one word per list, that no single held rule has; null when that takes too much work. Descends list by list, and leaves a branch
 * where one rule holds the rest, or none holds anything. Pauses after long work. Ends at `wantedMax` combinations.
 */
export function* uncovered(dimensions: readonly Dimension[], work: Work, wantedMax: number): Generator<void, readonly Box[] | null> {
  if (dimensions.some((classes) => classes.length === 0)) return [];
  const width = yield* numberBits(dimensions, work);
  const all = (depth: number): Box[number] => dimensions[depth]!.flatMap(({ positions }) => positions);
  if (width === 0) return [dimensions.map((_, depth) => all(depth))];
  const rest = heldFrom(dimensions, width);
  const left = dimensions.map(() => new Uint32Array(width));
  const at = dimensions.map(() => 0);
  const boxes: Box[] = [];
  for (let depth = 0, found = 0; depth >= 0 && found < wantedMax;) {
    if (work.exhausted) return null;
    const one = dimensions[depth]![at[depth]!];
    if (one === undefined) {
      at[depth--] = 0;
      if (depth >= 0) at[depth]! += 1;
      continue;
    }
    if (work.spend(1 + width)) yield;
    const some = intersect(one.bits, depth === 0 ? one.bits : left[depth - 1]!, left[depth]!);
    if (some && depth + 1 < dimensions.length && !meets(left[depth]!, rest[depth + 1]!)) {
      depth += 1;
      continue;
    }
    if (!some) {
      const box = dimensions.map((classes, level) => (level <= depth ? classes[at[level]!]!.positions : all(level)));
      boxes.push(box);
      found += box.reduce((count, positions) => count * positions.length, 1);
    }
    at[depth]! += 1;
  }
  return boxes;
}

/** Assigns a bit to each rule with something in every list, and the bits of its holders to each class. Returns the number of 32-bit words. */
function* numberBits(dimensions: readonly Dimension[], work: Work): Generator<void, number> {
  let relevant: Set<number> | null = null;
  for (const classes of dimensions) {
    const here = new Set<number>();
    for (const holders of new Set(classes.flatMap((one) => one.holders))) {
      if (work.spend(holders.rules.length)) yield;
      for (const rule of holders.rules) if (relevant === null || relevant.has(rule)) here.add(rule);
    }
    relevant = here;
  }
  const bitOf = new Map([...(relevant ?? [])].map((rule, bit) => [rule, bit]));
  const width = Math.ceil(bitOf.size / 32);
  for (const one of dimensions.flat()) {
    one.bits = new Uint32Array(width);
    for (const { rules } of one.holders) {
      if (work.spend(rules.length)) yield;
      for (const rule of rules) {
        const bit = bitOf.get(rule);
        if (bit !== undefined) one.bits[bit >>> 5]! |= 1 << (bit & 31);
      }
    }
  }
  return width;
}

/** Returns the rules with all words of each list and all later ones. */
function heldFrom(dimensions: readonly Dimension[], width: number): Uint32Array[] {
  const rest: Uint32Array[] = [];
  let held = new Uint32Array(width).fill(0xffffffff);
  for (const [depth, classes] of [...dimensions.entries()].reverse()) {
    held = held.slice();
    for (const { bits } of classes) intersect(held, bits, held);
    rest[depth] = held;
  }
  return rest;
}

/** Intersects into `into`; false when the result is empty. */
function intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): boolean {
  let some = 0;
  for (let i = 0; i < into.length; i++) some |= into[i] = a[i]! & b[i]!;
  return some !== 0;
}

function meets(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i++) if ((a[i]! & b[i]!) !== 0) return true;
  return false;
}
