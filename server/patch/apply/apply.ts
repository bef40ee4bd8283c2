import type { Steps } from '../../../api/steps.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { sameValue } from './compare.js';
import { FieldSet } from './fieldSet.js';
import { fieldsOf } from './fieldsOf.js';
import { managerKey, type ManagerEntry, type Managers } from './managers.js';
import { merge } from './merge.js';
import { checkForms, disown, managedOnly, type ApplyConflict, type OwnWrite, type Versions } from './ownership.js';
import { reconciled } from './reconcile.js';
import { prune } from './prune.js';

export type ApplyResult =
  | {
      readonly ok: true;
      readonly object: ApiObject;
      readonly managers: Managers;
      /** Neither the object nor any owner's fields changed. */ readonly unchanged: boolean;
    }
  | { readonly ok: false; readonly conflicts: readonly ApplyConflict[] };

/**
 * Server-side apply: merges the configuration into the live object, field by field, and records the applier's fields. A field with another manager's other
 * value is a conflict unless `force` takes it over; a field no longer set is removed if no other manager owns it. `live` and `config` are in the version
 * `id.apiVersion`, without managedFields.
 */
export function* apply(
  { live, config }: { readonly live: ApiObject; readonly config: ApiObject },
  recorded: Managers,
  { id, now, resets = FieldSet.empty, force }: OwnWrite & { readonly force: boolean },
  versions: Versions,
): Steps<ApplyResult> {
  const schema = versions.schemaOf(id.apiVersion);
  if (schema === null) throw new RangeError(`no schema for ${id.apiVersion}`);
  const key = managerKey(id);
  yield* checkForms(live, recorded, id.apiVersion, versions);
  const managers = yield* reconciled(recorded, (version) => versions.schemaOf(version));
  const last = managers.get(key);
  const applied = managedOnly(yield* fieldsOf(config as JsonObject, schema)).recursiveDifference(resets);
  const owners = new Map(managers).set(key, { ...id, time: now, fields: applied });
  const merged = (yield* merge(live as JsonObject, config as JsonObject, schema)) as ApiObject;
  const object = yield* prune(merged, { last, owners, apiVersion: id.apiVersion, versions });
  const result = yield* disown({ before: live, after: object }, owners, { self: key, by: id, resets, force }, versions);
  if (!result.ok) return result;
  yield;
  // The order of items also belongs to the object, though without an owner.
  if (!sameValue(live as JsonObject, object as JsonObject))
    return { ok: true, object, managers: dropEmpty(result.managers), unchanged: false };
  // Sharing an existing value is no change: the entry keeps the time of the applier's last change, if any.
  const kept = new Map(result.managers).set(key, { ...id, time: managers.get(key)?.time ?? null, fields: applied });
  const unchanged = sameOwners(managers, dropEmpty(kept));
  return { ok: true, object, managers: unchanged ? managers : dropEmpty(kept), unchanged };
}

const dropEmpty = (managers: Managers): Managers => new Map([...managers].filter(([, entry]) => !entry.fields.isEmpty));

function sameOwners(before: Managers, after: Managers): boolean {
  const same = (a: ManagerEntry, b: ManagerEntry | undefined): boolean => b !== undefined && a.fields.equals(b.fields);
  return before.size === after.size && [...before].every(([key, entry]) => same(entry, after.get(key)));
}
