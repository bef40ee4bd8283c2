import type { ValuePath } from '../../api/json/valuePath.js';
import { turns, type Ended } from '../../workers/turns/turns.js';
import { inOneGo, type Steps } from '../../api/steps.js';
import { isObject } from '../../api/json/json.js';
import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { StatusError } from '../../api/status.js';
import { fieldsOfCreator } from '../patch/apply/created.js';
import type { FieldSet } from '../patch/apply/fieldSet.js';
import { ListItemError } from '../patch/apply/items.js';
import { touchedBy } from '../patch/apply/kept.js';
import {
  capManagers,
  isReset,
  managersProblem,
  readManagers,
  readingManagers,
  reordered,
  writeManagers,
  writingManagers,
  type ManagerEntry,
  type Managers,
} from '../patch/apply/managers.js';
import { MismatchError, ownUpdate, type ObjectChange, type Versions } from '../patch/apply/ownership.js';
import { parentManagers, scaleManagers, scaleApiVersion } from '../patch/apply/scaled.js';
import { sameValue } from '../patch/apply/compare.js';
import { isReconciled } from '../patch/apply/reconcile.js';
import { emptyValue, type Schema } from '../patch/apply/schema.js';
import { typeProblem } from '../patch/apply/typed.js';
import { schemaOfKind } from '../patch/apply/typeSchema.js';
import { fromStorage } from './conversion.js';
import { converting, type Eventually } from './conversions.js';
import type { ServedResource } from './resources.js';
import { isHeavy } from './turns.js';

export interface Writer {
  readonly manager: string;
  readonly subresource: string;
  readonly now: string;
  readonly respelled?: readonly ValuePath[];
}

/** `body` has defaults and lacks the server's own additions, which have no owner. Undefined for types without a known schema. */
export function* ownCreated(resource: ServedResource, body: ApiObject, writer: Writer): Steps<JsonObject[] | undefined> {
  const sent = body.metadata.managedFields;
  const schema = resource.behaviour.versions.schemaOf(apiVersionOf(resource));
  if (schema === null || !(yield* fits(resource, body, schema, body['status'] !== undefined || resource.behaviour.selfDescribed)))
    return undefined;
  const managers = yield* readable(sent);
  if (managers === null && !isHeavy(body as JsonObject))
    return ownedByCreator(resource, schema, isStoredAs(resource) ? body : served(resource, body), writer);
  const empty = emptyValue(schema) as ApiObject;
  const versions = resource.behaviour.versions;
  return yield* owned(resource, { before: empty, after: served(resource, body) }, managers ?? new Map<string, ManagerEntry>(), {
    writer,
    versions,
  });
}

/** A failed conversion webhook does not fail the write: objects are compared unconverted. */
async function unlessFailed<T>(worked: Promise<T>, otherwise: () => Eventually<T>): Promise<T> {
  try {
    return await worked;
  } catch (error) {
    if (error instanceof StatusError) return otherwise();
    throw error;
  }
}

interface UpdateWriter extends Writer {
  readonly ended?: Ended | undefined;
  readonly sent: readonly JsonValue[] | undefined;
}

const sentOwners = ({ subresource, sent }: UpdateWriter): UpdateWriter['sent'] => (subresource === '' ? sent : undefined);

/**
 * The client's entries count if they can be read, else the stored ones. An empty list, or entry, clears all. A subresource cannot set them. `object` has
 * everything carried over that this write may not change.
 */
export function ownUpdated(
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject,
  writer: UpdateWriter,
): Eventually<JsonObject[] | undefined> {
  const sent = sentOwners(writer);
  if (isReset(sent)) return undefined;
  const versions = resource.behaviour.versions;
  if (versions.schemaOf(apiVersionOf(resource)) === null) return old.metadata.managedFields;
  const kept = (writer.respelled ?? []).length > 0 ? null : keptOwners(resource, object, old, writer);
  if (kept !== null && staysTyped(resource, kept, object, old)) return kept;
  const change = { before: old, after: object };
  const worked = converting(resource, (forms) => ownedAfter(resource, change, { ...writer, sent }, forms), writer.ended);
  return worked instanceof Promise && resource.behaviour.asks != null
    ? unlessFailed(worked, () =>
        turns.run(ownedAfter(resource, change, { ...writer, sent }, { ...versions, unconverted: true }), writer.ended),
      )
    : worked;
}

