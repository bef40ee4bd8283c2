import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { itemsOf } from './shape.js';

/** Undefined for no old item, and for lists without keys. */
export function oldItems(schema: JsonObject, old: JsonValue | undefined): (item: JsonValue) => JsonValue | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys) || !Array.isArray(old)) return () => undefined;
  const identity = identityBy(schema, keys.map(String));
  const byKey = new Map<string, JsonValue>();
  for (const item of old) {
    const key = identity(item);
    // The first of several items with the same keys counts.
    if (key !== null && !byKey.has(key)) byKey.set(key, item);
  }
  return (item) => {
    const key = identity(item);
    return key === null ? undefined : byKey.get(key);
  };
}

/** Omitted keys have their defaults. */
function identityBy(schema: JsonObject, keys: readonly string[]): (item: JsonValue) => string | null {
  const properties = (itemsOf(schema)?.['properties'] ?? {}) as JsonObject;
  const defaults = keys.map((key) => ((properties[key] ?? {}) as JsonObject)['default'] ?? null);
  return (item) => (isObject<JsonObject>(item) ? JSON.stringify(keys.map((key, i) => typedText(item[key] ?? defaults[i] ?? null))) : null);
}

/** Integers may be of either type that JSON numbers become. */
const typedText = (value: JsonValue): readonly string[] => [typeof value === 'bigint' ? 'number' : typeof value, String(value)];
