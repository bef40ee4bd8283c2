import type { Steps } from '../../../api/steps.js';
import type { ValuePath } from '../../../api/json/valuePath.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { compare, isSame, type Comparison } from './compare.js';
import { FieldSet } from './fieldSet.js';
import { managerKey, type ManagerEntry, type ManagerId, type Managers } from './managers.js';
import { respelledFields } from './respelled.js';
import { reconciled } from './reconcile.js';
import type { Schema } from './schema.js';
import { typeProblem } from './typed.js';

/**
 * Objects are compared in the request's version. Managers of other versions keep their fields' spelling; `inVersion` returns object and schema there, or null
 * when that version no longer exists.
 */
export interface Versions {
  readonly schemaOf: (apiVersion: string) => Schema | null;
  readonly convert: (object: ApiObject, apiVersion: string) => ApiObject | null;
  /** Objects are compared unconverted, and need not fit other versions. */
  readonly unconverted?: boolean;
  /** Whether a write also resets fields of owners in another version; true by default. */
  readonly resets?: (subresource: string, ownersVersion: string) => boolean;
}

/** Fields of another manager that this write would change. */
export interface ApplyConflict {
  readonly manager: ManagerEntry;
  readonly fields: FieldSet;
}

export type OwnershipResult =
  | { readonly ok: true; readonly managers: Managers; readonly comparison: Comparison }
  | { readonly ok: false; readonly conflicts: readonly ApplyConflict[] };

/** Fields that the server owns, which have no managers. */
const unmanaged = FieldSet.fromFieldsV1({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:clusterName': {},
    'f:creationTimestamp': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:name': {},
    'f:namespace': {},
    'f:resourceVersion': {},
    'f:selfLink': {},
    'f:uid': {},
  },
});

/** An object does not fit its type in another version. Ends an apply, and the ownership records of any other write. */
export class MismatchError extends Error {}

/** `as` precedes the reason of a MisfitError. */
export interface Converting {
  readonly versions: Versions;
  readonly as: string;
}

/** Null for a version that no longer exists. The reference checks the result as strictly as a configuration. */
export function* converted(object: ApiObject, from: string, version: string, { versions, as }: Converting): Steps<ApiObject | null> {
  const schema = versions.schemaOf(version);
  const form = schema === null ? null : versions.convert({ ...object, apiVersion: from }, version);
  const mismatch =
    form === null || schema === null || versions.unconverted === true
      ? null
      : yield* typeProblem(form as JsonObject, schema, 'configuration');
  if (mismatch !== null) throw new MismatchError(`${as}${mismatch}`);
  return form;
}

/** Throws MisfitError unless the live object, in version `own`, fits every version with owned fields. */
export function* checkForms(live: ApiObject, managers: Managers, own: string, versions: Versions): Steps<void> {
  for (const version of new Set([...managers.values()].map(({ apiVersion }) => apiVersion)))
    if (version !== own) yield* converted(live, own, version, { versions, as: '' });
}

export const managedOnly = (fields: FieldSet): FieldSet => fields.difference(unmanaged);

export interface ObjectChange {
  readonly before: ApiObject;
  readonly after: ApiObject;
}

interface Disowning {
  readonly self: string;
  readonly by: ManagerId;
  readonly resets: FieldSet;
  readonly respelled?: FieldSet;
  readonly force: boolean;
}

/**
 * Applies a write to the fields of all managers but `self`: changed fields leave their owners (without `force` they are conflicts), removed fields leave all.
 */
