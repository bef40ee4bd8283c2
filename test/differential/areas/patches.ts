import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area } from '../area.js';
import { all, anyOf, list, of, some } from '../grammar.js';
import type { Random } from '../random.js';
import { builtInTargets, customTargets, type Target } from '../targets.js';

/** Valid and invalid patches of the three older types, on objects with all kinds of lists. */
export const patches: Area = {
  name: 'patches',
  about: 'strategic patches with directives, merge patches and JSON patches of built-in and custom objects, valid and not',
  generate(random) {
    const target = random.chance(0.75) ? random.pick(builtInTargets) : random.pick(customTargets);
    const created: Step = { do: `POST ${target.path}`, body: target.body(random) };
    return { steps: [...(target.before ?? []), created, ...random.upTo(6, () => random.pick(forms)(target, random))] };
  },
};

type Form = (target: Target, random: Random) => Step;

const path = ({ path: collection, name, subresources }: Target, random: Random): string =>
  `PATCH ${collection}/${name}${subresources.includes('status') && random.chance(0.1) ? '/status' : ''}${random.chance(0.2) ? '?dryRun=All' : ''}`;

/** A changeable part of an object, without its identity. */
function part(target: Target, random: Random): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...rest } = target.body(random);
  const { name: ___, ...named } = isObject<JsonObject>(metadata) ? metadata : {};
  return Object.keys(named).length === 0 ? rest : { ...rest, metadata: named };
}

const strategic: Form = (target, random) => ({
  do: path(target, random),
  type: 'application/strategic-merge-patch+json',
  body: directed(part(target, random), random),
});

const mergePatch: Form = (target, random) => ({
  do: path(target, random),
  type: 'application/merge-patch+json',
  body: withNulls(part(target, random), random),
});

const jsonPatch: Form = (target, random) => ({
  do: path(target, random),
  type: 'application/json-patch+json',
  body: random.upTo(3, () => operation(target.body(random), random)),
});

const malformed: Form = (target, random) => ({
  do: path(target, random),
  type: random.pick(['merge', 'strategic-merge', 'json']).concat('-patch+json').replace(/^/, 'application/'),
  raw: random.pick([
    ...[
      '',
      'null',
      '[]',
      '{}',
      '1',
      '"x"',
      '{',
      '[{}]',
      '[null]',
      '[1]',
      '{"a":1}',
      '{"metadata":null}',
      '{"metadata":[]}',
      '{"metadata":1}',
    ],
    ...[
      '{"spec":null}',
      '{"spec":1}',
      '{"spec":[]}',
      '{"kind":null}',
      '{"kind":"Other"}',
      '{"apiVersion":"v9"}',
      '{"metadata":{"name":"b"}}',
    ],
    ...['{"metadata":{"namespace":"b"}}', '{"metadata":{"uid":"b"}}', '{"metadata":{"resourceVersion":"1"}}', '{"metadata":{"labels":1}}'],
    ...[
      '{"metadata":{"labels":{"a":1}}}',
      '{"metadata":{"labels":{"a":null}}}',
      '{"metadata":{"creationTimestamp":null}}',
      '{"$patch":"delete"}',
    ],
    ...['{"$patch":"replace"}', '{"$patch":"x"}', '{"$patch":1}', '{"metadata":{"$patch":"delete"}}', '{"data":{"a":"b","a":"c"}}'],
    ...[
      '[{"op":"add"}]',
      '[{"op":"add","path":"/metadata/labels"}]',
      '[{"op":"x","path":"/a"}]',
      '[{"path":"/a"}]',
      '[{"op":"test","path":""}]',
    ],
    ...[
      '[{"op":"replace","path":"","value":{}}]',
      '[{"op":"remove","path":""}]',
      '[{"op":"add","path":"metadata","value":1}]',
      '[{"op":"copy","path":"/a"}]',
    ],
  ]),
});

const forms: readonly Form[] = [strategic, strategic, strategic, strategic, mergePatch, mergePatch, jsonPatch, jsonPatch, malformed];

/* Directives of strategic patches, in any object: also in one that the stored object does not have. */

