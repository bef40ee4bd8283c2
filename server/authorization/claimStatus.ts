import type { ApiObject, JsonObject } from '../../api/object.js';
import { invalidObject } from '../../api/status.js';
import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { sameValue } from '../../api/json/equality.js';
import { itemsOf, memberAt, textAt } from '../../api/json/members.js';
import { forbidden as fieldForbidden, Path, toCause, type FieldError } from '../registry/validation/field.js';
import type { Attributes, Authorizer } from './authorizer.js';
import { forbidden } from './forbidden.js';
import { boundNode } from './impersonation.js';

/**
 * Rights to parts of a ResourceClaim's status, besides writing the status: allocation needs `resourceclaims/binding`, device reports need
 * `resourceclaims/driver` for their driver. The reference (`AuthorizedForBinding`, `AuthorizedForDeviceStatus`) checks the request's verb during validation: a
 * right to update does not include patch.
 */

const group = 'resource.k8s.io';

type Right = Extract<Attributes, { isResource: true }>;
const right = ({ user, resource: { version } }: Changed, subresource: string, more: Pick<Right, 'verb' | 'namespace' | 'name'>): Right => ({
  isResource: true,
  user,
  group,
  version,
  resource: 'resourceclaims',
  subresource,
  ...more,
});

/** Returns null if the user has one of the rights, else why the first is missing. */
async function missing(rights: readonly Right[], authorize: Authorizer): Promise<string | null> {
  let first: string | null = null;
  for (const attributes of rights) {
    const { decision, reason } = await authorize(attributes);
    if (decision === 'allow') return null;
    first ??= forbidden(attributes, reason).message;
  }
  return first;
}

const statusOf = (claim: ApiObject): JsonObject => objectAt(claim, 'status') ?? {};

async function bindingFindings(request: Changed, authorize: Authorizer): Promise<FieldError[]> {
  const [now, before] = [statusOf(request.object), statusOf(request.old)];
  if (['allocation', 'reservedFor'].every((member) => sameValue(now[member], before[member]))) return [];
  const { verb } = request;
  const why = await missing([right(request, 'binding', { verb, namespace: '', name: '' })], authorize);
  const needed = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission`;
  return why === null ? [] : [fieldForbidden(Path.of('status'), `${needed}: ${why}`)];
}

/** Removing an allocation removes its device reports without rights to their drivers. */
async function driverFindings(request: Changed, authorize: Authorizer): Promise<FieldError[]> {
  if ((statusOf(request.object)['allocation'] ?? null) === null) return [];
  const node = allocatedNode(request.object);
  const prefixes = node !== null && boundNode(request.user) === node ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node'];
  const verbs = prefixes.map((prefix) => `${prefix}:${request.verb}`);
  const findings: FieldError[] = [];
  for (const name of changedDrivers(request)) {
    const rights = verbs.map((each) => right(request, 'driver', { verb: each, namespace: request.namespace, name }));
    const why = await missing(rights, authorize);
    const needed = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`;
    if (why !== null) findings.push(fieldForbidden(Path.of('status', 'devices'), `${needed}: ${why}`));
  }
  return findings;
}

/** Returns the node to which an allocation is bound by name alone. */
function allocatedNode(claim: ApiObject): string | null {
  const terms = itemsOf(memberAt(claim, 'status', 'allocation', 'nodeSelector', 'nodeSelectorTerms'));
  const fields = itemsOf(memberAt(terms[0], 'matchFields'));
  const values = itemsOf(memberAt(fields[0], 'values'));
  const alone =
    terms.length === 1 && fields.length === 1 && values.length === 1 && itemsOf(memberAt(terms[0], 'matchExpressions')).length === 0;
  return alone && textAt(fields[0], 'key') === 'metadata.name' && textAt(fields[0], 'operator') === 'In' ? String(values[0]) : null;
}

function changedDrivers({ object, old }: Changed): string[] {
  const byId = (claim: ApiObject): ReadonlyMap<string, JsonObject> =>
    new Map(objectsIn(statusOf(claim), 'devices').map((device) => [idOf(device), device]));
  const [now, before] = [byId(object), byId(old)];
  const changed = [...new Set([...now.keys(), ...before.keys()])].filter((id) => !sameValue(now.get(id), before.get(id)));
  return [...new Set(changed.map((id) => textAt(now.get(id) ?? before.get(id), 'driver')))].sort();
}

const idOf = (device: JsonObject): string => ['driver', 'pool', 'device', 'shareID'].map((member) => textAt(device, member)).join('/');

type Changed = Pick<AdmissionRequest, 'user' | 'verb' | 'resource' | 'namespace'> & { readonly object: ApiObject; readonly old: ApiObject };

/** Checked first, so that a missing right precedes errors, and again after mutating admission. */
export function claimGuards(authorize: Authorizer): readonly AdmissionPlugin[] {
  const ask = async ({ operation, subresource, object, old, resource, name, namespace, user, verb }: AdmissionRequest): Promise<void> => {
    if (operation !== 'UPDATE' || subresource !== 'status' || object === null || old === null) return;
    const request = { user, verb, resource, namespace, object, old };
    const findings = [...(await bindingFindings(request, authorize)), ...(await driverFindings(request, authorize))];
    if (findings.length > 0) throw invalidObject(resource.storage, name, findings.map(toCause));
  };
  return [{ name: 'ResourceClaimStatus', resources: [`resourceclaims.${group}`], admit: ask, validate: ask }];
}
