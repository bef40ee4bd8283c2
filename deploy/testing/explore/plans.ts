import { isWrite, type Call } from './call.js';
import { everyPastView, type Perturbation, type Plan } from './perturbation.js';
import { restOf, type Entry, type Place } from './record.js';

interface Recipe {
  readonly fits: (call: Call, entry: Entry) => boolean;
  readonly make: (at: Place) => Perturbation;
}

const replaces = (call: Call): boolean => call.verb === 'update' || call.verb === 'patch';
const isRead = (call: Call): boolean => call.verb === 'get' || call.verb === 'list';
const isEvent = (_: Call, { event }: Entry): boolean => event !== undefined;

/** Those that find most bugs. */
const likely: readonly Recipe[] = [
  { fits: isWrite, make: (at) => ({ kind: 'crash', at, when: 'after' }) },
  { fits: isWrite, make: (at) => ({ kind: 'lostAnswer', at, how: 'break' }) },
  { fits: replaces, make: (at) => ({ kind: 'foreignWrite', at }) },
  { fits: isEvent, make: (at) => ({ kind: 'missed', at }) },
  { fits: isWrite, make: (at) => ({ kind: 'past', at }) },
];
const others: readonly Recipe[] = [
  { fits: isWrite, make: (at) => ({ kind: 'lateWrite', at }) },
  { fits: isWrite, make: (at) => ({ kind: 'refusal', at, status: 500 }) },
  { fits: isWrite, make: (at) => ({ kind: 'crash', at, when: 'before' }) },
  { fits: isEvent, make: (at) => ({ kind: 'late', at }) },
  { fits: isEvent, make: (at) => ({ kind: 'expired', at }) },
  { fits: ({ verb }) => verb === 'update', make: (at) => ({ kind: 'refusal', at, status: 409 }) },
  { fits: isWrite, make: (at) => ({ kind: 'lostAnswer', at, how: 'timeout' }) },
  { fits: isRead, make: (at) => ({ kind: 'refusal', at, status: 500 }) },
  { fits: isWrite, make: (at) => ({ kind: 'refusal', at, status: 503 }) },
  { fits: isWrite, make: (at) => ({ kind: 'refusal', at, status: 429 }) },
];

/** Returns the first event of each resource in a step: delaying it delays the later ones as well. */
function telling(entries: readonly Entry[]): readonly Entry[] {
  const isLike = (one: Entry, other: Entry): boolean =>
    other.event !== undefined && one.step === other.step && one.call.resource === other.call.resource;
  return entries.filter(
    (entry) => entry.event === undefined || (entry.step > 0 && entries.find((other) => isLike(entry, other)) === entry),
  );
}

/** Returns the requests that are in all reference runs, and thus reproducible. */
export function stableEntries([first = [], ...others]: readonly (readonly Entry[])[]): readonly Entry[] {
  const key = ({ place }: Entry): string => `${place.call} ${place.nth}`;
  const known = others.map((entries) => new Set(entries.map(key)));
  return first.filter((entry) => known.every((keys) => keys.has(key(entry))));
}

/** Starts at rest that see the step before, in all resources or in `written` ones: an earlier version, or an old life of what was deleted. */
function ofRests(entries: readonly Entry[], written: ReadonlySet<string>): readonly Perturbation[] {
  const seen = entries.flatMap(({ kind, call }) => (kind !== undefined && written.has(kind) ? [call.resource] : []));
  const of = [...new Set(seen)].sort();
  const views = everyPastView.flatMap((from) => [{ from }, ...(of.length === 0 ? [] : [{ from, of }])]);
  const steps = new Set(entries.flatMap(({ call, step }) => (step > 0 && isWrite(call) ? [step] : [])));
  return [...steps].flatMap((step): Perturbation[] =>
    steps.has(step + 1) ? views.map((view) => ({ kind: 'past', at: restOf(step + 1), ...view })) : [],
  );
}

export interface PlanOptions {
  readonly seed?: number;
  /** Kinds that the scenario writes. */
  readonly written?: ReadonlySet<string>;
  readonly changes?: readonly Plan[];
}

/** Kinds of plans take turns, so that a short budget tries each. */
export function plansFor(entries: readonly Entry[], { seed = 0, written = new Set(), changes = [] }: PlanOptions = {}): readonly Plan[] {
  const next = randomOf(seed);
  const places =
    seed === 0
      ? telling(entries)
      : [...telling(entries)]
          .map((entry) => ({ entry, rank: next() }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ entry }) => entry);
  const made = ({ fits, make }: Recipe): readonly Plan[] =>
    places.filter((entry) => fits(entry.call, entry)).map(({ place }) => make(place));
  return [...inTurn([changes, ofRests(entries, written), ...likely.map(made)]), ...inTurn(others.map(made))];
}

function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const rounds = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => lists.flatMap((list) => list.slice(round, round + 1))).flat();
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
