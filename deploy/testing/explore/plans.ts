import { isWrite, type Call } from './call.js';
import type { Perturbation } from './perturbation.js';
import type { Entry, Place } from './record.js';

/** The perturbations of one kind of place, the most telling first. */
interface Recipe {
  readonly fits: (call: Call) => boolean;
  readonly make: (at: Place) => Perturbation;
}

const replaces = (call: Call): boolean => call.verb === 'update' || call.verb === 'patch';
const isRead = (call: Call): boolean => call.verb === 'get' || call.verb === 'list';

const recipes: readonly Recipe[] = [
  { fits: isWrite, make: (at) => ({ kind: 'crash', at, when: 'after' }) },
  { fits: isWrite, make: (at) => ({ kind: 'lostAnswer', at, how: 'break' }) },
  { fits: replaces, make: (at) => ({ kind: 'foreignWrite', at }) },
  { fits: isWrite, make: (at) => ({ kind: 'refusal', at, status: 500 }) },
  { fits: isWrite, make: (at) => ({ kind: 'crash', at, when: 'before' }) },
  { fits: isWrite, make: (at) => ({ kind: 'lostAnswer', at, how: 'timeout' }) },
  { fits: isRead, make: (at) => ({ kind: 'refusal', at, status: 500 }) },
  { fits: isWrite, make: (at) => ({ kind: 'refusal', at, status: 503 }) },
  { fits: isWrite, make: (at) => ({ kind: 'refusal', at, status: 429 }) },
];

/** Returns the requests of all reference runs: their places come again. */
export function stableEntries([first = [], ...others]: readonly (readonly Entry[])[]): readonly Entry[] {
  const key = ({ place }: Entry): string => `${place.call} ${place.nth}`;
  const known = others.map((entries) => new Set(entries.map(key)));
  return first.filter((entry) => known.every((keys) => keys.has(key(entry))));
}

export function plansFor(entries: readonly Entry[], seed = 0): readonly Perturbation[] {
  const next = randomOf(seed);
  const places =
    seed === 0
      ? entries
      : entries
          .map((entry) => ({ entry, rank: next() }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ entry }) => entry);
  return recipes.flatMap(({ fits, make }) => places.filter(({ call }) => fits(call)).map(({ place }) => make(place)));
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
