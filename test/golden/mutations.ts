import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { drop, escaped, parentOf, valueAt } from './pointers.js';
import type { Pointer } from './recordings.js';

/** Small changes of objects, not recorded ones: what a client may get wrong in one place. They depend on the seed alone. */
export interface Mutation {
  /** What was done, for messages. */
  readonly what: string;
  readonly object: JsonObject;
}

/** Numbers between 0 and 1, the same ones for a seed (a 32-bit generator of Marsaglia's xorshift family). The last 32 bits of a whole seed count. */
export function seeded(seed: number): () => number {
  // An ordinary product loses its last bits beyond 2 ** 53, so that large seeds would give the same numbers.
  let state = Math.imul(seed, 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** What members are set to: of every type, empty, at bounds, and of forms that some member somewhere has. */
const values: readonly JsonValue[] = [
  null,
  '',
  'x',
  'Always',
  'UPPER_case',
  'example.com/name',
  'a..b',
  ' padded ',
  '10.0.0.0/8',
  '::1',
  '50%',
  '100m',
  '-1Gi',
  '1.5',
  '../..',
  '/absolute',
  '2020-01-01T00:00:00Z',
  'x'.repeat(64),
  'x'.repeat(254),
  'é\u{1f600}',
  0,
  1,
  -1,
  65_536,
  2 ** 31,
  1.5,
  true,
  false,
  [],
  [''],
  ['a', 'a'],
  [{}],
  [null],
  {},
  { '': '' },
  { key: 'value' },
];

/** Members whose values are not the kind's to judge, or say which object is meant. A uid is a condition in a PUT and a member in a patch. */
const kept: ReadonlySet<string> = new Set([
  '/apiVersion',
  '/kind',
  '/metadata',
  '/metadata/name',
  '/metadata/namespace',
  '/metadata/resourceVersion',
  '/metadata/uid',
]);

/** Pointers to all that an object holds, the object itself left out. */
function pointersIn(value: unknown, at: Pointer = ''): Pointer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, below]) => {
    const pointer = `${at}/${escaped(member)}`;
    return [pointer, ...pointersIn(below, pointer)];
  });
}

/** One change of `object`, which stays as it is. `below` is where: the pointer of a member, or empty for anywhere. */
export function mutated(object: JsonObject, random: () => number, below: Pointer = ''): Mutation {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const copy = structuredClone(object);
  const pointers = pointersIn(object).filter((pointer) => pointer.startsWith(below) && !kept.has(pointer));
  if (pointers.length === 0) return { what: 'nothing', object: copy };
  const at = pick(pointers);
  const { parent, last } = parentOf(copy, at);
  const value = valueAt(object, at) as JsonValue;
  const set = (to: JsonValue): Mutation => {
    parent[last] = to;
    return { what: `${at} = ${JSON.stringify(to).slice(0, 80)}`, object: copy };
  };
  switch (Math.floor(random() * 6)) {
    case 0:
      drop(copy, at);
      return { what: `${at} dropped`, object: copy };
    case 1:
      return set(valueAt(object, pick(pointers)) as JsonValue);
    case 2:
      if (Array.isArray(value)) return set([...value, ...value]);
      return isObject(value) ? set({ ...value, misspelt: 'x' }) : set(`${String(value)}x`);
    case 3:
      if (Array.isArray(value)) return set([...value].reverse());
      return typeof value === 'number' ? set(-value) : set(pick(values));
    default:
      return set(pick(values));
  }
}
