import type { Steps } from '../../../api/steps.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { isObject } from '../../../api/json/json.js';
import { keyElement, keyElementOf, valueElement } from './fieldSet.js';
import type { ListKey, Schema } from './schema.js';

type AssociativeList =
  | Extract<Schema, { kind: 'list'; relationship: 'map' }>
  | Extract<Schema, { kind: 'list'; relationship: 'atomic' | 'set' }>;

export class ListItemError extends Error {
  override name = 'ListItemError';
}

/** Throws ListItemError when the item has no key. */
export function itemElement(list: AssociativeList, item: JsonValue): string {
  return list.relationship === 'map' ? keyedElement(list.keys, item) : setElement(item);
}

function setElement(item: JsonValue): string {
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new ListItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** An absent key member without a default is not part of the key. */
function keyedElement(keys: readonly ListKey[], item: JsonValue): string {
  if (item === null) throw new ListItemError('associative list with keys may not have a null element');
  if (!isObject<JsonObject>(item)) throw new ListItemError('associative list with keys may not have non-map elements');
  if (keys.length === 1) {
    const [only] = keys as readonly [ListKey];
    const name = item[only.name] === undefined ? only.default : item[only.name];
    // Nearly all lists have a name or an address as key.
    if (typeof name === 'string') return keyElementOf(only.name, name);
  }
  const key: Record<string, JsonValue> = {};
  for (const { name, default: standIn } of keys) {
    const value = item[name];
    if (value !== undefined) key[name] = value;
    else if (standIn !== null) key[name] = standIn;
  }
  if (Object.keys(key).length > 0) return keyElement(key);
  const names = keys.map(({ name }) => JSON.stringify(name)).join(' ');
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

export const comparedInStep = 256;

export interface IndexedItems {
  /** Ordered, with repetitions. */
  readonly elements: readonly string[];
  /** The first of repeated items. */
  readonly byElement: ReadonlyMap<string, JsonValue>;
  readonly repeated: ReadonlyMap<string, readonly JsonValue[]>;
}

const noneRepeated: ReadonlyMap<string, readonly JsonValue[]> = new Map();

/** Throws ListItemError. */
export function* indexItems(list: AssociativeList, items: readonly JsonValue[] | null | undefined): Steps<IndexedItems> {
  const elements: string[] = [];
  const byElement = new Map<string, JsonValue>();
  let repeated: Map<string, JsonValue[]> | null = null;
  for (const item of items ?? []) {
    const element = itemElement(list, item);
    if (elements.push(element) % comparedInStep === 0) yield;
    const first = byElement.get(element);
    if (first === undefined) {
      byElement.set(element, item);
      continue;
    }
    repeated ??= new Map<string, JsonValue[]>();
    const known = repeated.get(element);
    if (known === undefined) repeated.set(element, [first, item]);
    else known.push(item);
  }
  return { elements, byElement, repeated: repeated ?? noneRepeated };
}
