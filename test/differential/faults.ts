import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { typeNamed, typeOfKind, type ApiType, type Field, type Shape } from '../../api/catalogue/types.js';
import { listVariations, readVariations } from '../golden/recordings.js';
import type { Random } from './random.js';

/** Changes objects by their types: walks to a random member and removes, repeats, or sets it to a valid or invalid value. */

/** Members of the object's identity, which stay. */
const kept: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** A copy with `count` changes at any depth; `within` limits the top members. */
export function faulty(object: JsonObject, type: ApiType, random: Random, count: number, within?: readonly string[]): JsonObject {
  let changed = object;
  const fields = [...(type.fields?.values() ?? [])].filter(({ name }) => (within === undefined ? !kept.has(name) : within.includes(name)));
  for (let i = 0; i < count && fields.length > 0; i++) changed = inMember(changed, fields, random);
  return changed;
}

/** The preference for present members, whose content is known to be valid. */
const presentFirst = 0.7;

function inMember(object: JsonObject, fields: readonly Field[], random: Random): JsonObject {
  const present = fields.filter(({ name }) => object[name] !== undefined);
  const field = random.pick(present.length > 0 && random.chance(presentFirst) ? present : fields);
  const after = changed(object[field.name], field.shape, field, random);
  const { [field.name]: _, ...rest } = object;
  return after === undefined ? rest : { ...rest, [field.name]: after };
}

/** The probability that a walk ends at an inner member. */
const endsHere = 0.15;

function changed(value: JsonValue | undefined, shape: Shape, field: Field, random: Random): JsonValue | undefined {
  const fields = fieldsOf(shape);
  if (fields.length > 0 && !random.chance(endsHere)) return inMember(isObject<JsonObject>(value) ? value : {}, fields, random);
  if (shape.is === 'list' && !random.chance(2 * endsHere)) return inItem(Array.isArray(value) ? value : [], shape.items, field, random);
  if (shape.is === 'map' && isObject<JsonObject>(value) && random.chance(0.5)) return inEntry(value, shape.values, field, random);
  return replaced(value, shape, field, random);
}

function inItem(list: readonly JsonValue[], items: Shape, field: Field, random: Random): JsonValue {
  const index = random.below(list.length + (random.chance(0.3) ? 1 : 0));
  const item = changed(list[index], items, field, random);
  const copy = [...list];
  if (item === undefined) copy.splice(index, 1);
  else copy[index] = item;
  return copy;
}

function inEntry(map: JsonObject, values: Shape, field: Field, random: Random): JsonValue {
  const names = Object.keys(map);
  const name = names.length > 0 && random.chance(0.6) ? random.pick(names) : random.pick(texts);
  const value = changed(map[name], values, field, random);
  const { [name]: _, ...rest } = map;
  return value === undefined ? rest : { ...rest, [name]: value };
}

function replaced(value: JsonValue | undefined, shape: Shape, field: Field, random: Random): JsonValue | undefined {
  const way = random.below(20);
  if (way < 3) return undefined;
  if (way < 5 && Array.isArray(value) && value.length > 0) return [...value, random.pick(value)];
  if (way === 5) return null;
  if (way === 6) return random.pick(misfits);
  return valueOf(shape, field, random, 0);
}

const misfits: readonly JsonValue[] = ['', 'x', 0, -1, 1.5, true, [], {}, [null], [''], { '': '' }];

/** The depth of new values. */
const depthMax = 3;

/** A valid or invalid value of a shape. */
export function valueOf(shape: Shape, field: Field, random: Random, depth: number): JsonValue {
  const met = metElsewhere(shape, field.name);
  if (met.length > 0 && random.chance(0.5)) return random.pick(met);
  if (field.enum !== undefined && isText(shape) && random.chance(0.7)) return random.pick(field.enum);
  if (shape.is === 'list')
    return depth > depthMax ? [] : random.times(random.below(3), () => valueOf(shape.items, field, random, depth + 1));
  if (shape.is === 'map')
    return Object.fromEntries(random.times(random.below(3), () => [random.pick(texts), valueOf(shape.values, field, random, depth + 1)]));
  if (shape.is === 'scalar') return random.pick(scalars[shape.scalar] ?? texts);
  const leaf = leaves[shape.name];
  if (leaf !== undefined) return random.pick(leaf);
  return depth > depthMax ? {} : structure(fieldsOf(shape), random, depth);
}

