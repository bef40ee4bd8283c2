import { groupVersionOf } from '../../../api/meta/resource.js';
import { copyOf } from '../../../api/json/copy.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { matchesLabels } from '../../../api/selectors/index.js';
import { storedForm } from '../../registry/metadata.js';
import type { Catalogue, ServedResource } from '../../registry/resources.js';
import type { Storage } from '../../storage/contract.js';
import { createLookup } from '../../registry/lookup.js';
import type { MatchParts } from '../matching/match.js';
import type { ConvertObject } from '../matching/versions.js';
import type { ParamRef, Policy } from './policy.js';

export interface ParamParts extends MatchParts {
  readonly storage: Storage;
  readonly convert: ConvertObject;
}

export type Params =
  /** One evaluation for each; null without parameters. */
  { readonly ok: true; readonly params: readonly (JsonObject | null)[] } | { readonly ok: false; readonly message: string };

const refused = (message: string): Params => ({ ok: false, message });

/** The parameter type of a policy, null for none, or the error. */
export function paramResource(
  { paramKind }: Policy,
  catalogue: Catalogue,
): { readonly ok: true; readonly resource: ServedResource | null } | { readonly ok: false; readonly message: string } {
  if (paramKind === null) return { ok: true, resource: null };
  const { group, version } = groupVersionOf(paramKind.apiVersion);
  const resource = catalogue.kind(group, version, paramKind.kind);
  return resource === null
    ? { ok: false, message: `failed to find resource referenced by paramKind: '${paramKind.apiVersion}, Kind=${paramKind.kind}'` }
    : { ok: true, resource };
}

/** Returns the `params` of a policy for one binding and namespace. Rejects with a StatusError when they cannot be read. */
export async function paramsOf(
  resource: ServedResource | null,
  ref: ParamRef | null,
  namespace: string,
  parts: ParamParts,
): Promise<Params> {
  if (resource === null || ref === null) return { ok: true, params: [null] };
  if (!resource.namespaced && ref.namespace !== '')
    return refused('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const within = !resource.namespaced ? '' : ref.namespace === '' ? namespace : ref.namespace;
  if (resource.namespaced && within === '')
    return refused('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const found = await objectsOf(resource, ref, within, parts);
  if (found.length === 0 && ref.deniesAbsence) return refused('no params found for policy binding with `Deny` parameterNotFoundAction');
  return { ok: true, params: await Promise.all(found.map((object) => shown(object, resource, parts))) };
}

async function objectsOf(
  resource: ServedResource,
  { name, selector }: ParamRef,
  namespace: string,
  { storage }: ParamParts,
): Promise<readonly ApiObject[]> {
  const lookup = createLookup(resource.behaviour.storage(storage));
  if (name !== '') {
    const object = await lookup.find(resource.storage, namespace, name);
    return object === null ? [] : [object];
  }
  if (selector === null) return [];
  const all = await lookup.list(resource.storage, resource.namespaced ? namespace : null);
  return all.filter((object) => matchesLabels(selector, object.metadata.labels ?? {}));
}

/** Converts to the policy's version, with kind and API version. */
async function shown(object: ApiObject, resource: ServedResource, { convert }: ParamParts): Promise<JsonObject> {
  const plain = storedForm(copyOf(object as JsonObject) as ApiObject, '');
  delete plain.apiVersion;
  const {
    kind: _kind,
    apiVersion: _apiVersion,
    ...content
  } = await convert(resource, plain, apiVersionOf(resource.storage), apiVersionOf(resource));
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), ...content };
}
