import type { ValuePath } from '../../api/json/valuePath.js';
import type { ApiObject, JsonObject, ObjectMeta } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { badRequest, conflict, invalidObject, modified, plainError, type StatusError } from '../../api/status.js';
import type { StoredObject } from '../storage/contract.js';
import { turns, type Ended } from '../../workers/turns/turns.js';
import { type Steps } from '../../api/steps.js';
import { oddPartOf } from '../storage/keyLayout.js';
import type { EnabledFeatures } from '../../program/features/gates.js';
import { outcomeOf } from './stepwise.js';
import type { Target } from './target.js';
import type { Eventually } from './conversions.js';
import { completesDeletion } from './deletion.js';
import { settleEmpty, withoutEmpty } from './emptyLists.js';
import { carryDeletion, carryMetadataForUpdate, fillMetadataForCreate, storedForm } from './metadata.js';
import { reordered } from '../patch/apply/managers.js';
import { ownCreated, ownUpdated } from './ownership.js';
import type { WriteContext } from './rules.js';
import { invalid, Path, toCause, withoutKept, type FieldError } from './validation/field.js';
import { standing } from './validation/gatedFindings.js';
import { validateMetadata, validateMetadataUpdate } from './validation/metadata.js';
import { pathSegmentName, type NameRule } from './validation/names.js';
import { refuseGrown } from './grown.js';

/** The pure middle of create and update: every nondeterministic value is an argument. */

/** Returns the field owners, which admission does not change. */
export function* beginCreate(target: Target, object: ApiObject, context: WriteContext, heavy: boolean): Steps<JsonObject[] | undefined> {
  const { resource, namespace } = target;
  checkNamespace(object.metadata, target);
  object.metadata.namespace = namespace;
  yield* outcomeOf(resource.behaviour.strategy.read.defaults(object));
  if (heavy) yield* refuseGrown(object);
  if (context.owners !== undefined) return context.owners;
  const writer = { manager: context.manager, subresource: context.subresource ?? '', now: context.now };
  return yield* ownCreated(resource, withoutEmpty(object, resource.storage), writer);
}

/** `nameAndValidate` follows, again for every generated name. */
export function prepareCreate(
  target: Target,
  object: ApiObject,
  context: WriteContext,
  server: { readonly uid: string; readonly owners: JsonObject[] | undefined },
): void {
  // Admission may have changed the namespace.
  checkNamespace(object.metadata, target);
  target.resource.behaviour.strategy.create.prepare(object, context);
  fillMetadataForCreate(object, { namespace: target.namespace, uid: server.uid, now: context.now });
  setOwners(object.metadata, server.owners);
}

function setOwners(metadata: ObjectMeta, owners: JsonObject[] | undefined): void {
  if (owners === undefined) return;
  if (owners.length > 0) metadata.managedFields = owners;
  else delete metadata.managedFields;
}

interface Naming {
  readonly name: string;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly enabled: EnabledFeatures;
  readonly ended: Ended;
}

/** Returns the stored form. Throws (or rejects with) 422 with all findings. */
export function nameAndValidate(target: Target, object: ApiObject, naming: Naming): Eventually<ApiObject> {
  const { resource } = target;
  const { create } = resource.behaviour.strategy;
  return afterwards(turns.run(createFindings(target, object, naming), naming.ended), (findings) =>
    afterwards(create.lastFindings(object, findings), (last) => {
      refuseInvalid(target, naming.name, [...findings, ...last]);
      create.canonicalize(object);
      settleEmpty(object, resource.storage);
      object.metadata.resourceVersion = '';
      return storedForm(object, apiVersionOf(resource.storage));
    }),
  );
}

function* createFindings({ resource }: Target, object: ApiObject, { name, namespaceLabels, enabled }: Naming): Steps<FieldError[]> {
  const { metadata, read, create } = resource.behaviour.strategy;
  object.metadata.name = name;
  const nameRule: NameRule = (text, prefix) => metadata.name(text, prefix, object, enabled);
  // A label may depend on the name: defaults run once more.
  yield* outcomeOf(read.defaults(object));
  if (create.named !== null) create.named(object);
  const ofMetadata = function* (): Steps<FieldError[]> {
    return [
      ...(yield* outcomeOf(validateMetadata(object.metadata, { namespaced: resource.namespaced, nameRule }))),
      ...(yield* outcomeOf(metadata.finalizers(object.metadata))),
    ];
  };
  const servedAs = { apiVersion: apiVersionOf(resource), namespaceLabels };
  return standing(yield* create.review(object, ofMetadata, servedAs), enabled, null);
}

