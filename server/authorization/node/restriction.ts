import type { ApiObject, JsonObject } from '../../api/object.js';
import { qualifiedName } from '../../api/resource.js';
import { forbidden } from '../../api/status.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../admission/contract.js';
import type { Lookup } from '../../admission/lookup.js';
import { sameValue } from '../../registry/equality.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../registry/members.js';
import { nodeOf } from './authorizer.js';
import { forbiddenLabels } from './labels.js';
import { podReferences } from './references.js';

/**
 * Admission plugin `NodeRestriction`: what a kubelet may write goes as far as its own node, and the pods on it. The authorizer has let it come
 * here; it knows names, and this looks at what is inside.
 */
export const nodeRestriction = (lookup: Lookup): AdmissionPlugin => ({
  name: 'NodeRestriction', resources: Object.keys(rules),
  async validate(request) {
    const { user, resource, name } = request;
    const node = nodeOf(user);
    if (node === null) return;
    const why = node === '' ? `could not determine node from user ${JSON.stringify(user.name)}` : await rules[qualifiedName(resource.storage)]?.(node, request, lookup) ?? null;
    if (why !== null) throw forbidden(resource.storage, name, why);
  },
});

/** Null allows; a text says why not. */
type Rule = (node: string, request: AdmissionRequest, lookup: Lookup) => Promise<string | null> | string | null;

const LEASES = 'kube-node-lease';
const MIRROR = 'kubernetes.io/config.mirror';
const PODS = { group: '', resource: 'pods' };
const NODES = { group: '', resource: 'nodes' };

const changed = ({ object, old }: AdmissionRequest, ...path: readonly string[]): boolean => !sameValue(memberAt(object ?? undefined, ...path) ?? null, memberAt(old ?? undefined, ...path) ?? null);
const onNode = (pod: ApiObject | null, node: string): boolean => textAt(pod ?? undefined, 'spec', 'nodeName') === node;

/** The first complaint of several, in order. */
function first(...complaints: readonly (readonly [boolean, string])[]): string | null {
  return complaints.find(([applies]) => applies)?.[1] ?? null;
}

const pods: Rule = async (node, request, lookup) => {
  const { subresource, operation, object, old } = request;
  if (subresource === 'status') {
    return first(
      [operation !== 'UPDATE', `unexpected operation ${JSON.stringify(operation)}`],
      [!onNode(old, node), `node ${JSON.stringify(node)} can only update pod status for pods with spec.nodeName set to itself`],
      [changed(request, 'metadata', 'labels'), `node ${JSON.stringify(node)} cannot update labels through pod status`],
      [changed(request, 'status', 'resourceClaimStatuses'), `node ${JSON.stringify(node)} cannot update resource claim statuses`],
    );
  }
  if (subresource === 'eviction') return onNode(old ?? await lookup.find(PODS, request.namespace, request.name), node) ? null : `node ${JSON.stringify(node)} can only evict pods with spec.nodeName set to itself`;
  if (subresource !== '') return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  if (operation === 'CREATE' && object !== null) return mirrorPod(node, object, lookup);
  if (operation === 'DELETE') return onNode(old, node) ? null : `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`;
  return `unexpected operation ${JSON.stringify(operation)}, node ${JSON.stringify(node)} can only create and delete mirror pods`;
};

/** A kubelet makes pods only as images of those that it was given in files: they belong to its node, and can read nothing of the cluster. */
async function mirrorPod(node: string, pod: ApiObject, lookup: Lookup): Promise<string | null> {
  const name = JSON.stringify(node);
  const owners = pod.metadata.ownerReferences ?? [];
  const [owner] = owners;
  const references = new Set([...podReferences({ ...pod, metadata: { ...pod.metadata, annotations: {} } })].map((key) => key.split('/', 1)[0]!));
  const wrong = first(
    [!Object.hasOwn(pod.metadata.annotations ?? {}, MIRROR), `pod does not have ${JSON.stringify(MIRROR)} annotation, node ${name} can only create mirror pods`],
    [!onNode(pod, node), `node ${name} can only create pods with spec.nodeName set to itself`],
    [owners.length > 1, `node ${name} can only create pods with a single owner reference set to itself`],
    [owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node, `node ${name} can only create pods with an owner reference set to itself`],
    [owner?.controller !== true, `node ${name} can only create pods with a controller owner reference set to itself`],
    [owner?.blockOwnerDeletion === true, `node ${name} must not set blockOwnerDeletion on an owner reference`],
    ...referenced.map(([kind, words]): readonly [boolean, string] => [references.has(kind), `node ${name} can not create pods that reference ${words}`]),
    [itemsOf(memberAt(pod, 'spec', 'resourceClaims')).length > 0, `node ${name} can not create pods that reference resourceclaims`],
  );
  if (wrong !== null) return wrong;
  const uid = (await lookup.find(NODES, '', node))?.metadata.uid ?? '';
  return uid === owner?.uid ? null : `node ${node} UID mismatch: expected ${uid} got ${owner?.uid ?? ''}`;
}

