import type { JsonObject, OwnerReference } from '../../../api/object.js';

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
