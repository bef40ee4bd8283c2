import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission.js';
import type { Lookup } from '../registry/lookup.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { invalidObject } from '../../api/status.js';
import type { User } from '../../api/user.js';
import { groupMasters } from '../../program/authentication/authenticator.js';
import { sameValue } from '../../api/json/equality.js';
import { objectAt } from '../../api/json/defaulting.js';
import { textAt } from '../../api/json/members.js';
import type { Catalogue } from '../registry/resources.js';
import { forbidden, Path, toCause } from '../registry/validation/field.js';
import type { Authorizer } from './authorizer.js';

const group = 'admissionregistration.k8s.io';
const policies = ['validatingadmissionpolicies', 'mutatingadmissionpolicies'];
const bindings: Readonly<Record<string, string>> = {
  validatingadmissionpolicybindings: 'validatingadmissionpolicies',
  mutatingadmissionpolicybindings: 'mutatingadmissionpolicies',
};

/** "*" stands for all where the target is unknown. */
interface Target {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

interface Parts {
  readonly authorize: Authorizer;
  readonly catalogue: Pick<Catalogue, 'kind'>;
  readonly lookup: Pick<Lookup, 'find'>;
}

/**
 * Expressions may reveal parameters of admission policies. So the writer of a policy needs the right to read (verb "get") its parameter kind, and the writer
 * of a binding its object, or with a selector all objects. Unchanged references may stay; administrators may name anything.
 */
export const policyParamsCheck = (parts: Parts): AdmissionPlugin => ({
  name: 'AdmissionPolicyParams',
  resources: [...policies, ...Object.keys(bindings)].map((resource) => `${resource}.${group}`),
  async validate(request) {
    const { object, user, subresource } = request;
    if (object === null || subresource !== '' || user.groups.includes(groupMasters)) return;
    const policy = bindings[request.resource.resource];
    if (policy === undefined) await checkPolicy(request, object, parts);
    else await checkBinding(request, object, policy, parts);
  },
});

async function checkPolicy(request: AdmissionRequest, object: ApiObject, { authorize, catalogue }: Parts): Promise<void> {
  const kind = paramKindOf(object);
  if (kind === null || sameValue(kind, paramKindOf(request.old))) return;
  if (await mayGet(authorize, request.user, { ...resourceOf(kind, catalogue), namespace: '*', name: '*' })) return;
  const which = `(kind=${textAt(kind, 'kind')}, apiVersion=${textAt(kind, 'apiVersion')})`;
  throw refusal(request, 'paramKind', `must have "get" permission on all objects of the referenced paramKind ${which}`);
}

async function checkBinding(
  request: AdmissionRequest,
  object: ApiObject,
  policy: string,
  { authorize, catalogue, lookup }: Parts,
): Promise<void> {
  const ref = paramRefOf(object);
  const policyName = (binding: ApiObject | null): string => textAt(binding, 'spec', 'policyName');
  if (ref === null || (sameValue(ref, paramRefOf(request.old)) && policyName(object) === policyName(request.old))) return;
  const kind = paramKindOf(await lookup.find({ group, resource: policy }, '', policyName(object)));
  const what = kind === null ? anything : resourceOf(kind, catalogue);
  if (await mayGet(authorize, request.user, { ...what, namespace: textAt(ref, 'namespace'), name: textAt(ref, 'name') })) return;
  throw refusal(request, 'paramRef', 'does not have "get" permission on the object referenced by paramRef');
}

const paramKindOf = (policy: ApiObject | null): JsonObject | null => objectAt(objectAt(policy, 'spec'), 'paramKind');
const paramRefOf = (binding: ApiObject | null): JsonObject | null => objectAt(objectAt(binding, 'spec'), 'paramRef');

const anything = { group: '*', version: '*', resource: '*' } as const;

/** A kind that is not served yet needs the right to all of its group and version, since it may be served later. */
function resourceOf(kind: JsonObject, catalogue: Pick<Catalogue, 'kind'>): Pick<Target, 'group' | 'version' | 'resource'> {
  const parts = textAt(kind, 'apiVersion').split('/');
  if (parts.length > 2) return anything;
  const [named, version] = parts.length === 2 ? (parts as [string, string]) : ['', parts[0] as string];
  return { group: named, version, resource: catalogue.kind(named, version, textAt(kind, 'kind'))?.resource ?? '*' };
}

const mayGet = async (authorize: Authorizer, user: User, target: Target): Promise<boolean> =>
  (await authorize({ isResource: true, user, verb: 'get', subresource: '', ...target })).decision === 'allow';

const refusal = ({ resource, object, user }: AdmissionRequest, member: string, why: string): Error =>
  invalidObject({ group, kind: resource.kind }, object?.metadata.name ?? '', [
    toCause(forbidden(Path.of('spec', member), `user ${described(user)} ${why}`)),
  ]);

/** The reference's format: name, uid, groups and the rest. */
function described({ name, uid, groups, extra }: User): string {
  const rest = Object.entries(extra)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${rest.join(' ')}]}`;
}
