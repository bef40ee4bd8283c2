import { isObject } from '../../api/json/json.js';
import type { JsonValue } from '../../api/object.js';
import { typeNamed, typeOfKind, type Field, type Scalar, type Shape } from '../../api/catalogue/types.js';
import { escaped } from './pointers.js';
import type { Bases, Change, Edit, Outcome, Pointer } from './recordings.js';
import { outcomesOf, type Asked } from './variation.js';

/** Sets every member of recorded objects to valid and invalid values. For review, each line shows one member and its values with equal answers. */
export interface Probed {
  /** The resource, as `apps.v1.deployments`. */
  readonly name: string;
  readonly lines: readonly string[];
}

export async function probe(connection: Asked, bases: Bases): Promise<string[]> {
  const absent = new Set<string>();
  const changes = Object.entries(bases.bases).flatMap(([base, object]) => changesOf(base, object, absent));
  const outcomes = await outcomesOf(connection, bases, changes);
  const answers = new Map<string, Map<string, Set<string>>>();
  for (const [index, change] of changes.entries()) {
    const { title, value, at } = reported(change);
    const answer = answerTo(outcomes[index] ?? { status: 0 }, at);
    const ofMember = answers.get(title) ?? new Map<string, Set<string>>();
    answers.set(title, ofMember.set(answer, (ofMember.get(answer) ?? new Set()).add(value)));
  }
  return [...answers].map(
    ([title, byAnswer]) => `${title}: ${[...byAnswer].map(([answer, values]) => `${[...values].join(' ')} => ${answer}`).join(' | ')}`,
  );
}

/** A member, present or not, and its possible values. */
interface Place {
  readonly at: Pointer;
  readonly shape: Shape;
  readonly value: unknown;
  readonly choices: readonly string[];
}

/** `absent` has the members that an earlier object lacked too: they are set once. */
function changesOf(base: string, object: unknown, absent: Set<string>): Change[] {
  const type = kindOf(object);
  if (type === undefined) return [];
  const places = [...type.entries()]
    .filter(([name]) => !elsewhere.has(name))
    .flatMap(([, field]) => placesOfField(field, object, ''))
    .filter(({ at, value }) => value !== undefined || isNew(memberAt(at), absent));
  return (['create', 'update'] as const).flatMap((verb) => [
    { base, verb },
    ...places.flatMap((place) => editsOf(place).map((edit) => ({ base, verb, edit: [edit] }))),
  ]);
}

const isNew = (name: string, known: Set<string>): boolean => !known.has(name) && known.add(name).has(name);

/** A pointer without list indices. */
const memberAt = (at: Pointer): string => at.replace(/\/\d+(?=\/|$)/g, '/*');

/** Members that all kinds share or that a write ignores. */
const elsewhere: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function kindOf(object: unknown): ReadonlyMap<string, Field> | undefined {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return typeOfKind({ group, version, kind })?.fields;
}

function placesOfField({ name, shape, enum: choices = [] }: Field, parent: unknown, above: Pointer): Place[] {
  const at = `${above}/${escaped(name)}`;
  const value = isObject<Record<string, unknown>>(parent) ? parent[name] : undefined;
  const here: Place = { at, shape, value, choices };
  return [here, ...(value === undefined ? placesInAbsent(shape, at) : placesIn(shape, value, at))];
}

function placesIn(shape: Shape, value: unknown, at: Pointer): Place[] {
  if (shape.is === 'type') return fieldsOf(shape).flatMap((field) => placesOfField(field, value, at));
  const inside = shape.is === 'list' ? shape.items : shape.is === 'map' ? shape.values : undefined;
  if (inside === undefined || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const below = `${at}/${escaped(name)}`;
    return [{ at: below, shape: inside, value: each as unknown, choices: [] }, ...placesIn(inside, each, below)];
  });
}

/** Members one level inside an absent member: setting one creates it without the others. */
function placesInAbsent(shape: Shape, at: Pointer): Place[] {
  const [inside, below] = shape.is === 'list' ? [shape.items, `${at}/0`] : [shape, at];
  return fieldsOf(inside).map(({ name, shape: ofField, enum: choices = [] }) => ({
    at: `${below}/${escaped(name)}`,
    shape: ofField,
    value: undefined,
    choices,
  }));
}

