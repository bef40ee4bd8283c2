import type { Steps } from '../../../api/steps.js';
import { isKnownKind } from '../../../api/catalogue/kinds.js';
import { typeOfKind } from '../../../api/catalogue/types.js';
import { goType } from '../../../api/goTypes.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { apiVersionOf, groupVersionOf } from '../../../api/meta/resource.js';
import { internalError, invalidObject, type StatusError } from '../../../api/status.js';
import { memberAt } from '../../../api/json/members.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { patchTypeOfKind } from '../../patch/patchType.js';
import type { ServedResource } from '../../registry/resources.js';

export interface PatchedKind {
  /** Has the kind and version of the resource. */
  readonly object: JsonObject;
  /** Members that the type does not have. */
  readonly unknown: readonly string[];
  /** A custom object's, from its validation (ValidateTypeMeta in registry/customresource). A status keeps its kind. */
  readonly otherKind: StatusError | null;
}

/** Reads a patched object by its kind and version. `refusal` makes a patch's error. Throws StatusError. */
export function* patchedKind(
  after: JsonObject,
  resource: ServedResource,
  { strategic, refusal }: { readonly strategic: boolean; readonly refusal: (why: string) => Steps<StatusError> },
): Steps<PatchedKind> {
  try {
    return readKind(after, resource, strategic);
  } catch (error) {
    throw error instanceof UnreadError ? yield* refusal(error.message) : error;
  }
}

/** Says why a patched object cannot be read. */
class UnreadError extends Error {
  override name = 'UnreadError';
}

/** Throws UnreadError. */
function readKind(after: JsonObject, resource: ServedResource, strategic: boolean): PatchedKind {
  const [kind, apiVersion] = [textOf(after, 'kind'), textOf(after, 'apiVersion')];
  const own = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  if (kind === own.kind && apiVersion === own.apiVersion) return { object: after, unknown: [], otherKind: null };
  if (patchTypeOfKind(resource) === null) {
    refuseUnread(after, { kind, apiVersion });
    return { object: { ...after, ...own }, unknown: [], otherKind: wrongCustom(after, { kind, apiVersion }, resource) };
  }
  // A strategic merge is read as the type, whatever kind it names.
  if (!strategic && apiVersion === '') return { object: { ...own, metadata: {} }, unknown: unknownIn(after), otherKind: null };
  if (!strategic) refuseOther(kind === '' ? own.kind : kind, apiVersion, resource);
  return { object: { ...after, ...own }, unknown: [], otherKind: null };
}

function textOf(object: JsonObject, member: 'kind' | 'apiVersion'): string {
  const value: JsonValue | undefined = object[member];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new UnreadError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(value)} into Go struct field .${member} of type string`,
  );
}

/** An object without a version is read as the internal type, which has no JSON names. */
const unknownIn = (object: JsonObject): string[] =>
  Object.keys(object)
    .filter((name) => name !== 'kind' && name !== 'apiVersion')
    .sort()
    .map((name) => `unknown field ${JSON.stringify(name)}`);

function refuseOther(kind: string, apiVersion: string, resource: ServedResource): void {
  if (apiVersion.split('/').length > 2) throw new UnreadError(`unexpected GroupVersion string: ${apiVersion}`);
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return;
  const version = groupVersionOf(apiVersion);
  if (!isKnownKind(version, kind))
    throw new UnreadError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  // A version no longer served has the members of the served one.
  if (kind === resource.kind && typeOfKind({ ...version, kind }) === undefined) return;
  const internal = resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '');
  throw new UnreadError(`converting (${version.version}.${kind}) to (${internal}.${resource.kind}): unknown conversion`);
}

interface Named {
  readonly kind: string;
  readonly apiVersion: string;
}

function refuseUnread(after: JsonObject, { kind, apiVersion }: Named): void {
  if (apiVersion.split('/').length > 2) throw new UnreadError(`unexpected GroupVersion string: ${apiVersion}`);
  if (kind === '') throw new UnreadError(`Object 'Kind' is missing in '${writeJson(after)}'`);
  if (after['apiVersion'] === null) throw new UnreadError('.apiVersion accessor error: <nil> is of the type <nil>, expected string');
}

function wrongCustom(after: JsonObject, { kind, apiVersion }: Named, resource: ServedResource): StatusError {
  if (apiVersion === '') return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const wrong = (field: string, value: string, wanted: string): Parameters<typeof invalidObject>[2] =>
    value === wanted ? [] : [{ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: must be ${wanted}`, field }];
  return invalidObject({ group: groupVersionOf(apiVersion).group, kind }, String(memberAt(after, 'metadata', 'name') ?? ''), [
    ...wrong('kind', kind, resource.kind),
    ...wrong('apiVersion', apiVersion, apiVersionOf(resource)),
  ]);
}