export function* disown(
  change: ObjectChange,
  managers: Managers,
  { self, by, resets, respelled = FieldSet.empty, force }: Disowning,
  versions: Versions,
): Steps<OwnershipResult> {
  const comparisons = new Map<string, Comparison | null>();
  function* comparisonIn(version: string): Steps<Comparison | null> {
    let known = comparisons.get(version);
    if (known === undefined) comparisons.set(version, (known = yield* compareIn(change, version, { by, resets, respelled, versions })));
    return known;
  }
  const comparison = yield* comparisonIn(by.apiVersion);
  if (comparison === null) throw new RangeError(`no schema for ${by.apiVersion}`);
  const unions = new Map<Comparison, FieldSet>();
  const touched = (found: Comparison): FieldSet => {
    let known = unions.get(found);
    if (known === undefined) unions.set(found, (known = found.modified.union(found.added)));
    return known;
  };
  const kept = new Map<string, ManagerEntry>();
  const conflicts: ApplyConflict[] = [];
  for (const [key, entry] of managers) {
    if (key === self) {
      kept.set(key, entry);
      continue;
    }
    yield;
    const found = yield* comparisonIn(entry.apiVersion);
    if (found === null) continue;
    const disputed = entry.fields.intersection(touched(found));
    if (!disputed.isEmpty) conflicts.push({ manager: entry, fields: disputed });
    const fields = entry.fields.difference(disputed).difference(found.removed);
    if (!fields.isEmpty) kept.set(key, fields === entry.fields ? entry : { ...entry, fields });
  }
  return !force && conflicts.length > 0 ? { ok: false, conflicts } : { ok: true, managers: kept, comparison };
}

function* compareIn(
  { before, after }: ObjectChange,
  version: string,
  {
    by: { apiVersion: own, subresource },
    resets,
    respelled,
    versions,
  }: { readonly by: ManagerId; readonly resets: FieldSet; readonly respelled: FieldSet; readonly versions: Versions },
): Steps<Comparison | null> {
  const schema = versions.schemaOf(version);
  if (schema === null) return null;
  const [left, right] =
    version === own
      ? [before, after]
      : [
          versions.convert({ ...before, apiVersion: own }, version),
          yield* converted(after, own, version, { versions, as: 'failed to convert new object: ' }),
        ];
  if (left === null || right === null) return null;
  const comparison = yield* compare(left as JsonObject, right as JsonObject, schema);
  if (version !== own && versions.resets?.(subresource, version) === false) return comparison;
  const { added, removed } = comparison;
  const modified = version === own ? comparison.modified.union(respelled.difference(added)) : comparison.modified;
  return {
    added: added.recursiveDifference(resets),
    modified: modified.recursiveDifference(resets),
    removed: removed.recursiveDifference(resets),
  };
}

/** `resets`: fields that do not affect owners. */
export interface OwnWrite {
  readonly id: ManagerId;
  readonly now: string;
  /** Default: nothing. */
  readonly resets?: FieldSet;
  readonly respelled?: readonly ValuePath[];
}

/**
 * Ownership after a create, update or patch. `before` is the live object, empty for a create. The writer gains added and changed fields and loses removed
 * ones; its time changes only when it gained something.
 */
export function* ownUpdate(
  change: ObjectChange,
  recorded: Managers,
  { id, now, resets = FieldSet.empty, respelled: paths = [] }: OwnWrite,
  versions: Versions,
): Steps<Managers> {
  const key = managerKey(id);
  yield* checkForms(change.before, recorded, id.apiVersion, versions);
  const managers = yield* reconciled(recorded, (version) => versions.schemaOf(version));
  const schema = versions.schemaOf(id.apiVersion);
  const respelled = schema === null || paths.length === 0 ? FieldSet.empty : respelledFields(paths, change.after as JsonObject, schema);
  const result = yield* disown(change, managers, { self: key, by: id, resets, respelled, force: true }, versions);
  if (!result.ok) throw new Error('a forced write cannot conflict');
  const { comparison } = result;
  if (isSame(comparison)) return result.managers;
  const changed = comparison.modified.union(comparison.added);
  yield;
  const gained = managedOnly(changed);
  const owned = new Map(result.managers);
  const mine = owned.get(key);
  // This order keeps the same set for most writers, which change only their own fields.
  const fields = (mine?.fields ?? FieldSet.empty).difference(comparison.removed).difference(changed.difference(gained)).union(gained);
  if (fields.isEmpty) owned.delete(key);
  else owned.set(key, { ...id, time: gained.isEmpty ? (mine?.time ?? null) : now, fields });
  return owned;
}
