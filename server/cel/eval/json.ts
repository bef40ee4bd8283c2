import type { JsonObject, JsonValue } from '../../api/object.js';
import { ListValue, MapValue, Optional, Timestamp, Duration, UInt, type Value } from './values.js';

/**
 * JSON as expressions see it. Nothing is copied: parts of an object become values when an expression looks at them, so that a rule of one field costs the same
 * in a small object and a large one. How a part looks (an integer, a time) is told by its schema, or by the JSON itself where there is none.
 */
export type View = (value: JsonValue) => Value;

/** Without a schema: whole numbers are integers, others doubles. */
export const plainView: View = (value) => {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? new JsonList(value, plainView) : new JsonMap(value, plainView);
};

export class JsonList extends ListValue {
  private readonly known: (Value | undefined)[] = [];

  constructor(readonly items: readonly JsonValue[], private readonly view: View, override readonly order: ListValue['order'] = 'ordered') { super(); }

  get length(): number { return this.items.length; }
  at(position: number): Value { return this.known[position] ??= this.view(this.items[position] ?? null); }
}

/** A map whose members all look alike. */
export class JsonMap extends MapValue {
  private readonly known = new Map<string, Value>();
  private names: readonly string[] | null = null;

  constructor(readonly members: JsonObject, private readonly view: View) { super(); }

  get size(): number { return this.list().length; }
  keys(): Iterable<Value> { return this.list(); }

  private list(): readonly string[] { return (this.names ??= Object.keys(this.members).filter(name => this.members[name] !== undefined)); }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.members, key)) return undefined;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const member = this.members[key];
    if (member === undefined) return undefined;
    const value = this.view(member);
    this.known.set(key, value);
    return value;
  }
}

/** Deeper values are not turned into JSON. */
const depthMax = 100;

/** A value as JSON. Throws TypeError for what JSON cannot say, such as a type or a time. */
export function toJson(value: Value, depth = 0): JsonValue {
  if (depth > depthMax) throw new TypeError('the expression yields a value that nests too deeply');
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (value instanceof UInt) return toJson(value.value, depth);
  if (value instanceof JsonList) return structuredClone(value.items) as JsonValue[];
  if (value instanceof JsonMap) return structuredClone(value.members);
  if (value instanceof ListValue) return Array.from({ length: value.length }, (_, i) => toJson(value.at(i), depth + 1));
  if (value instanceof MapValue) return Object.fromEntries([...value.keys()].map(key => [keyText(key), toJson(value.get(key) ?? null, depth + 1)]));
  throw new TypeError('the expression yields a value that is neither text, number, bool, list nor map');
}

const keyText = (key: Value): string => (key instanceof UInt ? String(key.value) : String(key));

/** Values that JSON has no word for, in words. */
export const isTime = (value: Value): value is Timestamp | Duration => value instanceof Timestamp || value instanceof Duration;

/** The value of an optional, or the value itself; undefined for none. */
export const unwrapped = (value: Value): Value | undefined => (value instanceof Optional ? value.value : value);
