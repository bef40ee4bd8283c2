/** Costs of macros, by their expansion in the reference: `accumulator = start; for each element: step; result`. */
export interface Walk {
  readonly variables: 1 | 2;
  readonly start: number;
  /** Returns the cost of a round from those of its expressions. */
  readonly step: (bodies: readonly number[]) => number;
  readonly end: number;
  /** A value; a list of elements or of the last expression's results; or a map with unknown entries. */
  readonly makes: 'answer' | 'element' | 'result' | 'entries';
}

const list = 10;
const map = 30;

const lastOf = (bodies: readonly number[]): number => bodies.at(-1) ?? 0;
const conditionOf = (bodies: readonly number[]): number => (bodies.length > 1 ? (bodies[0] ?? 0) : 0);

/** `@not_strictly_false(result)`, and `result && body`. */
const all: Walk = { variables: 1, start: 0, step: (bodies) => 3 + lastOf(bodies), end: 1, makes: 'answer' };
/** `@not_strictly_false(!result)`, and `result || body`. */
const exists: Walk = { ...all, step: (bodies) => 4 + lastOf(bodies) };
/** `body ? result + 1 : result`, and in the end `result == 1`. */
const existsOne: Walk = { ...all, step: (bodies) => 2 + lastOf(bodies), end: 2 };
/** `body ? result + [x] : result`. */
const filter: Walk = { variables: 1, start: list, step: (bodies) => lastOf(bodies) + list + 3, end: 1, makes: 'element' };
/** `condition ? result + [body] : result`. */
const collect: Walk = { ...filter, step: (bodies) => conditionOf(bodies) + lastOf(bodies) + list + 2, makes: 'result' };
const both = (walk: Walk): Walk => ({ ...walk, variables: 2 });
/** `condition ? insert(result, key, body) : result`, or without the key. */
const entries = (inserted: number): Walk => ({
  variables: 2,
  start: map,
  step: (bodies) => conditionOf(bodies) + lastOf(bodies) + inserted,
  end: 1,
  makes: 'entries',
});

export const walks: ReadonlyMap<string, Walk> = new Map([
  ['all/2', all],
  ['exists/2', exists],
  ['exists_one/2', existsOne],
  ['existsOne/2', existsOne],
  ['all/3', both(all)],
  ['exists/3', both(exists)],
  ['exists_one/3', both(existsOne)],
  ['existsOne/3', both(existsOne)],
  ['filter/2', filter],
  ['map/2', collect],
  ['map/3', collect],
  ['transformList/3', both(collect)],
  ['transformList/4', both(collect)],
  ['transformMap/3', entries(3)],
  ['transformMap/4', entries(3)],
  ['transformMapEntry/3', entries(2)],
  ['transformMapEntry/4', entries(2)],
]);

export const optionalMacros: ReadonlyMap<string, boolean> = new Map([
  ['optMap/2', true],
  ['optFlatMap/2', false],
]);
