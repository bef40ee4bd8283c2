import { reservedWords } from '../reserved.js';
import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { bool, dyn, list, map, object, typeOf, type Type } from '../check/types.js';
import { parseDate, parseDuration, parseTimestamp } from '../eval/clock.js';
import { JsonList, JsonMap, plainView, type View } from '../eval/json.js';
import { Failure, MapValue, type Value } from '../eval/values.js';
import { escapedName } from './names.js';

/** The visible types, sizes and values of a schema's parts. Parts without a known structure are invisible. */
export interface Shape {
  readonly type: Type;
  /** The most elements of a list or map, or characters of a text, in a request; 0 for others. */
  readonly elementsMax: number;
  /** Minimum bytes of a value's JSON in a request. */
  readonly bytesMin: number;
  /** Set for lists and maps. */
  readonly element?: Shape;
  /** The fields of an object, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, Shape>;
  readonly view: View;
}

/** The largest request that the reference accepts. */
export const requestBytesMax = 3 * 1024 * 1024;

const string: Type = typeOf('string');
const int: Type = typeOf('int');
const double: Type = typeOf('double');

type Schema = JsonObject;

const schemaAt = (holder: JsonObject | undefined, member: string): Schema | null => {
  const value = holder !== undefined && Object.hasOwn(holder, member) ? holder[member] : undefined;
  return isObject<JsonObject>(value) ? value : null;
};
const membersOf = (schema: Schema): JsonObject => schemaAt(schema, 'properties') ?? {};
const bound = (value: JsonValue | undefined): number | null =>
  typeof value === 'number' || typeof value === 'bigint' ? Math.max(0, Number(value)) : null;
export const itemsOf = (schema: Schema): Schema | null => schemaAt(schema, 'items');
export const restOf = (schema: Schema): Schema | null => schemaAt(schema, 'additionalProperties');
export const propertiesOf = (schema: Schema): [string, Schema][] =>
  Object.keys(membersOf(schema)).flatMap((name) => {
    const property = schemaAt(membersOf(schema), name);
    return property === null ? [] : [[name, property] as [string, Schema]];
  });

const plainText: Schema = { type: 'string' };
const rootProperties: JsonObject = {
  kind: plainText,
  apiVersion: plainText,
  metadata: { type: 'object', properties: { name: plainText, generateName: plainText } },
};

/** A root object's metadata always has a name, whatever the schema. */
function withMetadata(schema: Schema): Schema {
  const { metadata } = membersOf(schema);
  const known = schemaAt(schemaAt(membersOf(schema), 'metadata') ?? {}, 'properties');
  const keeps = known !== null && known['name'] !== undefined && known['generateName'] !== undefined;
  return { ...schema, properties: { ...membersOf(schema), ...rootProperties, ...(keeps ? { metadata } : {}) } };
}

/** The type of a rule's value. Types of objects within are named by their places, so all differ. */
const selfType = 'selfType';

/** Returns null for invisible parts. `isRoot` marks the root of a custom resource; `name` is its type's. */
export function shapeOf(schema: Schema, isRoot: boolean, name = selfType): Shape | null {
  if (schema['x-kubernetes-int-or-string'] === true) {
    const longest = bound(schema['maxLength']);
    return { type: dyn, elementsMax: longest === null ? requestBytesMax - 2 : longest * 4, bytesMin: 1, view: plainView };
  }
  const seen = isRoot || schema['x-kubernetes-embedded-resource'] === true ? withMetadata(schema) : schema;
  switch (seen['type']) {
    case 'array':
      return listShape(seen, name);
    case 'object':
      return restOf(seen) === null ? objectShape(seen, name) : mapShape(seen, name);
    case 'string':
      return textShape(seen);
    case 'boolean':
      return { type: bool, elementsMax: 0, bytesMin: 4, view: plainView };
    case 'number':
      return {
        type: double,
        elementsMax: 0,
        bytesMin: 1,
        view: (value) => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : plainView(value)),
      };
    case 'integer':
      return { type: int, elementsMax: 0, bytesMin: 1, view: wholeView };
    default:
      return null;
  }
}

/** A whole number in any notation. */
const wholeView: View = (value) => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  return typeof value === 'bigint' ? value : plainView(value);
};

const none: Value = new Failure('invalid data, got null for schema with nullable=false');

function listShape(schema: Schema, name: string): Shape | null {
  const items = itemsOf(schema);
  const element = items === null ? null : shapeOf(items, false, `${name}.@idx`);
  if (element === null) return null;
  const elementsMax = bound(schema['maxItems']) ?? Math.floor((requestBytesMax - 2) / (element.bytesMin + 1));
  const keys = schema['x-kubernetes-list-map-keys'];
  const order =
    schema['x-kubernetes-list-type'] === 'set'
      ? ('set' as const)
      : schema['x-kubernetes-list-type'] === 'map' && Array.isArray(keys)
        ? keys.map(String)
        : ('ordered' as const);
  return {
    type: list(element.type),
    elementsMax,
    bytesMin: 2,
    element,
    view: (value) => (Array.isArray(value) ? new JsonList(value, element.view, order) : value === null ? none : plainView(value)),
  };
}

