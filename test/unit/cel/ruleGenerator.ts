import { seeded } from '../../golden/mutations.js';
import { escapedName } from '../../../cel/rules/names.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';

/**
 * Makes random structural schemas with objects and well-typed rules, reproducible by number. Rules avoid calls that the reference underestimates: equality of
 * values without a size (`self.n == 1`), `startsWith`, and items of computed lists.
 */

type Random = () => number;

export interface GeneratedCase {
  /** The schema of `self`. */
  readonly schema: JsonObject;
  readonly rule: string;
  readonly values: readonly JsonValue[];
}

export function generatedCase(seed: number): GeneratedCase {
  const random = seeded(seed);
  const schema = objectSchema(random, 2);
  const places = placesIn('self', schema, 3);
  const rule = new Expressions(random, places).make('bool', 4);
  return { schema, rule, values: Array.from({ length: 3 }, () => fitting(random, schema)) };
}

const pick = <V>(random: Random, values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
const chance = (random: Random, of: number): boolean => random() < of;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

const fieldNames = ['a', 'b', 'size', 'in', 'a-b', 'x.y', 'has__two', 'if/so', 'all', 'metadata', 'type'];

function schemaOf(random: Random, depth: number): JsonObject {
  const leaves: readonly (() => JsonObject)[] = [
    () => ({ type: 'string', maxLength: 1 + upTo(random, 19) }),
    () => ({ type: 'string', enum: ['x', 'yy', 'zzz'] }),
    () => ({ type: 'string', format: 'date-time' }),
    () => ({ type: 'string', format: 'duration' }),
    () => ({ type: 'integer', minimum: -5, maximum: 5 }),
    () => ({ type: 'number' }),
    () => ({ type: 'boolean' }),
    () => ({ 'x-kubernetes-int-or-string': true, maxLength: 8 }),
  ];
  const nests: readonly (() => JsonObject)[] = [
    () => objectSchema(random, depth - 1),
    () => ({ type: 'array', items: schemaOf(random, depth - 1), maxItems: 1 + upTo(random, 4) }),
    () => ({ type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 4, 'x-kubernetes-list-type': 'set' }),
    () => ({
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string', maxLength: 5 }, v: schemaOf(random, depth - 1) }, required: ['k'] },
      maxItems: 4,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    }),
    () => ({ type: 'object', additionalProperties: schemaOf(random, depth - 1), maxProperties: 1 + upTo(random, 3) }),
  ];
  return pick(random, depth > 0 && chance(random, 0.6) ? nests : leaves)();
}

function objectSchema(random: Random, depth: number): JsonObject {
  const names = [...new Set(Array.from({ length: 1 + upTo(random, 3) }, () => pick(random, fieldNames)))];
  const required = names.filter(() => chance(random, 0.5));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(random, depth)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function fitting(random: Random, schema: JsonObject): JsonValue {
  if (schema['x-kubernetes-int-or-string'] === true) return chance(random, 0.5) ? upTo(random, 9) : pick(random, ['10%', 'max']);
  switch (schema['type']) {
    case 'string':
      return fittingText(random, schema);
    case 'integer':
      return upTo(random, 10) - 5;
    case 'number':
      return pick(random, [0, 1, -2.5, 1e9]);
    case 'boolean':
      return chance(random, 0.5);
    case 'array':
      return fittingList(random, schema);
    default:
      return fittingMembers(random, schema);
  }
}

function fittingText(random: Random, { format, enum: allowed, maxLength }: JsonObject): string {
  if (format === 'date-time') return pick(random, ['2024-02-29T12:00:00Z', '1999-12-31T23:59:59Z']);
  if (format === 'duration') return pick(random, ['1h', '0s', '90m', '250ms']);
  if (Array.isArray(allowed)) return String(pick(random, allowed));
  return Array.from({ length: upTo(random, Number(maxLength)) }, () => pick(random, ['a', 'B', '1', '.', 'é'])).join('');
}

function fittingList(random: Random, schema: JsonObject): JsonValue[] {
  const items = Array.from({ length: upTo(random, Number(schema['maxItems'])) }, () => fitting(random, schema['items'] as JsonObject));
  const type = schema['x-kubernetes-list-type'];
  const identity = (item: JsonValue): JsonValue | undefined => (type === 'map' ? (item as JsonObject)['k'] : item);
  return type === undefined ? items : [...new Map(items.map((item) => [identity(item), item])).values()];
}

function fittingMembers(random: Random, schema: JsonObject): JsonObject {
  const { properties, additionalProperties, required = [], maxProperties } = schema;
  if (additionalProperties !== undefined)
    return Object.fromEntries(
      Array.from({ length: upTo(random, Number(maxProperties)) }, (_, position) => [
        `k${position}`,
        fitting(random, additionalProperties as JsonObject),
      ]),
    );
  return Object.fromEntries(
    Object.entries(properties as JsonObject)
      .filter(([name]) => (required as JsonValue[]).includes(name) || chance(random, 0.7))
      .map(([name, property]) => [name, fitting(random, property as JsonObject)]),
  );
}

/** A type as a unique text, which for structures includes the schema. */
type Kind = string;
const listOf = (kind: Kind): Kind => `list ${kind}`;
const mapOf = (kind: Kind): Kind => `map ${kind}`;
const elementOf = (kind: Kind): Kind => kind.slice(kind.indexOf(' ') + 1);

interface Place {
  readonly text: string;
  readonly kind: Kind;
  /** The presence test of an optional field. */
  readonly guard: string | null;
  readonly schema: JsonObject;
}

const formatKinds: Readonly<Record<string, Kind>> = { 'date-time': 'timestamp', duration: 'duration' };
const typeKinds: Readonly<Record<string, Kind>> = { integer: 'int', number: 'double', boolean: 'bool' };

function kindOf(schema: JsonObject): Kind {
  if (schema['x-kubernetes-int-or-string'] === true) return 'dyn';
  switch (schema['type']) {
    case 'string':
      return formatKinds[String(schema['format'])] ?? 'string';
    case 'array':
      return listOf(kindOf(schema['items'] as JsonObject));
    case 'object':
      return schema['additionalProperties'] === undefined
        ? `object${JSON.stringify(schema)}`
        : mapOf(kindOf(schema['additionalProperties'] as JsonObject));
    default:
      return typeKinds[String(schema['type'])] ?? 'dyn';
  }
}

/** All places that an expression can reach from a value. */
function placesIn(text: string, schema: JsonObject, depth: number, guard: string | null = null): Place[] {
  const own = { text, kind: kindOf(schema), guard, schema };
  const { properties, required = [] } = schema;
  if (depth === 0 || properties === undefined) return [own];
  const below = Object.entries(properties as JsonObject).flatMap(([name, property]) => {
    const field = `${text}.${escapedName(name) ?? name}`;
    const guards = [guard, (required as JsonValue[]).includes(name) ? null : `has(${field})`].filter((each) => each !== null);
    return placesIn(field, property as JsonObject, depth - 1, guards.length === 0 ? null : guards.join(' && '));
  });
  return [own, ...below];
}

/** Makes expressions of a kind; at maximum depth, from places or literals. */
class Expressions {
  readonly #random: Random;
  #places: readonly Place[];
  #variables = 0;

  constructor(random: Random, places: readonly Place[]) {
    this.#random = random;
    this.#places = places;
  }

  make(kind: Kind, depth: number): string {
    const ways = depth <= 0 ? [] : this.#waysTo(kind, depth - 1);
    if (ways.length > 0 && chance(this.#random, 0.8)) return pick(this.#random, ways)();
    return this.#reached(kind) ?? this.#literal(kind, depth);
  }

  /** A place of the kind, or null; optional ones are mostly guarded. */
  #reached(kind: Kind): string | null {
    const places = this.#places.filter((place) => place.kind === kind && (place.guard === null || isSimple(kind)));
    if (places.length === 0) return null;
    const { text, guard } = pick(this.#random, places);
    return guard === null || chance(this.#random, 0.2) ? text : `(${guard} ? ${text} : ${this.#literal(kind, 0)})`;
  }

  #literal(kind: Kind, depth: number): string {
    // An empty list or map has no known element type.
    const element = (): string | null => (isMade(elementOf(kind)) ? this.make(elementOf(kind), depth - 1) : null);
    if (kind.startsWith('list ')) return `[${element() ?? ''}]`;
    if (kind.startsWith('map ')) return isMade(elementOf(kind)) ? `{"k0": ${element() ?? ''}}` : '{}';
    return pick(this.#random, literals[kind] ?? ['1']);
  }

  #waysTo(kind: Kind, depth: number): (() => string)[] {
    const make = (of: Kind): string => this.make(of, depth);
    const conditional = (): string => `(${make('bool')} ? ${make(kind)} : ${make(kind)})`;
    const ways = simpleWays[kind];
    const own = ways === undefined ? [] : ways.map((way) => () => way.replace(/<([a-z]+)>/g, (_, of: string) => make(of)));
    if (kind === 'bool') return [...own, ...this.#comparisons(depth), conditional];
    if (kind === 'int') return [...own, ...this.#sizes(), conditional];
    if (kind.startsWith('list ')) return [...this.#lists(kind, depth), conditional];
    return kind.startsWith('object') || kind === 'dyn' ? [] : [...own, conditional];
  }

  #comparisons(depth: number): (() => string)[] {
    const open = this.#places.filter(({ guard }) => guard === null);
    const compared = open.filter(({ kind }) => kind === 'string');
    const same = (): string => {
      const { text, kind } = pick(this.#random, compared);
      return `${text} ${pick(this.#random, ['==', '!='])} ${this.make(kind, depth)}`;
    };
    const guards = this.#places.flatMap(({ guard }) => (guard === null || guard.includes(' && ') ? [] : [guard]));
    const walked = open.filter(({ kind }) => kind.startsWith('list ') || kind.startsWith('map '));
    return [
      ...(compared.length === 0 ? [] : [() => `(${same()})`]),
      ...guards.map((guard) => () => guard),
      ...walked.flatMap((place) => [() => this.#walk(place, depth), () => this.#contains(place, depth)]),
    ];
  }

  #walk({ text, kind, schema }: Place, depth: number): string {
    const variable = `v${this.#variables++}`;
    const macro = pick(this.#random, ['all', 'exists', 'exists_one']);
    const inner = kind.startsWith('map ') ? { type: 'string', maxLength: 8 } : (schema['items'] as JsonObject);
    return `${text}.${macro}(${variable}, ${this.#within(placesIn(variable, inner, 2), () => this.make('bool', depth))})`;
  }

  #contains({ text, kind }: Place, depth: number): string {
    const wanted = kind.startsWith('map ') ? 'string' : elementOf(kind);
    return wanted.startsWith('object') ? `size(${text}) >= 0` : `(${this.make(wanted, depth)} in ${text})`;
  }

  #sizes(): (() => string)[] {
    return this.#places
      .filter(({ kind, guard }) => guard === null && /^(list|map|string)/.test(kind))
      .map(
        ({ text }) =>
          () =>
            pick(this.#random, [`size(${text})`, `${text}.size()`]),
      );
  }

  #lists(kind: Kind, depth: number): (() => string)[] {
    const variable = `v${this.#variables++}`;
    const place = this.#places.find((each) => each.kind === kind && each.guard === null);
    const joined = (): string => `(${this.make(kind, depth)} + ${this.make(kind, depth)})`;
    if (place === undefined) return [joined];
    const places = placesIn(variable, place.schema['items'] as JsonObject, 2);
    return [
      joined,
      () => `${place.text}.filter(${variable}, ${this.#within(places, () => this.make('bool', depth))})`,
      () => `${place.text}.map(${variable}, ${this.#within(places, () => this.make(elementOf(kind), depth))})`,
    ];
  }

  /** Adds the places of a variable. */
  #within(places: readonly Place[], make: () => string): string {
    const outside = this.#places;
    this.#places = [...places, ...outside];
    const made = make();
    this.#places = outside;
    return made;
  }
}

/** Whether expressions can construct the kind. */
const isMade = (kind: Kind): boolean => isSimple(kind) || kind.startsWith('list ') || kind.startsWith('map ');
const isSimple = (kind: Kind): boolean => literals[kind] !== undefined;

const literals: Readonly<Record<Kind, readonly string[]>> = {
  bool: ['true', 'false'],
  int: ['0', '1', '-3', '1000'],
  double: ['0.5', '-2.0', '1e3'],
  string: ['""', '"a"', '"x.y"', '"é1"'],
  timestamp: ['timestamp("2024-01-01T00:00:00Z")'],
  duration: ['duration("1h30m")'],
  dyn: ['dyn(1)', 'dyn("a")'],
};

/** Templates by kind; angle brackets enclose the kind of a part. */
const simpleWays: Readonly<Record<Kind, readonly string[]>> = {
  bool: [
    '(<bool> && <bool>)',
    '(<bool> || <bool>)',
    '!(<bool>)',
    '(<int> < <int>)',
    '(<double> >= <double>)',
    '(<double> < <int>)',
    '(<string> <= <string>)',
    '<string>.contains(<string>)',
    '<string>.matches("^[a-z]+[.]?(1|B)*$")',
    '(<timestamp> < <timestamp>)',
    '(<duration> > <duration>)',
    '(type(<dyn>) == int)',
    '(<dyn> == <dyn>)',
    '[<int>, <int>].exists(n, n > <int>)',
    'isURL(<string>)',
    'isQuantity(<string>)',
    'ip.isCanonical("10.0.0.1")',
    '["a", <string>].isSorted()',
    'sets.contains([<string>], [<string>])',
  ],
  int: [
    '(<int> + <int>)',
    '(<int> * <int>)',
    '(<int> / <int>)',
    '(<int> % <int>)',
    '(-(<int>))',
    'size(<string>)',
    '<string>.indexOf(<string>)',
    'int(<double>)',
    '<timestamp>.getFullYear()',
    '<duration>.getMinutes()',
    '[<int>, <int>].sum()',
    '[<int>, <int>].max()',
  ],
  double: ['(<double> + <double>)', '(<double> * <double>)', '(<double> / <double>)', 'double(<int>)'],
  string: [
    '(<string> + <string>)',
    '<string>.lowerAscii()',
    '<string>.replace(<string>, <string>)',
    '<string>.trim()',
    '<string>.substring(1)',
    'string(<int>)',
    '[<string>, <string>].join(",")',
    '<string>.split(".").join("-")',
    '"%s-%d".format([<string>, <int>])',
  ],
  timestamp: ['(<timestamp> + <duration>)'],
  duration: ['(<timestamp> - <timestamp>)', '(<duration> + <duration>)'],
};
