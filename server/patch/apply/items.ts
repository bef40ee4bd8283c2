import type { Steps } from '../../../api/steps.js';
import type { JsonValue } from '../../../api/object.js';
import { isObject } from '../../../api/json/json.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { keyElement, keyElementOf, keyOf, valueElement } from './fieldset.js';
import type { ListKey, Schema } from './schema.js';

type AssociativeList =
  Extract<Schema, { kind: 'list'; relationship: 'map' }> | Extract<Schema, { kind: 'list'; relationship: 'atomic' | 'set' }>;

/** Two items of a list have the same key, or an item has none. */
export class ListItemError extends Error {
  override name = 'ListItemError';
}

/** The path element that names an item of a set or of a list with keys. Throws ListItemError when the item has no key. */
export function itemElement(list: AssociativeList, item: JsonValue): string {
  if (list.relationship !== 'map') {
    if (item !== null && typeof item === 'object') throw new ListItemError('items of a set must be scalars');
    return valueElement(item);
  }
  if (!isObject(item)) throw new ListItemError('associative list may not have non-map elements');
  if (list.keys.length === 1) {
    const [only] = list.keys as readonly [ListKey];
    const name = item[only.name] ?? only.default;
    // Nearly all lists: a name, or an address.
    if (typeof name === 'string') return keyElementOf(only.name, name);
  }
  const key: Record<string, JsonValue> = {};
  let found = false;
  for (const { name, default: standIn } of list.keys) {
    const value = item[name];
    if (value !== undefined && value !== null) found = true;
    key[name] = value ?? standIn;
  }
  if (!found && list.keys.every((each) => each.default === null)) {
    throw new ListItemError(
      'associative list with keys has an element that omits all key fields: ' + list.keys.map((each) => each.name).join(', '),
    );
  }
  return keyElement(key);
}

/** Members or items that are looked at in one step. */
export const comparedInStep = 256;

export interface IndexedItems {
  readonly elements: readonly string[];
  readonly byElement: ReadonlyMap<string, JsonValue>;
}

/** Items by their elements, in order. `duplicates: 'refuse'` throws ListItemError when two items have one key; otherwise the first counts. */
export function* indexItems(
  list: AssociativeList,
  items: readonly JsonValue[] | null | undefined,
  duplicates: 'refuse' | 'first',
): Steps<IndexedItems> {
  const elements: string[] = [];
  const byElement = new Map<string, JsonValue>();
  for (const item of items ?? []) {
    const element = itemElement(list, item);
    if (elements.push(element) % comparedInStep === 0) yield;
    if (!byElement.has(element)) byElement.set(element, item);
    else if (duplicates === 'refuse') throw new ListItemError(`duplicate entries for key [${describe(element)}]`);
  }
  return { elements, byElement };
}

function describe(element: string): string {
  const body = element.slice(2);
  if (element.startsWith('v:')) return `=${body}`;
  const key = keyOf(element);
  return Object.keys(key)
    .map((name) => `${name}=${writeJson(key[name])}`)
    .join(',');
}
