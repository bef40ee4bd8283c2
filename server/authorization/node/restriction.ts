import type { ApiObject } from '../../../api/object.js';
import { qualifiedName } from '../../../api/resource.js';
import { forbidden, notFound } from '../../../api/status.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import type { Features } from '../../../program/features/chosen.js';
import { commonNameOf } from '../../kinds/certificates.k8s.io/request.js';
import { sameValue } from '../../../api/json/equality.js';
import { orderedMetadata } from '../../registry/metadata.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import type { Authorizer } from '../authorizer.js';
import { audienceProblem } from './audiences.js';
import { nodeOf } from './authorizer.js';
import { forbiddenLabels } from './labels.js';
import { mirrorPodProblem } from './mirrorPod.js';
import { podCertificateProblem } from './podCertificates.js';

/** Admission plugin `NodeRestriction`: limits a kubelet's writes to its own node and pods. It checks contents; the authorizer checks names. */
export const nodeRestriction = (
  lookup: Lookup,
  authorize: Authorizer,
  checks: NodeChecks = { audiences: true, certificates: true, podCertificates: false },
): AdmissionPlugin => {
  const check = async (request: AdmissionRequest): Promise<void> => {
    const { user, resource, name } = request;
    const node = nodeOf(user);
    if (node === null) return;
    const why =
      node === ''
        ? `could not determine node from user ${JSON.stringify(user.name)}`
        : ((await rules[qualifiedName(resource.storage)]?.(node, request, { lookup, authorize, checks })) ?? null);
    if (why !== null) throw forbidden(resource.storage, name, why);
  };
  // A missing right precedes faults of the object, as in the reference. The results of webhooks are checked as well.
  return { name: 'NodeRestriction', resources: Object.keys(rules), admit: check, validate: check };
};

/** Newer checks behind feature gates. */
export interface NodeChecks {
  readonly audiences: boolean;
  readonly certificates: boolean;
  /** Checks pods of certificate requests. While off, no certificates are issued. */
  readonly podCertificates: boolean;
}

export const nodeChecks = (features: Pick<Features, 'enabled'>): NodeChecks => ({
  audiences: features.enabled('ServiceAccountNodeAudienceRestriction'),
  certificates: !features.enabled('AllowInsecureKubeletCertificateSigningRequests'),
  podCertificates: features.enabled('PodCertificateRequest'),
});

interface Means {
  readonly checks: NodeChecks;
  readonly lookup: Lookup;
  readonly authorize: Authorizer;
}
/** Null allows; a text refuses. Throws errors other than missing rights. */
type Rule = (node: string, request: AdmissionRequest, means: Means) => Promise<string | null> | string | null;

const leaseNamespace = 'kube-node-lease';
const podsResource = { group: '', resource: 'pods' };

const changed = ({ object, old }: AdmissionRequest, ...path: readonly string[]): boolean =>
  !sameValue(memberAt(object ?? undefined, ...path) ?? null, memberAt(old ?? undefined, ...path) ?? null);
const onNode = (pod: ApiObject | null, node: string): boolean => textAt(pod ?? undefined, 'spec', 'nodeName') === node;

function first(...problems: readonly (readonly [boolean, string])[]): string | null {
  return problems.find(([applies]) => applies)?.[1] ?? null;
}

const pods: Rule = async (node, request, { lookup }) => {
  const { subresource, operation, object, old } = request;
  if (subresource === 'status') {
    return first(
      [operation !== 'UPDATE', `unexpected operation ${JSON.stringify(operation)}`],
      [!onNode(old, node), `node ${JSON.stringify(node)} can only update pod status for pods with spec.nodeName set to itself`],
      [changed(request, 'metadata', 'labels'), `node ${JSON.stringify(node)} cannot update labels through pod status`],
      [changed(request, 'status', 'resourceClaimStatuses'), `node ${JSON.stringify(node)} cannot update resource claim statues`],
      // Either would give the node access to any claim that it names.
      [
        changed(request, 'status', 'extendedResourceClaimStatus'),
        `node ${JSON.stringify(node)} cannot update extended resource claim status`,
      ],
    );
  }
  if (subresource === 'eviction') return evictionProblem(node, old ?? (await existingPod(request.namespace, request.name, lookup)));
  if (subresource !== '') return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  if (operation === 'CREATE' && object !== null) return mirrorPodProblem(node, object, lookup);
  if (operation === 'DELETE')
    return onNode(old, node) ? null : `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`;
  return `unexpected operation ${JSON.stringify(operation)}, node ${JSON.stringify(node)} can only create and delete mirror pods`;
};

const evictionProblem = (node: string, pod: ApiObject): string | null =>
  onNode(pod, node) ? null : `node ${node} can only evict pods with spec.nodeName set to itself`;

async function existingPod(namespace: string, name: string, lookup: Lookup): Promise<ApiObject> {
  const pod = await lookup.find(podsResource, namespace, name);
  if (pod === null) throw notFound(podsResource, name);
  return pod;
}