function directed(object: JsonObject, random: Random): JsonObject {
  const members = Object.entries(object).map(([name, value]): [string, JsonValue] => [name, below(value ?? null, random)]);
  const orders = members.flatMap(([name, value]) => listDirectives(name, value, random));
  return Object.fromEntries([...members, ...orders, ...ofObject(Object.keys(object), random)]);
}

function below(value: JsonValue, random: Random): JsonValue {
  if (random.chance(0.07)) return null;
  if (Array.isArray(value)) return [...value.map((item) => below(item, random)), ...(random.chance(0.05) ? [{ $patch: 'replace' }] : [])];
  return isObject<JsonObject>(value) ? directed(value, random) : value;
}

function ofObject(names: readonly string[], random: Random): [string, JsonValue][] {
  const directives: [string, JsonValue][] = [];
  if (random.chance(0.12)) directives.push(['$patch', random.pick<JsonValue>(['delete', 'delete', 'replace', 'merge', 'x', 1])]);
  if (random.chance(0.1))
    directives.push(['$retainKeys', random.pick<JsonValue>([[...names], names.slice(1), [...names, 'other'], [], [1], 'x', { a: 1 }])]);
  return directives;
}

function listDirectives(name: string, value: JsonValue, random: Random): [string, JsonValue][] {
  if (!Array.isArray(value) || !random.chance(0.35)) return [];
  const keys = value.map((item) => (isObject<JsonObject>(item) ? keyOf(item) : item));
  const order = random.pick<JsonValue>([keys, [...keys].reverse(), keys.slice(1), [...keys, 'zz'], [...keys, ...keys], [], 'x', [{}]]);
  return random.chance(0.6) ? [[`$setElementOrder/${name}`, order]] : [[`$deleteFromPrimitiveList/${name}`, order]];
}

const mergeKeys = ['name', 'containerPort', 'port', 'mountPath', 'topologyKey', 'ip', 'type', 'uid', 'key'];

function keyOf(item: JsonObject): JsonObject {
  const key = mergeKeys.find((name) => item[name] !== undefined);
  return key === undefined ? {} : { [key]: item[key] ?? null };
}

function withNulls(value: JsonValue, random: Random): JsonValue {
  if (random.chance(0.08)) return null;
  if (Array.isArray(value)) return value.map((item) => withNulls(item, random));
  if (!isObject<JsonObject>(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNulls(member ?? null, random)]));
}

/* JSON patches. */

const values = anyOf(of('x', 1, null, true), list(of('a', 'b')), some({ a: of('x'), name: of('n', 'c') }), all({ port: of(80) }));

function operation(object: JsonObject, random: Random): JsonObject {
  const pointers = [...pointersOf(object)];
  const at = (): string => spoilt(random.pick(pointers), random);
  const op = random.pick(['add', 'add', 'remove', 'replace', 'replace', 'test', 'move', 'copy']);
  if (op === 'remove') return { op, path: at() };
  if (op === 'move' || op === 'copy') return { op, from: at(), path: at() };
  const [pointer, value] = random.pick([...pointersWithValues(object)]);
  return { op, path: spoilt(pointer, random), value: random.chance(0.6) ? value : values(random) };
}

function spoilt(pointer: string, random: Random): string {
  if (random.chance(0.6)) return pointer;
  const more = ['/-', '/0', '/1', '/-1', '/x', '/a~1b', '/a~0', '/00', '/', '/99', '/~'];
  return random.chance(0.3) ? pointer.replace(/\/[^/]*$/, random.pick(more)) : `${pointer}${random.pick(more)}`;
}

const pointersOf = (object: JsonObject): string[] => [...pointersWithValues(object)].map(([pointer]) => pointer);

function* pointersWithValues(value: JsonValue, at = ''): Generator<[string, JsonValue]> {
  if (!isObject<JsonObject>(value) && !Array.isArray(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    yield [pointer, (member as JsonValue | undefined) ?? null];
    yield* pointersWithValues((member as JsonValue | undefined) ?? null, pointer);
  }
}
