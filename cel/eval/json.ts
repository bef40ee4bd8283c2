import type { JsonObject, JsonValue } from '../../api/object.js';
import { unescapedName } from '../rules/names.js';
import { durationText, timestampText } from './clock.js';
import { Duration, ListValue, MapValue, Optional, Timestamp, typeNameOf, TypeValue, UInt, type Value } from './values.js';

/**
 * JSON as values of expressions. Nothing is copied: parts become values on access. The schema determines a part's type (an integer, a time), or the JSON
 * itself without one.
 */
export type View = (value: JsonValue) => Value;

/** Whole numbers are integers without a schema, others doubles. */
export const plainView: View = (value) => {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? new JsonList(value, plainView) : new JsonMap(value, plainView);
};

export class JsonList extends ListValue {
  readonly #view: View;
  readonly #known: (Value | undefined)[] = [];

  constructor(
    readonly items: readonly JsonValue[],
    view: View,
    override readonly order: ListValue['order'] = 'ordered',
  ) {
    super();
    this.#view = view;
  }

  get length(): number {
    return this.items.length;
  }
  at(position: number): Value {
    return (this.#known[position] ??= this.#view(this.items[position] ?? null));
  }
}

export class JsonMap extends MapValue {
  readonly #view: View;
  readonly #known = new Map<string, Value>();
  #names: readonly string[] | null = null;

  constructor(
    readonly members: JsonObject,
    view: View,
  ) {
    super();
    this.#view = view;
  }

  get size(): number {
    return this.#list().length;
  }
  keys(): Iterable<Value> {
    return this.#list();
  }

  #list(): readonly string[] {
    return (this.#names ??= Object.keys(this.members).filter((name) => this.members[name] !== undefined));
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.members, key)) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const member = this.members[key];
    if (member === undefined) return undefined;
    const value = this.#view(member);
    this.#known.set(key, value);
    return value;
  }
}

/** Claims of tokens: each number is a double, and expressions may name members by escaped names (token/oidc/oidc.go). */
export const claimsView: View = (value) => {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? new JsonList(value, claimsView) : new EscapedMap(value, claimsView);
};

class EscapedMap extends JsonMap {
  override get(key: Value): Value | undefined {
    return super.get(typeof key === 'string' && key.includes('__') ? unescapedName(key) : key);
  }
}

/** Limits for conversion to JSON: few additions make lists that no memory holds. */
const depthMax = 100;
const valuesMax = 1_000_000;
const charactersMax = 8 * 1024 * 1024;

/** Throws TypeError for values without JSON, such as times, and too large ones. */
export const toJson = (value: Value): JsonValue => asJson(value, place(plain));

/** Converts like cel-go to google.protobuf.Value: times, durations, bytes, and integers beyond a double become texts. */
export const toProtocolJson = (value: Value): JsonValue => asJson(value, place(protocol));

interface Conversion {
  readonly unwrapped: (value: Value) => Value;
  /** The form of a value that has one; undefined otherwise. */
  readonly scalar: (value: Value) => JsonValue | undefined;
  readonly key: (key: Value) => string;
  readonly refusal: (value: Value) => string;
}

const plain: Conversion = {
  unwrapped: (value) => value,
  scalar: () => undefined,
  key: (key) => (key instanceof UInt ? String(key.value) : String(key)),
  refusal: () => 'the expression yields a value that is neither text, number, bool, list nor map',
};

/** The errors of cel-go leave this out. */
const libraryPrefix = /^(?:net|kubernetes)\.(?:Named)?(?=\w+$)/;

const protocol: Conversion = {
  unwrapped: (value) => (value instanceof Optional && value.value !== undefined ? value.value : value),
  scalar(value) {
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value);
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    const whole = value instanceof UInt ? value.value : value;
    return typeof whole === 'bigint' && !Number.isSafeInteger(Number(whole)) ? String(whole) : undefined;
  },
  key(key) {
    if (typeof key === 'string') return key;
    const type = typeNameOf(key);
    throw new TypeError(
      type === 'bool' ? "type conversion error from bool to 'string'" : `unsupported type conversion from '${type}' to string`,
    );
  },
  refusal(value) {
    if (value instanceof Optional) return 'optional.none() dereference';
    if (value instanceof TypeValue) return "type conversion not supported for 'type'";
    return `type conversion error from '${typeNameOf(value).replace(libraryPrefix, '')}' to '*structpb.Value'`;
  },
};

interface Place {
  readonly depth: number;
  readonly conversion: Conversion;
  readonly left: { values: number; characters: number };
}

const place = (conversion: Conversion): Place => ({ depth: 0, conversion, left: { values: valuesMax, characters: charactersMax } });

function asJson(given: Value, { depth, left, conversion }: Place): JsonValue {
  const value = conversion.unwrapped(given);
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (depth > depthMax || left.values < 0 || left.characters < 0) throw new TypeError('the expression yields a value that is too large');
  const own = conversion.scalar(value);
  if (own !== undefined) return own;
  const below: Place = { depth: depth + 1, left, conversion };
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (value instanceof UInt) return asJson(value.value, below);
  if (value instanceof ListValue) return listAsJson(value, below);
  if (value instanceof MapValue)
    return Object.fromEntries([...value.keys()].map((key) => [conversion.key(key), asJson(value.get(key) ?? null, below)]));
  throw new TypeError(conversion.refusal(value));
}

function listAsJson(list: ListValue, below: Place): JsonValue[] {
  const made: JsonValue[] = [];
  for (let i = 0; i < list.length; i++) made.push(asJson(list.at(i), below));
  return made;
}
