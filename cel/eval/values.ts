/**
 * Values of expressions. JavaScript's own values are used directly: `bigint` is CEL's int, `number` its double. Failures are values too, as the language
 * requires: `||` and `&&` absorb one when the other side decides.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | UInt
  | Uint8Array
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | Optional
  | TypeValue
  | Opaque
  | Failure;

export class Failure {
  constructor(readonly message: string) {}
}

export const noOverload = new Failure('no such overload');
export const overflow = new Failure('integer overflow');
export const unsignedOverflow = new Failure('unsigned integer overflow');
export const timeOverflow = new Failure('timestamp overflow');
export const durationOverflow = new Failure('duration overflow');

export class UInt {
  constructor(readonly value: bigint) {}
}

/** Nanoseconds since 1970. Keeps the written offset from UTC for its text only. */
export class Timestamp {
  constructor(
    readonly nanoseconds: bigint,
    readonly offsetMinutes = 0,
  ) {}
}

export class Duration {
  constructor(readonly nanoseconds: bigint) {}
}

/** Elements may be created on access. */
export abstract class ListValue {
  abstract readonly length: number;
  /** The order of comparing elements: in order, or (sets and keyed lists) in any. */
  readonly order: 'ordered' | 'set' | readonly string[] = 'ordered';
  /** `position` is within the length. */
  abstract at(position: number): Value;
}

export class ArrayList extends ListValue {
  readonly #items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
  }
  get length(): number {
    return this.#items.length;
  }
  at(position: number): Value {
    return this.#items[position]!;
  }
}

/** Two lists without a copy, as repeated additions could make lists of any size. */
export class JoinedList extends ListValue {
  readonly #left: ListValue;
  readonly #right: ListValue;
  readonly length: number;
  constructor(left: ListValue, right: ListValue) {
    super();
    this.#left = left;
    this.#right = right;
    this.length = left.length + right.length;
  }

  at(position: number): Value {
    let list: ListValue = this;
    let rest = position;
    while (list instanceof JoinedList) {
      if (rest < list.#left.length) list = list.#left;
      else {
        rest -= list.#left.length;
        list = list.#right;
      }
    }
    return list.at(rest);
  }
}

export abstract class MapValue {
  abstract readonly size: number;
  /** Undefined for an absent key. Never returns inherited members (`constructor`). */
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
  select(field: string): Value | undefined {
    return this.get(field);
  }
  /** The result of `type()`. */
  readonly typeName: string = 'map';
}

/** Returns null for an invalid key. Keys differ by type and value, but all numbers compare numerically. */
export function keyOf(value: Value): string | null {
  switch (typeof value) {
    case 'string':
      return `s${value}`;
    case 'bigint':
      return `n${value}`;
    case 'boolean':
      return `b${value}`;
    case 'number':
      return Number.isInteger(value) ? `n${BigInt(value)}` : `d${value}`;
    default:
      return value === null ? 'null' : value instanceof UInt ? `n${value.value}` : null;
  }
}

export class EntryMap extends MapValue {
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    super();
    this.#entries = entries;
  }
  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    const known = keyOf(key);
    return known === null ? undefined : this.#entries.get(known)?.[1];
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
}

/** An object with exactly these fields, each computed on first access. */
export class FieldMap extends MapValue {
  readonly #fields: Readonly<Record<string, () => Value>>;
  readonly #known = new Map<string, Value>();
  constructor(
    override readonly typeName: string,
    fields: Readonly<Record<string, () => Value>>,
  ) {
    super();
    this.#fields = fields;
  }
  get size(): number {
    return Object.keys(this.#fields).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#fields, key)) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#fields[key]!();
    this.#known.set(key, value);
    return value;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#fields);
  }
}

/** The value of `Name{field: value}`. */
export class Message extends MapValue {
  constructor(
    override readonly typeName: string,
    readonly fields: ReadonlyMap<string, Value>,
  ) {
    super();
  }
  get size(): number {
    return this.fields.size;
  }
  get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }
  keys(): Iterable<Value> {
    return this.fields.keys();
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  constructor(readonly value: Value | undefined) {}
}

export class TypeValue {
  constructor(readonly name: string) {}
}

/** A library's value (a quantity, an address), readable by its functions only. */
export abstract class Opaque {
  abstract readonly typeName: string;
  /** Characters that its functions may traverse. */
  get weight(): number {
    return 0;
  }
  get size(): number {
    return 1;
  }
  abstract equals(other: Opaque): boolean;
}

/** The types of values that `<` compares. */
export const orderedTypes: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'string',
  'uint',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
]);

export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? 'null_type' : objectTypeOf(value);
  }
}

function objectTypeOf(value: Exclude<Value, null | string | bigint | number | boolean>): string {
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue || value instanceof Opaque) return value.typeName;
  if (value instanceof UInt) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof TypeValue ? 'type' : 'error';
}

/** Length in code points, which the language counts. */
export function lengthOf(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const low = text.charCodeAt(i + 1);
      if (low >= 0xdc00 && low <= 0xdfff) {
        pairs += 1;
        i += 1;
      }
    }
  }
  return text.length - pairs;
}

/** Returns the result of `size()`, on which most costs depend; 1 without a size. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return lengthOf(value);
  if (value instanceof ListValue || value instanceof Uint8Array) return value.length;
  return value instanceof MapValue || value instanceof Opaque ? value.size : 1;
}

/** Returns a value's characters or bytes to traverse; elements of lists and maps count on access. */
export function weightOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  return value instanceof Opaque ? value.weight : 0;
}

/** Messages cut longer keys. */
const shownMax = 1_000;

export const shownKey = (key: Value): string => (key instanceof UInt ? String(key.value) : String(key).slice(0, shownMax));
