import type { ApiObject, ObjectMeta } from '../api/object.js';

const ofTheObject: readonly (keyof ObjectMeta)[] = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** For kinds whose status writes change nothing else, not even what describes the object: takes that back from the present state. */
export function restoreMetadata(object: ApiObject, old: ApiObject): void {
  for (const member of ofTheObject) {
    if (old.metadata[member] === undefined) delete object.metadata[member];
    else object.metadata[member] = old.metadata[member];
  }
}

/** For the same kinds: nothing but the status is taken from what was sent. */
export function restoreAllButStatus(object: ApiObject, old: ApiObject): void {
  restoreContent(object, old);
  restoreMetadata(object, old);
}

/** Members that a write through `status` leaves as they are: all but the metadata and the status. */
export function restoreContent(object: ApiObject, old: ApiObject): void {
  for (const member of Object.keys(object)) if (member !== 'metadata' && member !== 'status') delete object[member];
  for (const [member, value] of Object.entries(old)) if (member !== 'metadata' && member !== 'status') object[member] = value;
}
