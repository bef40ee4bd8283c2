import { isKnownKind } from '../../../api/catalogue/kinds.js';
import { typeOfKind } from '../../../api/catalogue/types.js';
import { goType } from '../../../api/goTypes.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { apiVersionOf, groupVersionOf } from '../../../api/meta/resource.js';
import { internalError, invalidObject, type StatusError } from '../../../api/status.js';
import { memberAt } from '../../../api/json/members.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { patchTypeOfKind } from '../../patch/patchtype.js';
import type { ServedResource } from '../../registry/resources.js';

export interface PatchedKind {
  /** Has the kind and version of the resource. */
  readonly object: JsonObject;
  /** Members that the type does not have. */
  readonly unknown: readonly string[];
}

/** Reads a patched object by its kind and version. `refuse` makes a patch's error. Throws StatusError. */
export function patchedKind(
  after: JsonObject,
  resource: ServedResource,
  { strategic, refuse }: { readonly strategic: boolean; readonly refuse: (why: string) => StatusError },
): PatchedKind {
  const [kind, apiVersion] = [textOf(after, 'kind', refuse), textOf(after, 'apiVersion', refuse)];
  const own = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  if (kind === own.kind && apiVersion === own.apiVersion) return { object: after, unknown: [] };
  if (patchTypeOfKind(resource) === null) throw wrongCustom(after, { kind, apiVersion }, resource, refuse);
  // A strategic merge is read as the type, whatever kind it names.
  if (!strategic && apiVersion === '') return { object: { ...own, metadata: {} }, unknown: unknownIn(after) };
  if (!strategic) refuseOther(kind === '' ? own.kind : kind, apiVersion, resource, refuse);
  return { object: { ...after, ...own }, unknown: [] };
}

function textOf(object: JsonObject, member: 'kind' | 'apiVersion', refuse: (why: string) => StatusError): string {
  const value: JsonValue | undefined = object[member];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw refuse(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(value)} into Go struct field .${member} of type string`,
  );
}

/** An object without a version is read as the internal type, which has no JSON names. */
const unknownIn = (object: JsonObject): string[] =>
  Object.keys(object)
    .filter((name) => name !== 'kind' && name !== 'apiVersion')
    .sort()
    .map((name) => `unknown field ${JSON.stringify(name)}`);

function refuseOther(kind: string, apiVersion: string, resource: ServedResource, refuse: (why: string) => StatusError): void {
  if (apiVersion.split('/').length > 2) throw refuse(`unexpected GroupVersion string: ${apiVersion}`);
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return;
  const version = groupVersionOf(apiVersion);
  if (!isKnownKind(version, kind))
    throw refuse(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  // A version no longer served has the members of the served one.
  if (kind === resource.kind && typeOfKind({ ...version, kind }) === undefined) return;
  const internal = resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '');
  throw refuse(`converting (${version.version}.${kind}) to (${internal}.${resource.kind}): unknown conversion`);
}

function wrongCustom(
  after: JsonObject,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  resource: ServedResource,
  refuse: (why: string) => StatusError,
): StatusError {
  if (apiVersion.split('/').length > 2) return refuse(`unexpected GroupVersion string: ${apiVersion}`);
  if (kind === '') return refuse(`Object 'Kind' is missing in '${writeJson(after)}'`);
  if (apiVersion === '') return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const wrong = (field: string, value: string, wanted: string): Parameters<typeof invalidObject>[2] =>
    value === wanted ? [] : [{ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: must be ${wanted}`, field }];
  return invalidObject({ group: groupVersionOf(apiVersion).group, kind }, String(memberAt(after, 'metadata', 'name') ?? ''), [
    ...wrong('kind', kind, resource.kind),
    ...wrong('apiVersion', apiVersion, apiVersionOf(resource)),
  ]);
}
