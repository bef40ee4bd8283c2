import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { objectsIn } from '../../../api/json/defaulting.js';
import { isEmpty } from './schema/nodes.js';

/** Findings keep the old place when all versions agree: `spec.validation.openAPIV3Schema`, not `spec.versions[0].schema.openAPIV3Schema`. */

const shared = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const;

type Member = keyof typeof shared;

export interface Hoisted {
  /** The members' former names; absent where versions differ. */
  readonly shared: JsonObject;
  /** The versions without what they share. */
  readonly versions: readonly JsonObject[];
}

export function hoist(spec: JsonObject): Hoisted {
  const versions = objectsIn(spec, 'versions');
  const members = (Object.keys(shared) as Member[]).filter(
    (member) => versions.length > 0 && versions.every((version) => sameAsFirst(version, versions, member)),
  );
  return {
    shared: Object.fromEntries(members.map((member): [string, JsonValue] => [shared[member], versions[0]?.[member] ?? null])),
    versions: versions.map((version) =>
      Object.fromEntries(Object.entries(version).filter(([member]) => !members.includes(member as Member))),
    ),
  };
}

function sameAsFirst(version: JsonObject, versions: readonly JsonObject[], member: Member): boolean {
  const value = version[member];
  if (value === undefined || value === null || (Array.isArray(value) && isEmpty(value))) return false;
  return isDeepStrictEqual(value, versions[0]?.[member]);
}
