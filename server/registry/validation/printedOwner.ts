import type { JsonObject, OwnerReference } from '../../../api/object.js';

/** An owner as messages quote it: members in the order of the reference's structure, all that are not optional. */
export function printedOwner({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: Partial<OwnerReference>): JsonObject {
  return {
    apiVersion: apiVersion ?? '',
    kind: kind ?? '',
    name: name ?? '',
    uid: uid ?? '',
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}