function mapShape(schema: Schema, name: string): Shape | null {
  const rest = restOf(schema);
  const element = rest === null ? null : shapeOf(rest, false, `${name}.@elem`);
  if (element === null) return null;
  const elementsMax = bound(schema['maxProperties']) ?? Math.floor((requestBytesMax - 2) / (element.bytesMin + 6));
  return {
    type: map(string, element.type),
    elementsMax,
    bytesMin: 2,
    element,
    view: (value) => (isObject<JsonObject>(value) ? new JsonMap(value, element.view) : value === null ? none : plainView(value)),
  };
}

function objectShape(schema: Schema, typeName: string): Shape {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = new Map<string, Shape>();
  const views = new Map<string, { readonly name: string; readonly view: View }>();
  let bytesMin = 2;
  for (const [name, property] of propertiesOf(schema)) {
    const escaped = escapedName(name);
    const shape = shapeOf(property, false, `${typeName}.${escaped ?? name}`);
    if (shape === null) continue;
    if (escaped !== null) {
      fields.set(escaped, shape);
      views.set(escaped, { name, view: property['nullable'] === true ? nullable(shape.view) : shape.view });
    }
    if (required.includes(name) && property['default'] === undefined) bytesMin += name.length + shape.bytesMin + 4;
  }
  return {
    type: object(typeName, Object.fromEntries([...fields].map(([name, { type }]) => [name, type]))),
    elementsMax: 0,
    bytesMin,
    fields,
    view: (value) => (isObject<JsonObject>(value) ? new ObjectView(value, views) : value === null ? none : plainView(value)),
  };
}

const nullable =
  (view: View): View =>
  (value) =>
    value === null ? null : view(value);
/** An object with its schema's fields, without null members. */
class ObjectView extends MapValue {
  readonly #members: JsonObject;
  readonly #views: ReadonlyMap<string, { readonly name: string; readonly view: View }>;
  readonly #known = new Map<string, Value>();
  constructor(members: JsonObject, views: ReadonlyMap<string, { readonly name: string; readonly view: View }>) {
    super();
    this.#members = members;
    this.#views = views;
  }

  get size(): number {
    return [...this.keys()].length;
  }
  *keys(): Iterable<Value> {
    for (const [field, { name }] of this.#views) if (this.#has(name)) yield field;
  }

  #has(name: string): boolean {
    return Object.hasOwn(this.#members, name) && this.#members[name] !== undefined && this.#members[name] !== null;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const field = this.#views.get(key) ?? (reservedWords.has(key) ? this.#views.get(`__${key}__`) : undefined);
    if (field === undefined || !this.#has(field.name)) return undefined;
    const value = field.view(this.#members[field.name] ?? null);
    this.#known.set(key, value);
    return value;
  }
}

interface TextFormat {
  readonly type: string;
  readonly charactersMax: number;
  readonly bytesMin: number;
  readonly read: (text: string) => Value | null;
}

const formats: Readonly<Record<string, TextFormat>> = {
  byte: { type: 'bytes', charactersMax: requestBytesMax - 2, bytesMin: 2, read: (text) => new Uint8Array(Buffer.from(text, 'base64')) },
  duration: { type: 'google.protobuf.Duration', charactersMax: 32, bytesMin: 3, read: parseDuration },
  date: { type: 'google.protobuf.Timestamp', charactersMax: 12, bytesMin: 12, read: parseDate },
  'date-time': { type: 'google.protobuf.Timestamp', charactersMax: 32, bytesMin: 21, read: parseTimestamp },
};

function textShape(schema: Schema): Shape {
  const name = typeof schema['format'] === 'string' ? schema['format'] : '';
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  const longest = bound(schema['maxLength']);
  if (format === undefined)
    return { type: string, elementsMax: longest === null ? longestOf(schema) : longest * 4, bytesMin: 2, view: textView };
  const elementsMax = name === 'byte' && longest !== null ? longest : format.charactersMax;
  return {
    type: typeOf(format.type),
    elementsMax,
    bytesMin: format.bytesMin,
    view: (value) =>
      typeof value === 'string'
        ? (format.read(value) ?? new Failure(`Invalid ${name} format: ${value}`))
        : value === null
          ? none
          : plainView(value),
  };
}

const textView: View = (value) => (value === null ? none : plainView(value));

function longestOf(schema: Schema): number {
  const values = schema['enum'];
  if (!Array.isArray(values) || values.length === 0) return requestBytesMax - 2;
  return Math.max(...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
}