const fieldsOf = (shape: Shape): Field[] => (shape.is === 'type' ? [...(typeNamed(shape.name)?.fields?.values() ?? [])] : []);

function editsOf({ at, shape, value, choices }: Place): Edit[] {
  const again = Array.isArray(value) && value.length > 0 ? [{ at, set: [...(value as unknown[]), value[0] as unknown] }] : [];
  const dropped = value === undefined ? [] : [{ at, drop: true } as const];
  return [...dropped, ...again, ...[...choices, ...valuesFor(shape)].filter((each) => each !== value).map((set) => ({ at, set }))];
}

const texts = [
  '',
  ' ',
  'x',
  '1',
  'Bad_Name',
  '-a',
  'a.b',
  'a/b',
  '/a',
  '../a',
  '*',
  '10.0.0.1',
  'http://x',
  'x'.repeat(64),
  'x'.repeat(254),
] as const;
const integers = [0, 1, -1, 65_536, 2 ** 31 - 1] as const;

const scalars: Readonly<Record<Scalar, readonly JsonValue[]>> = {
  string: texts,
  bytes: ['', 'eA==', '!'],
  int32: [...integers, 2 ** 31],
  int64: integers,
  double: [0, -1, 1.5],
  boolean: [true, false],
};

/** Types that are neither structures nor scalars. */
const leaves: Readonly<Record<string, readonly JsonValue[]>> = {
  'resource.Quantity': ['0', '1', '-1', '1.5', '1m', '1Gi', 'x'],
  'intstr.IntOrString': [0, 1, -1, '', 'x', '1', '50%', '-1%', '101%'],
  'meta.v1.Time': [null, '2020-01-01T00:00:00Z', 'x'],
  'meta.v1.MicroTime': [null, '2020-01-01T00:00:00.000000Z', 'x'],
};
const keys = ['', 'a', 'Bad key!', 'cpu', 'nodomain', 'kubernetes.io/a', 'example.com/a'] as const;

function valuesFor(shape: Shape): readonly JsonValue[] {
  if (shape.is === 'scalar') return scalars[shape.scalar];
  if (shape.is === 'list') return [null, [], ...oneOf(shape.items).map((each) => [each]), ...twice(shape.items)];
  if (shape.is === 'map') return [null, {}, ...keys.flatMap((key) => oneOf(shape.values).map((each) => ({ [key]: each })))];
  return leaves[shape.name] ?? [null, {}];
}

const oneOf = (shape: Shape): readonly JsonValue[] => (isText(shape) ? ['', 'a'] : valuesFor(shape).slice(0, 2));
const twice = (shape: Shape): readonly JsonValue[] => (isText(shape) ? [['a', 'a'], ['*'], ['Bad_Name']] : []);
const isText = (shape: Shape): boolean => shape.is === 'scalar' && shape.scalar === 'string';

/** Groups changes of one member, in any list item. */
function reported({ verb, edit: [edit] = [] }: Change): { readonly title: string; readonly value: string; readonly at: Pointer } {
  if (edit === undefined) return { title: verb, value: 'unchanged', at: '' };
  return { title: `${verb} ${memberAt(edit.at)}`, value: 'drop' in edit ? 'dropped' : short(edit.set), at: edit.at };
}

function answerTo({ status, reason, causes, message, warnings }: Outcome, at: Pointer): string {
  if (status < 300) return warnings === undefined ? 'accepted' : `accepted with ${warnings.join(', ')}`;
  if (causes === undefined) return `${status} ${reason} ${message ?? ''}`;
  const here = fieldAt(at);
  return causes
    .map(([field, cause]) => `${cause} ${field.startsWith(here) ? `@${field.slice(here.length)}` : field}`)
    .map((cause) => cause.replace(/\[\d+\]/g, '[*]'))
    .join(' + ');
}

const fieldAt = (at: Pointer): string =>
  at
    .split('/')
    .slice(1)
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('')
    .slice(1);

/** Characters of a value to print. */
const charactersMax = 24;

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…(${text.length})`;
}