/** Only server-side apply starts ownership records. */
function* ownedAfter(
  resource: ServedResource,
  { before, after }: ObjectChange,
  writer: UpdateWriter,
  versions: Versions,
): Steps<JsonObject[] | undefined> {
  const managers = (yield* readable(writer.sent)) ?? (yield* readable(before.metadata.managedFields));
  if (managers === null) return undefined;
  return yield* owned(resource, { before: served(resource, before), after: served(resource, after) }, managers, { writer, versions });
}

function ownedByCreator(
  resource: ServedResource,
  schema: Schema,
  created: ApiObject,
  { manager, subresource, now }: Writer,
): JsonObject[] | undefined {
  const fieldsV1 = fieldsOrNone(schema, created, resource.behaviour.strategy.through(subresource).resets);
  if (fieldsV1 === null) return undefined;
  const entry: JsonObject = {
    manager,
    operation: 'Update',
    apiVersion: apiVersionOf(resource),
    time: now,
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
  if (subresource !== '') entry['subresource'] = subresource;
  return [entry];
}

/** Null also where list items are indistinct. */
function fieldsOrNone(schema: Schema, object: ApiObject, resets: FieldSet): JsonObject | null {
  try {
    return fieldsOfCreator(schema, emptyOf(schema), object as JsonObject, resets);
  } catch (error) {
    if (error instanceof ListItemError) return null;
    throw error;
  }
}

const empties = new WeakMap<Schema, JsonObject>();

function emptyOf(schema: Schema): JsonObject {
  let empty = empties.get(schema);
  if (empty === undefined) empties.set(schema, (empty = emptyValue(schema)));
  return empty;
}

/** The quick check for owners does not look at what stays, nor at recorded fields, and a definition may have changed since. */
const staysTyped = (resource: ServedResource, kept: readonly JsonObject[], ...states: readonly ApiObject[]): boolean => {
  if (!resource.behaviour.selfDescribed) return true;
  const schema = resource.behaviour.versions.schemaOf(apiVersionOf(resource));
  if (schema === null || states.some((state) => isHeavy(state as JsonObject))) return false;
  return states.every((state) => inOneGo(fits(resource, state, schema))) && kept.every(({ fieldsV1 }) => isReconciled(fieldsV1, schema));
};

const ownersWalkedMax = 64;

/** Null unless the update leaves every owner its fields. */
function keptOwners(resource: ServedResource, object: ApiObject, old: ApiObject, writer: UpdateWriter): JsonObject[] | null {
  const { manager, subresource, now } = writer;
  const sent = sentOwners(writer);
  const entries = old.metadata.managedFields;
  const apiVersion = apiVersionOf(resource);
  // Clients may send any spelling.
  if (entries === undefined || entries.length === 0 || (sent !== undefined && !sameValue(sent as JsonValue[], entries))) return null;
  if (!isStoredAs(resource) || entries.length > ownersWalkedMax) return null;
  const isMine = (entry: JsonObject): boolean =>
    entry['manager'] === manager && entry['operation'] === 'Update' && (entry['subresource'] ?? '') === subresource;
  const mine = entries.find(isMine);
  const others = entries.filter((entry) => entry !== mine);
  if (mine === undefined || others.some(isMine) || !entries.every((entry) => isWritten(entry, apiVersion))) return null;
  const schema = resource.behaviour.versions.schemaOf(apiVersion);
  if (schema === null) return null;
  const touched = touchedBy(schema, old as JsonObject, object as JsonObject, {
    mine: mine['fieldsV1'],
    others: others.map((entry) => entry['fieldsV1'] as JsonObject),
  });
  if (touched === 'more') return null;
  if (touched === 'nothing') return entries;
  const { manager: name, operation, apiVersion: version, time: _time, ...rest } = mine;
  return reordered(
    entries.map((entry) =>
      entry === mine ? { manager: name, operation, apiVersion: version, time: now, ...rest } : entry,
    ) as JsonObject[],
  );
}

const isWritten = ({ apiVersion, fieldsV1, fieldsType }: JsonObject, version: string): boolean =>
  apiVersion === version && fieldsType === 'FieldsV1' && isObject(fieldsV1) && Object.keys(fieldsV1).length > 0;

function* owned(
  resource: ServedResource,
  change: ObjectChange,
  managers: Managers,
  { writer, versions }: { readonly writer: Writer; readonly versions: Versions },
): Steps<JsonObject[] | undefined> {
  const id = { manager: writer.manager, operation: 'Update', apiVersion: apiVersionOf(resource), subresource: writer.subresource } as const;
  const { resets } = resource.behaviour.strategy.through(writer.subresource);
  const schema = versions.schemaOf(id.apiVersion);
  for (const each of [change.after, change.before]) if (schema !== null && !(yield* fits(resource, each, schema))) return undefined;
  const owners = yield* unlessIndistinct(
    ownUpdate(change, managers, { id, now: writer.now, resets, respelled: writer.respelled ?? [] }, versions),
  );
  if (owners === null) return undefined;
  const entries = yield* writingManagers(capManagers(owners));
  return entries.length === 0 ? undefined : entries;
}

export interface Scaled {
  readonly resource: ServedResource;
  readonly live: ApiObject;
}

export function ownersOfScale({ resource, live }: Scaled): JsonObject[] {
  return writeManagers(scaleManagers(readNow(live.metadata.managedFields), resource.behaviour.scale.replicasPath));
}

/** Returns `managedFields` of the workload once those of its scale are `owners`. */
export function ownersOfScaled({ resource, live }: Scaled, owners: readonly JsonValue[] | undefined): JsonObject[] {
  const { replicasPath } = resource.behaviour.scale;
  return writeManagers(parentManagers(readNow(live.metadata.managedFields), readNow(owners), replicasPath, apiVersionOf(resource)));
}

/** The same after a write that is not an apply. Replicas without an owner stay without one. */
export function ownScaled(scaled: Scaled, before: ApiObject, after: ApiObject, manager: string): JsonObject[] {
  const owners = readManagers(ownersOfScale(scaled));
  const id = { manager, operation: 'Update', apiVersion: scaleApiVersion, subresource: 'scale' } as const;
  const written =
    owners.size === 0 ? owners : capManagers(inOneGo(ownUpdate({ before, after }, owners, { id, now: noTime }, scaleVersions)));
  return ownersOfScaled(scaled, writeManagers(written));
}

const noTime = '';
const scaleVersions: Versions = {
  schemaOf: (apiVersion) => (apiVersion === scaleApiVersion ? schemaOfKind({ group: 'autoscaling', version: 'v1', kind: 'Scale' }) : null),
  convert: () => null,
};

/** Indistinct items of a set, and custom objects that do not fit their type, end the records, not the write. */
function* unlessIndistinct<T>(work: Steps<T>): Steps<T | null> {
  try {
    return yield* work;
  } catch (error) {
    if (error instanceof ListItemError || error instanceof MismatchError) return null;
    throw error;
  }
}

/** A custom object may be older than its schema, or come with a status that nobody keeps. */
function* fits({ behaviour }: ServedResource, object: ApiObject, schema: Schema, always = behaviour.selfDescribed): Steps<boolean> {
  return !always || (yield* typeProblem(object as JsonObject, schema, 'live')) === null;
}

function served(resource: ServedResource, object: ApiObject): ApiObject {
  const { managedFields: _m, ...metadata } = object.metadata;
  const bare: ApiObject = { ...object, metadata };
  return isStoredAs(resource) ? bare : fromStorage(resource, structuredClone(bare));
}

const isStoredAs = ({ group, version, kind, storage }: ServedResource): boolean =>
  version === storage.version && group === storage.group && kind === storage.kind;

/** Unreadable entries from a client count as absent. */
function* readable(entries: readonly JsonValue[] | undefined): Steps<Managers | null> {
  if (entries === undefined || entries.length === 0) return null;
  try {
    return yield* readingManagers(entries);
  } catch {
    return null;
  }
}

/** Admission may change `managedFields`; null, with a warning, where they can no longer be read: the earlier ones count. */
export function ownersAdmitted(entries: JsonObject[] | undefined, warn: (text: string) => void): JsonObject[] | null {
  const problem = managersProblem(entries);
  if (problem === null) return entries ?? [];
  warn(
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; ' +
      `please fix your requests: ${problem}`,
  );
  return null;
}

const readNow = (entries: readonly JsonValue[] | undefined): Managers => inOneGo(readable(entries)) ?? new Map<string, ManagerEntry>();
