import type { ApiObject, ObjectMeta } from '../../api/object.js';

const ofTheObject: readonly (keyof ObjectMeta)[] = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** Restores the metadata, for kinds whose status writes change nothing but the status. */
export function restoreMetadata(object: ApiObject, old: ApiObject): void {
  for (const member of ofTheObject) restoreMember(object.metadata, old.metadata, member);
}

/** The metadata belongs to the caller. */
export function restoreMember(metadata: ObjectMeta, old: ObjectMeta, member: keyof ObjectMeta): void {
  if (old[member] === undefined) delete metadata[member];
  else Object.assign(metadata, { [member]: old[member] });
}

const ownOfChange: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'status']);

/** Restores everything but the metadata and the status, for a write through `status`. */
export function restoreContent(object: ApiObject, old: ApiObject): void {
  for (const member of Object.keys(object)) if (!ownOfChange.has(member) && old[member] === undefined) delete object[member];
  for (const [member, value] of Object.entries(old)) if (!ownOfChange.has(member)) object[member] = value;
}