const nodes: Rule = (node, request) => {
  const { operation, name, object, old } = request;
  const own = JSON.stringify(node);
  if ((name || object?.metadata.name) !== node)
    return `node ${own} is not allowed to modify node ${JSON.stringify(name || object?.metadata.name || '')}`;
  if (object === null) return null;
  const labels = forbiddenLabels(object.metadata.labels ?? {}, old?.metadata.labels ?? {});
  const labelWords = labels.join(', ');
  if (operation === 'CREATE') {
    return first(
      [memberAt(object, 'spec', 'configSource') !== undefined, `node ${own} is not allowed to create pods with a non-nil configSource`],
      [labels.length > 0, `node ${own} is not allowed to set the following labels: ${labelWords}`],
    );
  }
  return first(
    [
      memberAt(object, 'spec', 'configSource') !== undefined && changed(request, 'spec', 'configSource'),
      `node ${own} is not allowed to update configSource to a new non-nil configSource`,
    ],
    [changed(request, 'spec', 'taints'), `node ${own} is not allowed to modify taints`],
    [changed(request, 'metadata', 'ownerReferences'), `node ${own} is not allowed to modify ownerReferences`],
    [labels.length > 0, `is not allowed to modify labels: ${labelWords}`],
  );
};

/** Tokens must be bound to pods on the node, with audiences requested by these. */
const accounts: Rule = async (node, { operation, subresource, namespace, name: account, object, user }, { lookup, authorize, checks }) => {
  if (operation !== 'CREATE' || subresource !== 'token' || object === null) return null;
  const bound = membersOf(memberAt(object, 'spec', 'boundObjectRef'));
  const [uid, name] = [textAt(bound, 'uid'), textAt(bound, 'name')];
  if (name === '' || textAt(bound, 'apiVersion') !== 'v1' || textAt(bound, 'kind') !== 'Pod')
    return 'node requested token not bound to a pod';
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const pod = await existingPod(namespace, name, lookup);
  if (pod.metadata.uid !== uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (!onNode(pod, node)) return 'node requested token bound to a pod scheduled on a different node';
  if (!checks.audiences) return null;
  const audiences = itemsOf(memberAt(object, 'spec', 'audiences')).map(String);
  return audienceProblem({ user, namespace, account, audiences, pod }, lookup, authorize);
};

const reported = ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources'];

const claims: Rule = (node, request) => {
  const { subresource, operation } = request;
  if (subresource !== 'status') return 'may only update PVC status';
  const unreported = (object: ApiObject | null): unknown => {
    const status = Object.fromEntries(Object.entries(membersOf(object?.['status'])).filter(([member]) => !reported.includes(member)));
    // A claim has no generation, which an update in progress shows as zero. Unlike the stored object, a patch's result has its kind.
    const { apiVersion: _, kind: __, ...content } = object ?? {};
    return { ...content, status, metadata: orderedMetadata({ ...object?.metadata, resourceVersion: '', managedFields: [] }) };
  };
  return first(
    [operation !== 'UPDATE', `unexpected operation ${JSON.stringify(operation)}`],
    [
      !sameValue(unreported(request.object), unreported(request.old)),
      `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`,
    ],
  );
};

/** Signers of kubelet certificates, which check the rest of such requests. */
const kubeletSigners = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

const certificates: Rule = (node, { operation, object }, { checks }) => {
  if (!checks.certificates || operation !== 'CREATE' || !kubeletSigners.includes(textAt(object ?? undefined, 'spec', 'signerName')))
    return null;
  const commonName = commonNameOf(textAt(object ?? undefined, 'spec', 'request'));
  return commonName === `system:node:${node}` ? null : `can only create a node CSR with CN=system:node:${node}`;
};

const named = ({ name, object }: AdmissionRequest): string => name || object?.metadata.name || '';

const leases: Rule = (node, request) =>
  first(
    [request.namespace !== leaseNamespace, `can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`],
    [named(request) !== node, 'can only access node lease with the same name as the requesting node'],
  );

const csiNodes: Rule = (node, request) =>
  first([named(request) !== node, 'can only access CSINode with the same name as the requesting node']);

const slices: Rule = (node, { operation, object, old }) =>
  operation === 'UPDATE' || textAt(object ?? old ?? undefined, 'spec', 'nodeName') === node
    ? null
    : `can only ${operation === 'DELETE' ? 'delete' : 'create'} ResourceSlice with the same NodeName as the requesting node`;

/** Keyed by `resource` or `resource.group`. Other kinds are forbidden to kubelets, or unrestricted here. */
const rules: Readonly<Record<string, Rule>> = {
  pods,
  nodes,
  serviceaccounts: accounts,
  persistentvolumeclaims: claims,
  'certificatesigningrequests.certificates.k8s.io': certificates,
  'podcertificaterequests.certificates.k8s.io': (node, request, { lookup, checks }) =>
    checks.podCertificates ? podCertificateProblem(node, request, lookup) : 'PodCertificateRequest feature gate is disabled',
  'leases.coordination.k8s.io': leases,
  'csinodes.storage.k8s.io': csiNodes,
  'resourceslices.resource.k8s.io': slices,
};