const afterwards = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  value instanceof Promise ? value.then(next) : next(value);

function refuseInvalid(target: Target, name: string, findings: readonly FieldError[]): void {
  if (findings.length > 0) throw invalidTarget(target, name, findings);
}

/** A change of an object; `subresource` is empty for the object itself. */
export interface Update {
  readonly object: ApiObject;
  readonly old: ApiObject;
  readonly subresource: string;
  readonly respelled: readonly ValuePath[];
}

export type UpdateStep =
  | { readonly step: 'unchanged'; readonly object: ApiObject; readonly warnings: readonly string[] }
  | { readonly step: 'write'; readonly object: ApiObject; readonly warnings: readonly string[] };

/** First half of an update, before admission and allocation. */
export function* beginUpdate(target: Target, object: ApiObject): Steps<void> {
  checkIdentity(object.metadata, target);
  object.metadata.namespace = target.namespace;
  yield* outcomeOf(target.resource.behaviour.strategy.read.defaults(object));
}

/** `beginUpdate` and `checkVersion` have run before. */
export function prepareUpdate(target: Target, update: Update, context: WriteContext): Eventually<UpdateStep> {
  const { resource } = target;
  const { object, old, subresource } = update;
  const sentOwners = object.metadata.managedFields;
  carryMetadataForUpdate(object, old);
  // Senders do not own what the server writes itself: only reset fields are left out.
  const owners =
    context.owners ??
    ownUpdated(resource, withoutEmpty(object, resource.storage), old, {
      sent: sentOwners,
      respelled: update.respelled,
      manager: context.manager,
      subresource,
      now: context.now,
      ended: context.ended,
    });
  return afterwards(owners, (managedFields) => {
    carryDeletion(object, old);
    resource.behaviour.strategy.through(subresource).prepare(object, old, context);
    setOwners(object.metadata, managedFields);
    return checkedUpdate(target, update, context);
  });
}

function checkedUpdate(target: Target, change: Update, context: WriteContext): Eventually<UpdateStep> {
  const { object, old, subresource } = change;
  const { resource } = target;
  const { update, through } = resource.behaviour.strategy;
  const steps = through(subresource);
  return afterwards(turns.run(changeFindings(target, change, context), context.ended), (findings) =>
    afterwards(steps.lastFindings(object, old, findings, context.warn), (last) => {
      // Admission may have changed the name.
      refuseInvalid(target, object.metadata.name ?? '', [...findings, ...last]);
      const unstored = completesDeletion(object, resource.behaviour.strategy.delete);
      steps.canonicalize(object, unstored);
      settleEmpty(object, resource.storage, unstored);
      const form = storedForm(object, apiVersionOf(resource.storage));
      const before = storedForm(old, apiVersionOf(resource.storage));
      const warnings = steps.warnings(object, old);
      // ShouldDeleteDuringUpdate.
      return update.isSame(comparable(form), comparable(before)) && !completesDeletion(form, resource.behaviour.strategy.delete)
        ? { step: 'unchanged', object: form, warnings }
        : { step: 'write', object: form, warnings };
    }),
  );
}

function* changeFindings(target: Target, change: Update, context: WriteContext): Steps<FieldError[]> {
  const found = yield* updateFindings(change.object, change, target, context);
  const asked = found.some(({ gate, kept }) => gate !== undefined || kept !== undefined);
  const before = asked ? yield* updateFindings(change.old, change, target, context) : [];
  return withoutKept(
    standing(found, context.enabled, () => before),
    () => before,
  );
}

/** `object`, which the client sent, belongs to the callee. Undefined for objects without owners. */
export function ownersOfUpdate(
  target: Target,
  { object, old, subresource, respelled }: Update,
  context: WriteContext,
): Eventually<JsonObject[] | undefined> {
  const sent = object.metadata.managedFields;
  carryMetadataForUpdate(object, old);
  return ownUpdated(target.resource, withoutEmpty(object, target.resource.storage), old, {
    sent,
    respelled,
    manager: context.manager,
    subresource,
    now: context.now,
    ended: context.ended,
  });
}

