import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission.js';
import type { OwnerReference } from '../../api/object.js';
import { forbidden } from '../../api/status.js';
import { sameValue } from '../../api/json/equality.js';
import type { Catalogue } from '../registry/resources.js';
import type { Attributes, Authorizer } from './authorizer.js';

type Asked = Omit<Extract<Attributes, { isResource: true }>, 'isResource' | 'user' | 'namespace'>;

/**
 * Setting an owner decides when an object is deleted, and blocking an owner's deletion when that one is: both need the corresponding right. Owners of new
 * objects are unrestricted.
 */
export const ownerReferencesPermission = (authorize: Authorizer, catalogue: Catalogue): AdmissionPlugin => ({
  name: 'OwnerReferencesPermissionEnforcement',
  resources: null,
  async validate(request) {
    const { object, old, operation, subresource, resource, name } = request;
    if (object === null || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
    const [now, before] = [object.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? []];
    if (sameValue(now, before) || (resource.resource === 'pods' && subresource === 'status')) return;
    const may = askingFor(request, authorize);
    const { group, version } = resource;
    if (operation === 'UPDATE' && !(await may({ verb: 'delete', group, version, resource: resource.resource, subresource, name }))) {
      throw forbidden(resource.storage, name, "cannot set an ownerRef on a resource you can't delete: ");
    }
    const blocking = now.filter(
      (reference) =>
        reference.blockOwnerDeletion === true && !before.some((each) => each.uid === reference.uid && each.blockOwnerDeletion === true),
    );
    for (const reference of blocking) await demandFinalizers({ request, reference, may, catalogue });
  },
});

const askingFor =
  ({ user, namespace }: AdmissionRequest, authorize: Authorizer) =>
  async (asked: Asked, inNamespace = true): Promise<boolean> =>
    (await authorize({ isResource: true, user, namespace: inNamespace ? namespace : '', ...asked })).decision === 'allow';

interface Demand {
  readonly request: AdmissionRequest;
  readonly reference: OwnerReference;
  readonly may: (asked: Asked, inNamespace?: boolean) => Promise<boolean>;
  readonly catalogue: Catalogue;
}

async function demandFinalizers({ request: { resource, name }, reference, may, catalogue }: Demand): Promise<void> {
  const slash = reference.apiVersion.lastIndexOf('/');
  const [group, version] = [reference.apiVersion.slice(0, Math.max(0, slash)), reference.apiVersion.slice(slash + 1)];
  const owner = catalogue.kind(group, version, reference.kind);
  if (owner === null) {
    throw forbidden(
      resource.storage,
      name,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${reference.apiVersion} Kind ${reference.kind}`,
    );
  }
  const asked = { verb: 'update', group, version, resource: owner.resource, subresource: 'finalizers', name: reference.name };
  if (await may(asked, owner.namespaced)) return;
  throw forbidden(
    resource.storage,
    name,
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ",
  );
}
