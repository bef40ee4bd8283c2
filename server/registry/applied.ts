import type { Steps } from '../../api/steps.js';
import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { badRequest, plainError, StatusError } from '../../api/status.js';
import { apply, type ApplyResult } from '../patch/apply/apply.js';
import { describeConflict, spellPath } from '../patch/apply/describe.js';
import { applyingClient, realConflicts, withLastConfiguration } from '../patch/apply/lastApplied.js';
import { readingManagers, writingManagers, type ManagerEntry, type ManagerId, type Managers } from '../patch/apply/managers.js';
import { MismatchError, ownUpdate, type ApplyConflict, type OwnWrite, type Versions } from '../patch/apply/ownership.js';
import { emptyValue, type Schema } from '../patch/apply/schema.js';
import { typeProblem } from '../patch/apply/typed.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { ServedResource } from './resources.js';

export interface ApplyRequest {
  /** Defaults to those of the type. */
  readonly versions?: Versions;
  readonly resource: ServedResource;
  readonly config: ApiObject;
  readonly manager: string;
  readonly subresource: string;
  readonly force: boolean;
  /** RFC 3339 with seconds. */
  readonly now: string;
}

/** Throws 409 that names the conflicts, 400 for a configuration that sets `managedFields`, and 500 for fields that the type does not have. */
export function* applyConfiguration(live: ApiObject | null, request: ApplyRequest): Steps<ApiObject> {
  const { resource, config, force, now } = request;
  const apiVersion = apiVersionOf(resource);
  const versions = request.versions ?? resource.behaviour.versions;
  const schema = versions.schemaOf(apiVersion);
  if (schema === null) throw plainError(500, `no schema is known for ${apiVersion}, Kind=${resource.kind}`);
  yield* checkTypes(request, live, schema);
  const { subresource } = request;
  const write: OwnWrite = {
    id: { manager: request.manager, operation: 'Apply', apiVersion, subresource },
    now,
    resets: resource.behaviour.strategy.through(subresource).resets,
  };
  const nothing = bare({ ...emptyValue(schema), metadata: {} } as ApiObject);
  const before = live === null ? nothing : bare(live);
  const owners = live === null ? new Map<string, ManagerEntry>() : yield* ownersOf(live, { nothing, write, versions });
  // A configuration may say null for `managedFields`, which counts as a change.
  const applied = (forced: boolean): Steps<ApplyResult> =>
    mismatchAsError(apply({ live: before, config }, owners, { ...write, force: forced }, versions));
  let result = yield* applied(force);
  if (!result.ok && request.manager === applyingClient) {
    const conflicts = yield* realConflicts(result.conflicts, before, schema, apiVersion);
    result = conflicts.length > 0 ? { ok: false, conflicts } : yield* applied(true);
  }
  if (!result.ok) throw conflictError(result.conflicts);
  const entries = yield* writingManagers(result.managers);
  const object = request.manager === applyingClient ? withLastConfiguration(result.object, config) : result.object;
  return {
    ...object,
    apiVersion,
    kind: resource.kind,
    metadata: { ...bare(object).metadata, ...(entries.length === 0 ? {} : { managedFields: entries }) },
  };
}

function* mismatchAsError<T>(work: Steps<T>): Steps<T> {
  try {
    return yield* work;
  } catch (error) {
    throw error instanceof MismatchError ? plainError(500, error.message) : error;
  }
}

/** Throws 400 and 500. The live object may have fields that its type no longer knows, but no value of a wrong type. */
function* checkTypes({ resource, config }: ApplyRequest, live: ApiObject | null, schema: Schema): Steps<void> {
  const unfit = live === null ? null : yield* typeProblem(live as JsonObject, schema, 'live');
  // An object without owners is given one first (managedfields/internal/skipnonapplied.go).
  if (live !== null && unfit !== null && (live.metadata.managedFields ?? []).length === 0)
    throw plainError(
      500,
      `failed to create manager for existing fields: failed to convert new object (${describedObject(live, resource)}) to smd typed: ${unfit}`,
    );
  if (Array.isArray(config.metadata.managedFields)) throw badRequest('metadata.managedFields must be nil');
  const problem = yield* typeProblem(config as JsonObject, schema, 'configuration');
  if (problem !== null) throw plainError(500, `failed to create typed patch object (${describedObject(config, resource)}): ${problem}`);
  if (live !== null && unfit !== null)
    throw plainError(500, `failed to create typed live object (${describedObject(live, resource)}): ${unfit}`);
}

export const gvkText = ({ group, version, kind }: ServedResource): string => `${group}/${version}, Kind=${kind}`;

export const describedObject = ({ metadata }: ApiObject, resource: ServedResource): string =>
  `${metadata.namespace ?? ''}/${metadata.name ?? ''}; ${gvkText(resource)}`;

const bare = (object: ApiObject): ApiObject => {
  const { managedFields: _m, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
};

interface FirstApply {
  readonly nothing: ApiObject;
  readonly write: OwnWrite;
  readonly versions: Versions;
}

/** An object without recorded owners belongs to its last writer. */
function* ownersOf(live: ApiObject, { nothing, write, versions }: FirstApply): Steps<Managers> {
  const recorded = yield* readingManagers(live.metadata.managedFields as JsonValue[] | undefined);
  if (recorded.size > 0) return recorded;
  const id: ManagerId = { ...write.id, manager: beforeFirstApply, operation: 'Update' };
  return yield* ownUpdate({ before: nothing, after: bare(live) }, recorded, { ...write, id }, versions);
}

const beforeFirstApply = 'before-first-apply';

/** A refusal only counts further conflicts. */
export const conflictsNamedMax = 1_000;

interface Named {
  readonly manager: string;
  readonly field: string;
}

/** Identifies managers, see `BuildManagerIdentifier`. */
const orderOf = ({ manager: { manager, operation, apiVersion, subresource } }: ApplyConflict): string =>
  writeJson({
    manager,
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });

function conflictError(conflicts: readonly ApplyConflict[]): StatusError {
  const named: Named[] = [];
  let count = 0;
  for (const { manager, fields } of [...conflicts].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))) {
    const who = describeConflict(manager);
    for (const path of fields.orderedPaths()) if (++count <= conflictsNamedMax) named.push({ manager: who, field: spellPath(path) });
  }
  const more = count > named.length ? `\n... and ${count - named.length} more` : '';
  return new StatusError(409, 'Conflict', `Apply failed with ${count} conflict${count === 1 ? '' : 's'}: ${summary(named)}${more}`, {
    causes: named.map(({ manager, field }) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  });
}

function summary(named: readonly Named[]): string {
  const [only] = named;
  if (named.length === 1 && only !== undefined) return `conflict with ${only.manager}: ${only.field}`;
  const fields = new Map<string, string[]>();
  for (const { manager, field } of named) {
    const known = fields.get(manager);
    if (known === undefined) fields.set(manager, [field]);
    else known.push(field);
  }
  return [...fields].map(([manager, own]) => `conflicts with ${manager}:\n${own.map((field) => `- ${field}`).join('\n')}`).join('\n');
}