/** Required members, most of the time, and a few others. */
function structure(fields: readonly Field[], random: Random, depth: number): JsonObject {
  const chosen = fields.filter(({ required }) => random.chance(required ? 0.9 : 1.5 / (fields.length + 1)));
  return Object.fromEntries(chosen.map((field) => [field.name, valueOf(field.shape, field, random, depth + 1)]));
}

const isText = (shape: Shape): boolean => shape.is === 'scalar' && shape.scalar === 'string';
const fieldsOf = (shape: Shape): Field[] => (shape.is === 'type' ? [...(typeNamed(shape.name)?.fields?.values() ?? [])] : []);

/** Formats that some member requires or refuses. */
export const texts: readonly string[] = [
  '',
  ' ',
  'x',
  'a-b',
  'A',
  'x_y',
  'Bad_Name!',
  '-a',
  'a.b',
  'a..b',
  'a/b',
  'a/b/c',
  '/a',
  'a:b',
  '../a',
  '/..',
  '*',
  '*.example.com',
  '1',
  '1a',
  '10.0.0.1',
  '010.0.0.1',
  '127.0.0.1',
  '10.0.0.0/8',
  '10.0.0.1/8',
  '::1',
  'fd00::/64',
  '::ffff:10.0.0.1',
  'http://x',
  'https://x/y?z',
  'cpu',
  'memory',
  'pods',
  'example.com/a',
  'kubernetes.io/a',
  'requests.cpu',
  'hugepages-2Mi',
  'UPPER/case',
  'é',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(254),
];
const integers = [0, 1, -1, 80, 443, 65_535, 65_536, 2 ** 31 - 1] as const;

const scalars: Readonly<Record<string, readonly JsonValue[]>> = {
  string: texts,
  bytes: ['', 'eA==', '!', 'eA'],
  int32: [...integers, 2 ** 31],
  int64: [...integers, 2 ** 31, -(2 ** 31), 2 ** 53],
  double: [0, -1, 1.5],
  boolean: [true, false],
};

/** Types that are neither structures nor scalars. */
const leaves: Readonly<Record<string, readonly JsonValue[]>> = {
  'resource.Quantity': ['0', '1', '-1', '1.5', '100m', '1Gi', '1.1m', 'x', '', 2, '1e3', '12E'],
  'intstr.IntOrString': [0, 1, -1, '', 'x', '1', '50%', '-1%', '101%', 'http', 65_536],
  'meta.v1.Time': ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00+01:00', '2020-01-01T00:00:00.5Z', 'x', ''],
  'meta.v1.MicroTime': ['2020-01-01T00:00:00.000000Z', '2020-01-01T00:00:00Z', 'x'],
  'meta.v1.FieldsV1': [{}, { 'f:a': {} }],
  'runtime.RawExtension': [{}, { a: 1 }, { apiVersion: 'v1', kind: 'ConfigMap' }],
};

/** Values of recorded objects in members of the same name and type. */
function metElsewhere(shape: Shape, name: string): readonly JsonValue[] {
  met ??= gathered();
  return met.get(`${name} ${nameOf(shape)}`) ?? [];
}

let met: Map<string, JsonValue[]> | undefined;
const nameOf = (shape: Shape): string => JSON.stringify(shape);

function gathered(): Map<string, JsonValue[]> {
  const values = new Map<string, JsonValue[]>();
  const add = (value: JsonValue, shape: Shape, name: string): void => {
    const key = `${name} ${nameOf(shape)}`;
    const known = values.get(key) ?? [];
    if (!known.some((each) => JSON.stringify(each) === JSON.stringify(value))) values.set(key, [...known, value]);
    for (const field of fieldsOf(shape))
      if (isObject<JsonObject>(value) && value[field.name] !== undefined) add(value[field.name] ?? null, field.shape, field.name);
    if (shape.is === 'list' && Array.isArray(value)) for (const item of value) add(item, shape.items, name);
    if (shape.is === 'map' && isObject<JsonObject>(value)) for (const item of Object.values(value)) add(item ?? null, shape.values, name);
  };
  for (const name of listVariations())
    for (const object of Object.values(readVariations(name).bases) as JsonObject[]) {
      const [version = '', group = ''] = String(object['apiVersion']).split('/').reverse();
      const type = typeOfKind({ group, version, kind: String(object['kind']) });
      if (type !== undefined) add(object, { is: 'type', name: type.name }, '');
    }
  return values;
}