const referenced = [
  ['serviceaccounts', 'a service account'], ['secrets', 'secrets'], ['configmaps', 'configmaps'], ['persistentvolumeclaims', 'persistentvolumeclaims'],
] as const;

const nodes: Rule = (node, request) => {
  const { operation, name, object, old } = request;
  const own = JSON.stringify(node);
  if ((name || object?.metadata.name) !== node) return `node ${own} is not allowed to modify node ${JSON.stringify(name || object?.metadata.name || '')}`;
  if (operation === 'DELETE' || object === null) return null;
  const labels = forbiddenLabels(object.metadata.labels ?? {}, old?.metadata.labels ?? {});
  const labelWords = labels.join(', ');
  if (operation === 'CREATE') {
    return first(
      [memberAt(object, 'spec', 'configSource') !== undefined, `node ${own} is not allowed to create pods with a non-nil configSource`],
      [labels.length > 0, `node ${own} is not allowed to set the following labels: ${labelWords}`],
    );
  }
  return first(
    [memberAt(object, 'spec', 'configSource') !== undefined && changed(request, 'spec', 'configSource'), `node ${own} is not allowed to update configSource to a new non-nil configSource`],
    [changed(request, 'spec', 'taints'), `node ${own} is not allowed to modify taints`],
    [labels.length > 0, `is not allowed to modify labels: ${labelWords}`],
    [changed(request, 'metadata', 'ownerReferences'), `node ${own} is not allowed to modify ownerReferences`],
  );
};

/** Tokens for the pods on the node, bound to them, so that they end with them. */
const accounts: Rule = async (node, { operation, subresource, namespace, object }, lookup) => {
  if (operation !== 'CREATE' || subresource !== 'token' || object === null) return null;
  const bound = membersOf(memberAt(object, 'spec', 'boundObjectRef'));
  const [uid, name] = [textAt(bound, 'uid'), textAt(bound, 'name')];
  const wrong = first(
    [name === '' || textAt(bound, 'apiVersion') !== 'v1' || textAt(bound, 'kind') !== 'Pod', 'node requested token not bound to a pod'],
    [uid === '', 'node requested token with a pod binding without a uid'],
  );
  if (wrong !== null) return wrong;
  const pod = await lookup.find(PODS, namespace, name);
  return first(
    [pod === null, `pod ${JSON.stringify(name)} not found`],
    [pod?.metadata.uid !== uid, 'node requested token with a pod binding with mismatched uid'],
    [!onNode(pod, node), 'node requested token bound to a pod scheduled on a different node'],
  );
};

const claims: Rule = (node, request) => {
  const { subresource, operation } = request;
  if (subresource !== 'status') return `unexpected PVC subresource ${JSON.stringify(subresource)}`;
  const withoutStatus = (object: ApiObject | null): JsonObject => ({ ...object, status: undefined, metadata: undefined });
  return first(
    [operation !== 'UPDATE', `unexpected operation ${JSON.stringify(operation)}`],
    [!sameValue(withoutStatus(request.object), withoutStatus(request.old)), `node ${JSON.stringify(node)} is not allowed to update fields other than status.capacity and status.conditions`],
  );
};

const named = ({ name, object }: AdmissionRequest): string => name || object?.metadata.name || '';

const leases: Rule = (node, request) => first(
  [request.namespace !== LEASES, `can only access leases in the ${JSON.stringify(LEASES)} system namespace`],
  [named(request) !== node, 'can only access node lease with the same name as the requesting node'],
);

const csiNodes: Rule = (node, request) => first([named(request) !== node, 'can only access CSINode with the same name as the requesting node']);

const slices: Rule = (node, { operation, object, old }) => (operation === 'UPDATE' || textAt(object ?? old ?? undefined, 'spec', 'nodeName') === node ? null
  : `can only ${operation === 'DELETE' ? 'delete' : 'create'} ResourceSlice with the same NodeName as the requesting node`);

/** By `resource` or `resource.group`. Kinds that are not here are none of a kubelet's business, or of this plugin's. */
const rules: Readonly<Record<string, Rule>> = {
  pods, nodes, serviceaccounts: accounts, persistentvolumeclaims: claims,
  'leases.coordination.k8s.io': leases, 'csinodes.storage.k8s.io': csiNodes, 'resourceslices.resource.k8s.io': slices,
};
