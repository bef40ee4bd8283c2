import { copyMembers } from '../../api/json/copyMembers.js';
import type { ApiObject, JsonValue, ObjectMeta } from '../../api/object.js';
import type { ServedResource } from './resources.js';

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _member in value) return false;
  return true;
}

/** The reference's order, without empty members and `selfLink`. Members are copied one by one: every written object passes here. */
export function orderedMetadata(meta: ObjectMeta): ObjectMeta {
  const ordered: ObjectMeta = {};
  if (!isEmpty(meta.name)) ordered.name = meta.name;
  if (!isEmpty(meta.generateName)) ordered.generateName = meta.generateName;
  if (!isEmpty(meta.namespace)) ordered.namespace = meta.namespace;
  if (!isEmpty(meta.uid)) ordered.uid = meta.uid;
  if (!isEmpty(meta.resourceVersion)) ordered.resourceVersion = meta.resourceVersion;
  // A grace period of zero has a meaning, a generation of zero has none.
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

export function metadataAlone({ behaviour }: ServedResource, metadata: ObjectMeta): ObjectMeta {
  const { contentAnnotations } = behaviour;
  const { annotations } = metadata;
  if (contentAnnotations.length === 0 || annotations === undefined) return metadata;
  const own = Object.fromEntries(Object.entries(annotations).filter(([name]) => !contentAnnotations.includes(name)));
  return orderedMetadata({ ...metadata, annotations: own });
}

const placedInStored: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);
const writtenByServer: ReadonlySet<string> = new Set(['managedFields', 'selfLink']);

/** Returns the stored form: without kind, in the storage version, metadata first. */
export function storedForm(object: ApiObject, apiVersion: string): ApiObject {
  const stored: ApiObject = { apiVersion, metadata: orderedMetadata(object.metadata) };
  return copyMembers(stored, object, placedInStored);
}

/** An object that an update or an apply creates keeps what it says of its deletion, as in the reference. */
export function dropDeletion(metadata: ObjectMeta): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

/** Drops a client's values of what only the server decides. */
export function fillMetadataForCreate(
  object: ApiObject,
  server: { readonly namespace: string; readonly uid: string; readonly now: string },
): void {
  const metadata: ObjectMeta = copyMembers({}, object.metadata, writtenByServer);
  metadata.namespace = server.namespace;
  metadata.uid = server.uid;
  metadata.creationTimestamp = server.now;
  object.metadata = metadata;
}

/** Carries over the metadata that an update never changes, and what it keeps where the client omits it. */
export function carryMetadataForUpdate(object: ApiObject, old: ApiObject): void {
  const kept: ObjectMeta = copyMembers({}, object.metadata, writtenByServer);
  kept.creationTimestamp = old.metadata.creationTimestamp ?? null;
  kept.generation = old.metadata.generation ?? 0;
  if ((kept.uid ?? '') === '') kept.uid = old.metadata.uid ?? '';
  object.metadata = kept;
}

/** Owners are known before: a grace period that a write omits has none (fieldmanager.go precedes rest/update.go). */
export function carryDeletion({ metadata }: ApiObject, old: ApiObject): void {
  const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds;
}
