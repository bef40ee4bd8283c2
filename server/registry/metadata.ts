import type { ApiObject, JsonObject, JsonValue, ObjectMeta } from '../api/object.js';

/** Members of metadata in the order in which the reference prints them; others (none are known) come last. */
const META_ORDER = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** Metadata in printed order, without members that are empty, and without `selfLink`, which the server no longer keeps. */
export function orderedMetadata(meta: ObjectMeta): ObjectMeta {
  const ordered: ObjectMeta = {};
  for (const member of META_ORDER) if (!isEmpty(meta[member])) (ordered as JsonObject)[member] = meta[member];
  // Zero is the default of the only two numbers; a grace period of zero says something, a generation of zero does not.
  if (ordered.generation === 0) delete ordered.generation;
  return ordered;
}

/** The object as it is stored: without kind, in the storage version, metadata first. */
export function storedForm(object: ApiObject, apiVersion: string): ApiObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...content } = object;
  return { apiVersion, metadata: orderedMetadata(metadata), ...content };
}

/** Gives a new object what only the server decides. A client's values for the same members are dropped. */
export function fillMetadataForCreate(
  object: ApiObject,
  server: { readonly namespace: string; readonly uid: string; readonly now: string },
): void {
  const { deletionTimestamp: _t, deletionGracePeriodSeconds: _g, managedFields: _m, selfLink: _s, ...meta } = object.metadata;
  object.metadata = { ...meta, namespace: server.namespace, uid: server.uid, creationTimestamp: server.now };
}

/** Carries over what an update never changes, and what it keeps where the client is silent. */
export function carryMetadataForUpdate(object: ApiObject, old: ApiObject): void {
  const { managedFields: _m, selfLink: _s, ...meta } = object.metadata;
  const kept: ObjectMeta = { ...meta, creationTimestamp: old.metadata.creationTimestamp ?? null, generation: old.metadata.generation ?? 0 };
  if ((meta.uid ?? '') === '') kept.uid = old.metadata.uid ?? '';
  if (old.metadata.deletionTimestamp !== undefined) kept.deletionTimestamp = old.metadata.deletionTimestamp;
  if (old.metadata.deletionGracePeriodSeconds !== undefined) kept.deletionGracePeriodSeconds ??= old.metadata.deletionGracePeriodSeconds;
  object.metadata = kept;
}
