import { typeOfKind, type KindName } from '../../../api/catalogue/types.js';
import type { JsonObject } from '../../../api/object.js';
import { checkStructure } from '../../../workers/schema/structure.js';

/** Conversion from the internal types sets these (zz_generated.conversion.go). */
const converted: Readonly<Record<string, JsonObject>> = {
  'apps/Deployment': { replicas: 0 },
  'apps/ReplicaSet': { replicas: 0 },
  'apps/StatefulSet': { replicas: 0 },
};

const known = new Map<string, JsonObject>();

/** Returns the members of a new built-in object in Go's print form, without metadata. */
export function emptyObject({ group, version, kind }: KindName): JsonObject {
  const key = `${group}/${version}/${kind}`;
  let members = known.get(key);
  if (members === undefined) known.set(key, (members = membersOf({ group, version, kind })));
  return members;
}

function membersOf(name: KindName): JsonObject {
  const type = typeOfKind(name);
  const checked = type === undefined ? null : checkStructure({}, type, { unknownFields: 'ignore' });
  if (checked?.ok !== true) return {};
  const { metadata: _, ...members } = checked.value as JsonObject;
  const set = converted[`${name.group}/${name.kind}`];
  return set === undefined ? members : { ...members, spec: { ...set, ...(members['spec'] as JsonObject) } };
}
