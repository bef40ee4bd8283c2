import { isObject } from '../../api/json/json.js';
import { jsonCodec } from '../../workers/codecs/json.js';
import { depthMax } from '../../workers/codecs/contract.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { JsonValue } from '../../api/object.js';

export function bodyText(value: unknown, omitManagedFields: boolean): string {
  return writeJson(omitManagedFields ? withoutManagedFields(value as JsonValue) : value);
}

/** The same for a JSON body, parsed only if something must be removed. */
export function bodyOfJson(json: Buffer, omitManagedFields: boolean): string {
  const text = json.toString('utf8').trimEnd();
  if (!omitManagedFields || !text.includes('"managedFields"')) return text;
  const decoded = jsonCodec.decode(json, { findDuplicates: false, depthMax: depthMax });
  return decoded.ok ? bodyText(decoded.value, true) : text;
}

function withoutManagedFields(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { metadata, items } = value;
  return {
    ...value,
    ...(isObject(metadata) ? { metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== 'managedFields')) } : {}),
    ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}),
  };
}
