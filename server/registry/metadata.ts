import type { ApiObject, JsonValue, ObjectMeta } from '../api/object.js';

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _member in value) return false;
  return true;
}

/**
 * Metadata without members that are empty, and without `selfLink`, which the server no longer keeps, in the order in which the reference prints
 * them. Member by member, since every object that is written comes through here.
 */
export function orderedMetadata(meta: ObjectMeta): ObjectMeta {
  const ordered: ObjectMeta = {};
  if (!isEmpty(meta.name)) ordered.name = meta.name;
  if (!isEmpty(meta.generateName)) ordered.generateName = meta.generateName;
  if (!isEmpty(meta.namespace)) ordered.namespace = meta.namespace;
  if (!isEmpty(meta.uid)) ordered.uid = meta.uid;
  if (!isEmpty(meta.resourceVersion)) ordered.resourceVersion = meta.resourceVersion;
  // Zero is the default of the only two numbers; a grace period of zero says something, a generation of zero does not.
  if (!isEmpty(meta.generation) && meta.generation !== 0) ordered.generation = meta.generation;
  if (!isEmpty(meta.creationTimestamp)) ordered.creationTimestamp = meta.creationTimestamp;
  if (!isEmpty(meta.deletionTimestamp)) ordered.deletionTimestamp = meta.deletionTimestamp;
  if (!isEmpty(meta.deletionGracePeriodSeconds)) ordered.deletionGracePeriodSeconds = meta.deletionGracePeriodSeconds;
  if (!isEmpty(meta.labels)) ordered.labels = meta.labels;
  if (!isEmpty(meta.annotations)) ordered.annotations = meta.annotations;
  if (!isEmpty(meta.ownerReferences)) ordered.ownerReferences = meta.ownerReferences;
  if (!isEmpty(meta.finalizers)) ordered.finalizers = meta.finalizers;
  if (!isEmpty(meta.managedFields)) ordered.managedFields = meta.managedFields;
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