/** Generic findings of metadata precede those of the rules. */
function* updateFindings(
  object: ApiObject,
  { old, subresource }: Update,
  { resource }: Target,
  context: WriteContext,
): Steps<FieldError[]> {
  const { metadata } = object;
  const { namespaced } = resource;
  const nameRule: NameRule = (text, prefix) => resource.behaviour.strategy.metadata.name(text, prefix, object, context.enabled);
  const update = yield* outcomeOf(validateMetadataUpdate(metadata, old.metadata));
  const found = yield* outcomeOf(validateMetadata(metadata, { namespaced, nameRule: pathSegmentName }));
  // The kind's rule holds where it repeats those of metadata.
  const named = (metadata.generateName ?? '') === '' && nameRule(metadata.name ?? '', false).length === 0;
  const ofKind = named ? found : yield* outcomeOf(validateMetadata(metadata, { namespaced, nameRule }));
  const besides = (findings: readonly FieldError[]) =>
    function* (): Steps<FieldError[]> {
      return [...findings, ...(yield* outcomeOf(resource.behaviour.strategy.metadata.finalizers(metadata)))];
    };
  const repeated = { object: besides(ofKind), update: besides(update) };
  const review = { metadata: repeated, context, servedAs: { apiVersion: apiVersionOf(resource) } };
  return [...found, ...update, ...(yield* resource.behaviour.strategy.through(subresource).review(object, old, review))];
}

/** Owners that apply their fields again change nothing. */
function comparable(object: ApiObject): ApiObject {
  const { managedFields = [], ...metadata } = object.metadata;
  const timeless = managedFields.map(({ time: _time, ...entry }): JsonObject => entry);
  return { ...object, metadata: { ...metadata, resourceVersion: '', managedFields: reordered(timeless) } };
}

function invalidTarget({ resource }: Target, name: string, findings: readonly FieldError[]): StatusError {
  // Checks the stored type, whatever the client calls it.
  return invalidObject({ group: resource.storage.group, kind: resource.storage.kind }, name, findings.map(toCause));
}

/** The namespace of the body, if any, must be that of the path. Cluster-scoped types ignore it. */
export function checkNamespace(meta: ObjectMeta, { resource, namespace }: Target): void {
  const own = meta.namespace ?? '';
  if (resource.namespaced && own !== '' && own !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The body must name the object of the path. */
export function checkIdentity(meta: ObjectMeta, target: Target): void {
  checkNamespace(meta, target);
  const name = meta.name ?? '';
  if (name === '') throw badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
  if (name !== target.name) throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
}

/** The version that the client sent must be the current one. Sets the current one. */
export function checkVersion(meta: ObjectMeta, stored: StoredObject, { resource, name }: Target): void {
  const wanted = meta.resourceVersion ?? '';
  const version = wanted === '' ? 0 : parseVersion(wanted);
  if (version !== 0 && version !== stored.version) throw modified(resource.storage, name);
  if (version === 0 && !resource.behaviour.strategy.update.unconditional) {
    // The reference names the resource here.
    throw invalidObject({ group: resource.group, kind: resource.resource }, name, [
      toCause(invalid(Path.of('metadata', 'resourceVersion'), 0, 'must be specified for an update')),
    ]);
  }
  meta.resourceVersion = String(stored.version);
}

const versionMax = 2n ** 64n - 1n;

/** Returns the error of a resource version, in the reference's words, or null. */
export function versionProblem(text: string): string | null {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  return BigInt(text) > versionMax ? `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range` : null;
}

/** Precedes the check whether the object is there. */
export function refuseUnreadableVersion({ resourceVersion = '' }: ObjectMeta): void {
  if (resourceVersion !== '') parseVersion(resourceVersion);
}

function parseVersion(text: string): number {
  const problem = versionProblem(text);
  if (problem !== null) throw plainError(500, problem);
  return Number(text);
}

export function wrongUid({ resource, namespace, name }: Target, { wanted, actual, dryRun }: WrongUid): StatusError {
  const kept = oddPartOf(resource.storage) ?? resource.storage.resource;
  // The store adds its own key prefix.
  const key = `${dryRun ? '' : '/registry'}/${kept}/${namespace === '' ? '' : `${namespace}/`}${name}`;
  return conflict(
    resource.storage,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, ` +
      `AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${actual}`,
  );
}

interface WrongUid {
  readonly wanted: string;
  readonly actual: string;
  readonly dryRun: boolean;
}
