import type { ApiObject, JsonObject, JsonValue } from '../api/object.js';

/**
 * The smallest check of a body's structure: what the code below relies on in metadata. It tells wrong types as the reference does.
 * A full check against the type of every kind takes its place behind the same function.
 */
export type StructureResult = { readonly ok: true; readonly object: ApiObject } | { readonly ok: false; readonly message: string };

type Shape = 'string' | 'int64' | 'time' | 'strings' | 'stringMap' | 'ownerReferences' | 'any';

const META: Readonly<Record<string, Shape>> = {
  name: 'string', generateName: 'string', namespace: 'string', uid: 'string', resourceVersion: 'string', selfLink: 'string',
  generation: 'int64', deletionGracePeriodSeconds: 'int64', creationTimestamp: 'time', deletionTimestamp: 'time',
  labels: 'stringMap', annotations: 'stringMap', finalizers: 'strings', ownerReferences: 'ownerReferences', managedFields: 'any',
};

export const goType = (value: JsonValue): string =>
  (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value);

const mismatch = (value: JsonValue, field: string, type: string): string => `json: cannot unmarshal ${goType(value)} into Go struct field ${field} of type ${type}`;

/** Checks and normalises metadata: null members are absent, null map values empty. Changes and returns the object. */
export function checkStructure(object: JsonObject, kind: string): StructureResult {
  const meta = object['metadata'] ?? {};
  if (typeof meta !== 'object' || Array.isArray(meta)) return { ok: false, message: mismatch(meta, `${kind}.metadata`, 'v1.ObjectMeta') };
  for (const [member, shape] of Object.entries(META)) {
    const value = meta[member];
    if (value === undefined) continue;
    if (value === null) delete meta[member];
    else {
      const message = CHECKS[shape](value, `ObjectMeta.metadata.${member}`);
      if (message !== null) return { ok: false, message };
    }
  }
  for (const member of Object.keys(meta)) if (!Object.hasOwn(META, member)) delete meta[member];
  object['metadata'] = meta;
  return { ok: true, object: object as ApiObject };
}

const CHECKS: Readonly<Record<Shape, (value: JsonValue, field: string) => string | null>> = {
  string: (value, field) => (typeof value === 'string' ? null : mismatch(value, field, 'string')),
  int64: (value, field) => (typeof value === 'number' && Number.isInteger(value) ? null : mismatch(value, field, 'int64')),
  time: checkTime,
  strings: (value, field) => (Array.isArray(value) ? firstMessage(value, item => (typeof item === 'string' ? null : mismatch(item, field, 'string'))) : mismatch(value, field, '[]string')),
  stringMap: checkStringMap,
  ownerReferences: checkOwners,
  any: () => null,
};

const firstMessage = (items: readonly JsonValue[], check: (item: JsonValue) => string | null): string | null => {
  for (const item of items) {
    const message = check(item);
    if (message !== null) return message;
  }
  return null;
};

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function checkTime(value: JsonValue, field: string): string | null {
  if (typeof value !== 'string') return mismatch(value, field, 'string');
  if (RFC3339.test(value) && Number.isFinite(Date.parse(value))) return null;
  return `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`;
}

function checkStringMap(value: JsonValue, field: string): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return mismatch(value, field, 'map[string]string');
  for (const [key, item] of Object.entries(value)) {
    if (item === null) value[key] = '';
    else if (typeof item !== 'string') return mismatch(item ?? null, field, 'string');
  }
  return null;
}

const OWNER: Readonly<Record<string, 'string' | 'boolean'>> = { apiVersion: 'string', kind: 'string', name: 'string', uid: 'string', controller: 'boolean', blockOwnerDeletion: 'boolean' };

function checkOwners(value: JsonValue, field: string): string | null {
  if (!Array.isArray(value)) return mismatch(value, field, '[]v1.OwnerReference');
  return firstMessage(value, owner => {
    if (owner === null || typeof owner !== 'object' || Array.isArray(owner)) return mismatch(owner, field, 'v1.OwnerReference');
    for (const [member, type] of Object.entries(OWNER)) {
      const found = owner[member];
      if (found !== undefined && found !== null && typeof found !== type) return mismatch(found, `OwnerReference.metadata.ownerReferences.${member}`, type === 'boolean' ? 'bool' : type);
    }
    return null;
  });
}
