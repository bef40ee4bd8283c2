import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import { canonicalJson, memberOf } from './printed.js';

/**
 * Which old item stands where a new one does. Items of keyed lists are found by their keys. Those of all other lists have no past, so that such a list is
 * new as a whole or not at all: sets, atomic lists, and those that say nothing, which are atomic.
 */
export type ListCorrelation = 'none' | { readonly keys: readonly string[] };

export function correlationOf(schema: JsonMembers): ListCorrelation {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'map')
    return { keys: Array.isArray(schema['x-kubernetes-list-map-keys']) ? schema['x-kubernetes-list-map-keys'].map(String) : [] };
  return 'none';
}

/** Undefined where nothing old belongs to an item; null never does. */
export type OldItem = (item: Json, position: number) => Json | undefined;

export function oldItems(correlation: ListCorrelation, old: Json | undefined): OldItem | null {
  if (!Array.isArray(old) || correlation === 'none') return null;
  const byKey = new Map(old.map((item) => [keyOf(item, correlation.keys), item]));
  byKey.delete(null);
  return (item) => {
    const key = keyOf(item, correlation.keys);
    return key === null ? undefined : byKey.get(key);
  };
}

/** Null for what has none of the keys. */
function keyOf(item: Json, keys: readonly string[]): string | null {
  if (!isMembers(item)) return null;
  const values = keys.map((key) => memberOf(item, key));
  return values.every((value) => value === undefined)
    ? null
    : values.map((value) => (value === undefined ? '' : canonicalJson(value))).join('\0');
}
