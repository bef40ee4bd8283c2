import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { drop, escaped, parentOf, valueAt } from './pointers.js';
import type { Pointer } from './recordings.js';

/** Small random changes of objects: a client's error in one place. The seed determines them. */
export interface Mutation {
  /** A description for messages. */
  readonly what: string;
  readonly object: JsonObject;
}

/** Numbers between 0 and 1, determined by a seed (32-bit xorshift by Marsaglia). The last 32 bits of a seed count. */
export function seeded(seed: number): () => number {
  // An ordinary product loses its last bits above 2 ** 53, so large seeds would collide.
  let state = Math.imul(seed, 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Values for members: of every type, empty, extreme, and of forms that some member has. */
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

/** Members that the kind does not validate, or that identify the object. A uid is a precondition in a PUT and a member in a patch. */
const kept: ReadonlySet<string> = new Set([
  '/apiVersion',
  '/kind',
  '/metadata',
  '/metadata/name',
  '/metadata/namespace',
  '/metadata/resourceVersion',
  '/metadata/uid',
]);

/** Pointers to everything below an object. */
function pointersIn(value: unknown, at: Pointer = ''): Pointer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, below]) => {
    const pointer = `${at}/${escaped(member)}`;
    return [pointer, ...pointersIn(below, pointer)];
  });
}

/** Returns a changed copy of `object`. `below` is the pointer of the member to change; empty for any. */
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
