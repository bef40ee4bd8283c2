import type { JsonObject, JsonValue } from '../../api/object.js';
import { durationText, timestampText } from './clock.js';
import { Duration, ListValue, MapValue, Timestamp, UInt, type Value } from './values.js';

/**
 * JSON as expressions see it. Nothing is copied: parts of an object become values on access. The schema determines the type of a part (an integer, a time), or
 * the JSON itself where there is none.
 */
export type View = (value: JsonValue) => Value;

/** Whole numbers are integers where there is no schema, others doubles. */
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

/** A map whose values share one view. */
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

/** Deeper and larger values are not converted to JSON: few additions make lists that no memory holds. */
const depthMax = 100;
const valuesMax = 1_000_000;
const charactersMax = 8 * 1024 * 1024;

/** Throws TypeError for values without JSON, such as a time, and for those that are too large. */
export const toJson = (value: Value): JsonValue => asJson(value, { ...root(), scalar: () => undefined });

/** The same as Protocol Buffers write JSON: times, durations and bytes are texts, and so are whole numbers that a double does not hold. */
export const toProtocolJson = (value: Value): JsonValue => asJson(value, { ...root(), scalar: protocolScalar });

const root = (): Omit<Place, 'scalar'> => ({ depth: 0, left: { values: valuesMax, characters: charactersMax } });

function protocolScalar(value: Value): JsonValue | undefined {
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  const whole = value instanceof UInt ? value.value : value;
  return typeof whole === 'bigint' && !Number.isSafeInteger(Number(whole)) ? String(whole) : undefined;
}

interface Place {
  readonly depth: number;
  /** The form of a value that has one of its own; undefined for others. */
  readonly scalar: (value: Value) => JsonValue | undefined;
  readonly left: { values: number; characters: number };
}

function asJson(value: Value, { depth, left, scalar }: Place): JsonValue {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (depth > depthMax || left.values < 0 || left.characters < 0) throw new TypeError('the expression yields a value that is too large');
  const own = scalar(value);
  if (own !== undefined) return own;
  const below: Place = { depth: depth + 1, left, scalar };
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (value instanceof UInt) return asJson(value.value, below);
  if (value instanceof ListValue) return listAsJson(value, below);
  if (value instanceof MapValue)
    return Object.fromEntries([...value.keys()].map((key) => [keyText(key), asJson(value.get(key) ?? null, below)]));
  throw new TypeError('the expression yields a value that is neither text, number, bool, list nor map');
}

function listAsJson(list: ListValue, below: Place): JsonValue[] {
  const made: JsonValue[] = [];
  for (let i = 0; i < list.length; i++) made.push(asJson(list.at(i), below));
  return made;
}

const keyText = (key: Value): string => (key instanceof UInt ? String(key.value) : String(key));
