import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import { collection, defined, definition, widget } from '../definitions.js';
import type { Random } from '../random.js';

/** Generated structural schemas, valid and invalid, with objects. */
export const customResources: Area = {
  name: 'customResources',
  about: 'definitions with generated schemas, columns and subresources, valid and not, and objects of them that fit more or less',
  generate: (random) => (random.chance(0.4) ? definitions(random) : random.chance(0.25) ? changedSchema(random) : objects(random)),
};

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Definitions with one fault each. */
const definitions = (random: Random): Sequence => ({
  steps: random.upTo(4, (): Step => ({ do: `POST ${definitionsPath}?dryRun=All`, body: generated(random, 0.06) })),
});

/** Creates, changes and reads objects of a definition. */
function objects(random: Random): Sequence {
  const schema = rootSchema(random, 0);
  const second = random.chance(0.3) ? [{ name: 'v2', schema: rootSchema(random, 0) }] : [];
  const body = definition([{ name: 'v1', schema, more: further(random, 0) }, ...second]);
  const object = (): JsonObject => widget(fitting(schema, random, 0) as JsonObject);
  const step = (): Step => {
    const way = random.below(15);
    const query = random.pick(['', '?fieldValidation=Strict', '?fieldValidation=Warn', '?dryRun=All', '?fieldValidation=Ignore']);
    if (way < 3) return { do: `PUT ${collection()}/a${query}`, body: object() };
    if (way < 4) return { do: `POST ${collection()}${query}`, body: { ...object(), metadata: { name: 'b' } } };
    if (way < 6) return { do: `PATCH ${collection()}/a${query}`, type: 'application/merge-patch+json', body: withoutNames(object()) };
    if (way < 7) return { do: `PUT ${collection()}/a/status`, body: object() };
    if (way < 8) return { do: `GET ${collection()}/a/scale` };
    if (way < 9)
      return {
        do: `PATCH ${collection()}/a/scale`,
        type: 'application/merge-patch+json',
        body: { spec: { replicas: random.pick([0, 1, -1, null]) } },
      };
    if (way < 10)
      return {
        do: `GET ${collection()}?fieldSelector=${random.pick(['spec.a=x', 'spec.b!=1', 'metadata.name=a', 'status.a=x', 'spec.c=true'])}`,
      };
    if (way < 11 && second.length > 0) return { do: `GET ${collection('v2')}/a` };
    if (way < 12) return { do: `GET ${collection()}`, accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json' };
    return odd(random);
  };
  return { steps: [...defined(body), { do: `POST ${collection()}`, body: object() }, ...random.times(5, step)] };
}

/** Subresources, methods and formats that a custom resource may lack. */
function odd(random: Random): Step {
  const at = `${collection()}/a`;
  const body = widget({});
  return random.pick<Step>([
    { do: `GET ${at}/${random.pick(['status', 'absent', 'scale'])}` },
    { do: `POST ${at}`, body },
    { do: `POST ${at}/status`, body },
    { do: `PUT ${collection()}`, body },
    { do: `DELETE ${at}/${random.pick(['status', 'scale'])}` },
    { do: `PATCH ${at}`, type: random.pick(['application/strategic-merge-patch+json', 'text/plain', 'application/json']), body: {} },
    { do: `POST ${collection()}?dryRun=All`, type: random.pick(['text/plain', 'application/vnd.kubernetes.protobuf']), raw: '{}' },
    {
      do: `GET ${at}`,
      accept: random.pick(['text/html', 'application/vnd.kubernetes.protobuf', 'application/yaml', 'application/json;as=Table']),
    },
    { do: `GET ${collection()}?labelSelector=${random.pick(['a=', '!!', 'a%20in%20(b)', 'a,b'])}` },
    { do: `GET ${collection()}/${random.pick(['absent', 'A_', 'a%2Fb'])}` },
    { do: `GET ${collection('v9')}` },
    { do: `DELETE ${at}?dryRun=All`, body: { preconditions: { uid: 'x' } } },
  ]);
}

/** An object that an earlier schema accepted: unchanged errors only give warnings. */
function changedSchema(random: Random): Sequence {
  const first = rootSchema(random, 0);
  const second = rootSchema(random, 0);
  const member = (): JsonValue => fitting(random.pick([first, second]), random, 0);
  const put = `PUT ${definitionsPath}/widgets.\${r}.example.com`;
  const loose: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = (schema: JsonObject, resourceVersion: JsonObject = {}): JsonObject => {
    const body = definition([{ name: 'v1', schema }]);
    return { ...body, metadata: { ...(body['metadata'] as JsonObject), ...resourceVersion } };
  };
  const change: Step = { do: `${put}`, body: version(second, { resourceVersion: '${version}' }) };
  const object = widget(member() as JsonObject);
  return {
    steps: [
      ...defined(version(random.chance(0.5) ? loose : first)),
      { do: `POST ${collection()}`, body: object },
      { do: `GET ${definitionsPath}/widgets.\${r}.example.com`, save: { version: '/metadata/resourceVersion' }, keep: ['/spec/group'] },
      change,
      // Both servers need a moment to serve a new schema.
      { wait: 1500 },
      { do: `GET ${collection()}/a` },
      { do: `PUT ${collection()}/a`, body: { ...object, metadata: { name: 'a', labels: { changed: 'yes' } } } },
      ...random.times(3, (): Step => ({
        do: `PATCH ${collection()}/a`,
        type: 'application/merge-patch+json',
        body: withoutNames(widget(member() as JsonObject)),
      })),
    ],
  };
}

function withoutNames({ apiVersion: _, kind: __, metadata: ___, ...rest }: JsonObject): JsonObject {
  return rest;
}

/* Definitions. */

function generated(random: Random, fault: number): JsonObject {
  const versions = random.upTo(2, (index) => ({ name: `v${index + 1}`, schema: rootSchema(random, fault), more: further(random, fault) }));
  const body = definition(versions, random.chance(fault) ? random.pick(specFaults) : {});
  return body;
}

const specFaults: readonly JsonObject[] = [
  { scope: 'x' },
  { group: 'x' },
  { preserveUnknownFields: true },
  { conversion: { strategy: 'Webhook' } },
  { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } },
  { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v9'], clientConfig: { url: 'http://x' } } } },
  { names: { plural: 'Widgets', kind: 'widget', shortNames: ['A', 'widgets'], categories: ['all', 'B!'] } },
  { names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget', singular: 'a b' } },
];

function further(random: Random, fault: number): JsonObject {
  const made: [string, JsonValue][] = [];
  if (random.chance(0.4)) made.push(['additionalPrinterColumns', random.upTo(3, (index) => column(random, index, fault))]);
  if (random.chance(0.25))
    made.push([
      'selectableFields',
      random.upTo(2, () => ({ jsonPath: random.pick(['.spec.a', '.spec.b', '.spec.c', ...(random.chance(3 * fault) ? oddPaths : [])]) })),
    ]);
  if (random.chance(0.4)) made.push(['subresources', subresources(random, fault)]);
  if (random.chance(0.1)) made.push(['deprecated', true]);
  if (random.chance(0.1)) made.push(['deprecationWarning', random.pick(['old', '', 'x'.repeat(300), 'a\nb'])]);
  if (random.chance(fault))
    made.push(
      random.pick<[string, JsonValue]>([
        ['served', false],
        ['storage', false],
        ['name', 'V1'],
        ['storage', true],
      ]),
    );
  return Object.fromEntries(made);
}

const oddPaths: readonly string[] = [
  '',
  'spec.a',
  '.spec',
  '.spec.list[0]',
  '.metadata.name',
  '.spec.none',
  '.spec.a.b',
  '.spec["a"]',
  '.status.a',
  '..a',
  '.',
  '.spec.a[',
  '{.spec.a}',
];

const column = (random: Random, index: number, fault: number): JsonObject => ({
  name: random.chance(fault) ? random.pick(['', 'C0']) : `C${index}`,
  type: random.pick(['string', 'integer', 'number', 'boolean', 'date', ...(random.chance(fault) ? ['x', ''] : [])]),
  jsonPath: random.pick([
    '.spec.a',
    '.spec.b',
    '.spec.c',
    '.spec.d',
    '.status.a',
    '.metadata.creationTimestamp',
    '.metadata.name',
    '.spec.*',
    '.spec.list[0]',
    '.spec.list[*].a',
    ...(random.chance(fault) ? oddPaths : []),
  ]),
  ...(random.chance(0.3) ? { priority: random.pick([0, 1, -1]) } : {}),
  ...(random.chance(0.3)
    ? { format: random.pick(['int32', 'int64', 'date-time', 'byte', 'password', 'float', ...(random.chance(fault) ? ['x'] : [])]) }
    : {}),
});

const subresources = (random: Random, fault: number): JsonObject => ({
  ...(random.chance(0.8) ? { status: {} } : {}),
  ...(random.chance(0.5)
    ? {
        scale: {
          specReplicasPath: random.chance(fault) ? random.pick(oddPaths) : '.spec.b',
          statusReplicasPath: random.chance(fault) ? random.pick(oddPaths) : '.status.b',
          ...(random.chance(0.4) ? { labelSelectorPath: random.chance(fault) ? random.pick(oddPaths) : '.status.a' } : {}),
        },
      }
    : {}),
});

/* Schemas. `fault` is how likely each part of one is wrong. */

const names = ['a', 'b', 'c', 'd', 'list', 'map', 'sub'];

function rootSchema(random: Random, fault: number): JsonObject {
  const spec = objectSchema(random, fault, 1);
  return {
    type: random.chance(fault / 4) ? random.pick(['array', 'string', '']) : 'object',
    properties: {
      spec,
      ...(random.chance(0.6) ? { status: objectSchema(random, fault, 2) } : {}),
      ...(random.chance(0.1) ? { [random.pick(names)]: schemaOf(random, fault, 2) } : {}),
      ...(random.chance(fault) ? random.pick(metadataSchemas) : {}),
    },
    ...(random.chance(0.2) ? { required: [random.pick(['spec', 'status', 'other'])] } : {}),
    ...(random.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(random.chance(fault) ? random.pick(oddities) : {}),
  };
}

const metadataSchemas: readonly JsonObject[] = [
  { metadata: { type: 'object' } },
  { metadata: { type: 'object', properties: { name: { type: 'string', pattern: '^a' } } } },
  { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
  { metadata: { type: 'string' } },
  { apiVersion: { type: 'integer' } },
  { kind: { type: 'string', enum: ['x'] } },
];

const depthMax = 3;

function schemaOf(random: Random, fault: number, depth: number): JsonObject {
  const way = depth > depthMax ? random.below(8) : random.below(14);
  const schema = makers[way]?.(random, fault, depth) ?? objectSchema(random, fault, depth);
  return { ...schema, ...common(schema, random, fault, depth) };
}

type SchemaMake = (random: Random, fault: number, depth: number) => JsonObject;

const stringSchema: SchemaMake = (random, fault) => ({
  type: 'string',
  ...optional(random, 0.25, { minLength: random.pick([0, 1, 3]) }),
  ...optional(random, 0.25, { maxLength: random.pick([1, 3, 10]) }),
  ...optional(random, 0.2, {
    pattern: random.pick(['^[a-z]+$', '\\d', 'x|y', '^\\p{L}$', ...(random.chance(fault) ? ['[', '(?=a)', '*'] : [])]),
  }),
  ...optional(random, 0.3, { format: random.pick(formats) }),
  ...optional(random, 0.15, { enum: random.pick<JsonValue[]>([['x', 'y'], ['x'], ['', '1'], ['x', 'x']]) }),
});

const formats = [
  ...[
    'date',
    'date-time',
    'byte',
    'uuid',
    'uuid4',
    'ipv4',
    'ipv6',
    'cidr',
    'mac',
    'duration',
    'hostname',
    'email',
    'uri',
    'password',
    'int32',
    'bogus',
  ],
  ...['k8s-short-name', 'k8s-long-name', 'datetime', 'isbn', 'creditcard', 'hexcolor', 'rgbcolor', 'ssn', 'bsonobjectid'],
];

const numberSchema =
  (type: string): SchemaMake =>
  (random) => ({
    type,
    ...optional(random, 0.25, { minimum: random.pick([0, 1, -1.5, 9007199254740992]) }),
    ...optional(random, 0.25, { maximum: random.pick([1, 10, 2.5, 9007199254740992]) }),
    ...optional(random, 0.1, { exclusiveMinimum: true }),
    ...optional(random, 0.1, { exclusiveMaximum: random.chance(0.5) }),
    ...optional(random, 0.15, { multipleOf: random.pick([2, 0.5, 3]) }),
    ...optional(random, 0.3, { format: random.pick(['int32', 'int64', 'float', 'double', 'bogus']) }),
    ...optional(random, 0.1, { enum: random.pick<JsonValue[]>([[1, 2], [1.5], [0]]) }),
  });

const listSchema: SchemaMake = (random, fault, depth) => {
  const keyed = random.chance(0.3);
  const items = keyed ? keyedItem(random, fault, depth) : schemaOf(random, fault, depth + 1);
  return {
    type: 'array',
    ...(random.chance(fault) ? {} : { items }),
    ...optional(random, 0.2, { minItems: random.pick([0, 1, 2]) }),
    ...optional(random, 0.2, { maxItems: random.pick([1, 2, 5]) }),
    ...(keyed
      ? {
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': random.chance(fault) ? random.pick<JsonValue>([[], ['none'], ['k', 'k'], ['sub']]) : ['k'],
        }
      : optional(random, 0.3, {
          'x-kubernetes-list-type': isScalar(items) || random.chance(fault) ? random.pick(['set', 'atomic']) : 'atomic',
        })),
  };
};

const isScalar = ({ type }: JsonObject): boolean => ['string', 'integer', 'number', 'boolean'].includes(String(type));

const keyedItem = (random: Random, fault: number, depth: number): JsonObject => ({
  type: 'object',
  ...(random.chance(fault) ? {} : { required: ['k'] }),
  properties: { k: { type: random.pick(['string', 'integer']) }, a: schemaOf(random, fault, depth + 1) },
});

function objectSchema(random: Random, fault: number, depth: number): JsonObject {
  const chosen = names.filter(() => random.chance(depth === 1 ? 0.5 : 0.35));
  return {
    type: 'object',
    properties: Object.fromEntries(chosen.map((name) => [name, schemaOf(random, fault, depth + 1)])),
    ...optional(random, 0.2, { required: random.pick<JsonValue[]>([['a'], ['a', 'b'], ['sub'], ['z']]) }),
    ...optional(random, 0.1, { minProperties: random.pick([1, 2]) }),
    ...optional(random, 0.1, { maxProperties: random.pick([1, 2]) }),
    ...optional(random, 0.12, { 'x-kubernetes-preserve-unknown-fields': true }),
    ...optional(random, 0.06, { 'x-kubernetes-map-type': random.pick(['atomic', 'granular']) }),
  };
}

const mapSchema: SchemaMake = (random, fault, depth) => ({
  type: 'object',
  additionalProperties: random.chance(0.1) ? random.chance(0.7) : schemaOf(random, fault, depth + 1),
  ...(random.chance(fault) ? { properties: { a: { type: 'string' } } } : {}),
  ...optional(random, 0.15, { minProperties: 1 }),
  ...optional(random, 0.15, { maxProperties: 1 }),
});

const embedded: SchemaMake = (random) => ({
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  ...(random.chance(0.6) ? { 'x-kubernetes-preserve-unknown-fields': true } : { properties: { spec: { type: 'string' } } }),
});

const intOrString: SchemaMake = (random) => ({
  'x-kubernetes-int-or-string': true,
  ...optional(random, 0.3, { anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  ...optional(random, 0.2, { pattern: '^[0-9]+%?$' }),
  ...optional(random, 0.2, { maximum: 10 }),
});

const makers: readonly SchemaMake[] = [
  ...[stringSchema, stringSchema, numberSchema('integer'), numberSchema('integer'), numberSchema('number')],
  ...[(): JsonObject => ({ type: 'boolean' }), intOrString, (): JsonObject => ({ 'x-kubernetes-preserve-unknown-fields': true })],
  ...[listSchema, listSchema, mapSchema, embedded],
];

/** Members of any schema, valid or not. */
function common(schema: JsonObject, random: Random, fault: number, depth: number): JsonObject {
  const value = (): JsonValue => fitting(schema, random, depth);
  return {
    ...optional(random, 0.12, { nullable: true }),
    ...optional(random, 0.15, { default: random.chance(0.9 - fault) ? value() : random.pick(oddValues) }),
    ...optional(random, 0.05, { description: 'd', title: 't', example: value() }),
    ...optional(random, 0.1, junctor(random, schema, fault)),
    ...(random.chance(fault) ? random.pick(oddities) : {}),
  };
}

function junctor(random: Random, schema: JsonObject, fault: number): JsonObject {
  const part = (): JsonObject => {
    const parts: readonly JsonObject[] =
      schema['type'] === 'object'
        ? [{ required: ['a'] }, { minProperties: 1 }, { properties: { a: { minLength: 2 } } }, { not: { required: ['b'] } }]
        : [{ maxLength: 2 }, { minimum: 1 }, { enum: ['x', 1] }, { maxItems: 1 }, { not: { maximum: 5 } }, { pattern: 'x' }];
    return random.chance(fault)
      ? random.pick<JsonObject>([{ type: 'string' }, { default: 'x' }, { properties: { none: {} } }, { nullable: true }])
      : random.pick(parts);
  };
  const name = random.pick(['allOf', 'anyOf', 'oneOf', 'not']);
  return { [name]: name === 'not' ? part() : random.upTo(2, part) };
}

/** Mostly wrong parts. */
const oddities: readonly JsonObject[] = [
  { type: '' },
  { type: 'x' },
  { type: ['string'] },
  { $ref: '#/a' },
  { uniqueItems: true },
  { additionalProperties: false },
  { additionalItems: true },
  { patternProperties: { a: { type: 'string' } } },
  { dependencies: { a: ['b'] } },
  { definitions: { a: { type: 'string' } } },
  { id: 'x' },
  { nullable: true, enum: ['x'] },
  { 'x-kubernetes-int-or-string': true },
  { 'x-kubernetes-embedded-resource': true },
  { 'x-kubernetes-preserve-unknown-fields': false },
  { 'x-kubernetes-list-type': 'x' },
  { 'x-kubernetes-list-type': 'map' },
  { 'x-kubernetes-list-map-keys': ['a'] },
  { 'x-kubernetes-map-type': 'x' },
  { items: { type: 'string' } },
  { items: [{ type: 'string' }] },
  { properties: { a: {} } },
  { minimum: 'x' },
  { maxLength: -1 },
  { enum: [] },
  { multipleOf: 0 },
  { pattern: '[' },
  { default: null },
  { required: ['a', 'a'] },
];

const optional = (random: Random, probability: number, members: JsonObject): JsonObject => (random.chance(probability) ? members : {});

/* Objects. */

const oddValues: readonly JsonValue[] = [
  '',
  'x',
  0,
  -1,
  1.5,
  true,
  null,
  [],
  {},
  [null],
  { a: null },
  '1',
  9007199254740992,
  1e21,
  ['x', 'x'],
];

/** A value that is valid for a schema, most of the time. */
function fitting(schema: JsonObject, random: Random, depth: number): JsonValue {
  if (depth > 0 && random.chance(0.06)) return random.pick(oddValues);
  const { type, enum: choices } = schema;
  if (Array.isArray(choices) && choices.length > 0 && random.chance(0.8)) return random.pick(choices);
  if (schema['x-kubernetes-int-or-string'] === true) return random.pick<JsonValue>([1, '1', '50%', 'x', 20]);
  if (schema['x-kubernetes-embedded-resource'] === true) return random.pick(embeddedValues);
  if (type === 'array') return listValue(schema, random, depth);
  if (type === 'object') return objectValue(schema, random, depth);
  if (type === 'string' && typeof schema['format'] === 'string') return random.pick([...(formatted[schema['format']] ?? ['x']), 'x', '']);
  return random.pick(scalars[String(type)] ?? oddValues);
}

const embeddedValues: readonly JsonValue[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, spec: 'y', other: 1 },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: '', metadata: { name: 'X!' } },
  { kind: 'x', metadata: { labels: { 'a b': 1 } } },
  { apiVersion: 'a/b/c', kind: 'a b', metadata: { unknown: 1, creationTimestamp: null } },
  {},
];

const scalars: Readonly<Record<string, readonly JsonValue[]>> = {
  string: ['', 'x', 'y', 'xyz', 'é', 'A1', 'abcdefghijkl', '12'],
  integer: [0, 1, -1, 2, 10, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 53 - 1, 1.5, 1e3, 2 ** 63, 3],
  number: [0, 1, -1, 1.5, 2, 0.1, 1e21, 2 ** 53, 1e-7, 3],
  boolean: [true, false],
};

const formatted: Readonly<Record<string, readonly string[]>> = {
  date: ['2020-01-01', '2020-13-01', '20-1-1'],
  'date-time': ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.5+01:00', '2020-01-01', '2020-01-01t00:00:00z', '2020-01-01 00:00:00Z'],
  datetime: ['2020-01-01T00:00:00Z'],
  byte: ['eA==', 'eA', '!'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
  uuid4: ['123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
  ipv4: ['1.2.3.4', '01.2.3.4', '::1', '1.2.3'],
  ipv6: ['::1', '1.2.3.4', '::ffff:1.2.3.4', 'fe80::1%eth0'],
  cidr: ['10.0.0.0/8', '10.0.0.1', '::/0', '10.0.0.1/33'],
  mac: ['00:11:22:33:44:55', '0011.2233.4455', '00-11-22-33-44-55-66-77'],
  duration: ['1h', '1.5s', '1 day', '3 w', '1d', '-1s', '10'],
  hostname: ['a.b', 'a_b', '-a', 'a.', '1.2'],
  email: ['a@b.c', 'a@b', 'A <a@b.c>', '@'],
  uri: ['http://x', '/x', 'x', 'a:b', 'http://[::1', '#a'],
  'k8s-short-name': ['a-b', 'A', 'x'.repeat(64)],
  'k8s-long-name': ['a.b', 'A', 'a..b'],
  isbn: ['0306406152', '9780306406157', '1'],
  creditcard: ['4111111111111111', '4111 1111 1111 1111', '1'],
  hexcolor: ['#fff', 'fff', '#ff'],
  rgbcolor: ['rgb(1,2,3)', 'rgb(300,0,0)', 'rgb(1%,2%,3%)'],
  ssn: ['123-45-6789', '123456789'],
  bsonobjectid: ['507f1f77bcf86cd799439011', '507f'],
};

function listValue({ items }: JsonObject, random: Random, depth: number): JsonValue {
  if (!isObject<JsonObject>(items) || depth > 2 * depthMax) return [];
  return random.times(random.below(4), () => fitting(items, random, depth + 1));
}

function objectValue(schema: JsonObject, random: Random, depth: number): JsonObject {
  const { properties, additionalProperties: values, required } = schema;
  const needed = Array.isArray(required) ? required : [];
  const known = isObject<Record<string, JsonObject>>(properties) ? Object.entries(properties) : [];
  const chosen = known.filter(([name]) => random.chance(needed.includes(name) || depth === 0 ? 0.95 : 0.65));
  const map = isObject<JsonObject>(values)
    ? ['a', 'b', 'x y'].filter(() => random.chance(0.4)).map((name): [string, JsonObject] => [name, values])
    : [];
  return {
    ...Object.fromEntries([...chosen, ...map].map(([name, below]) => [name, fitting(below, random, depth + 1)])),
    ...(random.chance(0.15) ? { unknown: random.pick(oddValues) } : {}),
  };
}
