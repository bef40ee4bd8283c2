import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../server/api/object.js';
import type { AdmissionRequest } from '../../../server/admission/contract.js';
import { nodeRestriction } from '../../../server/authorization/node/restriction.js';
import { forbiddenLabels } from '../../../server/authorization/node/labels.js';

const kubelet = { name: 'system:node:n1', uid: '', groups: ['system:nodes', 'system:authenticated'], extra: {} };
const stored: Readonly<Record<string, ApiObject>> = {
  'nodes//n1': { metadata: { name: 'n1', uid: 'node-uid' } },
  'pods/d/mine': { metadata: { name: 'mine', uid: 'pod-uid' }, spec: { nodeName: 'n1' } },
  'pods/d/other': { metadata: { name: 'other', uid: 'other-uid' }, spec: { nodeName: 'n2' } },
};
const plugin = nodeRestriction({
  find: ({ resource }, namespace, name) => Promise.resolve(stored[`${resource}/${namespace}/${name}`] ?? null),
  list: () => Promise.resolve([]),
});

interface Wanted { readonly resource: string; readonly operation?: AdmissionRequest['operation']; readonly subresource?: string; readonly namespace?: string; readonly name?: string; readonly object?: JsonObject; readonly old?: JsonObject; readonly user?: AdmissionRequest['user'] }

/** The refusal's words, or null. */
async function refusalOf({ resource, operation = 'CREATE', subresource = '', namespace = '', name = '', object, old, user = kubelet }: Wanted): Promise<string | null> {
  const dot = resource.indexOf('.');
  const storage = dot < 0 ? { group: '', resource } : { group: resource.slice(dot + 1), resource: resource.slice(0, dot) };
  const request = {
    operation, subresource, namespace, name, user, dryRun: false, warn: () => {}, resource: { storage },
    object: (object ?? null) as ApiObject | null, old: (old ?? null) as ApiObject | null,
  } as unknown as AdmissionRequest;
  try {
    await plugin.validate?.(request);
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^.* is forbidden: /, '');
  }
}

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node-uid', controller: true };
const mirror = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  ({ metadata: { name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata }, spec: { nodeName: 'n1', containers: [], ...spec } });
const token = (bound: JsonObject): JsonObject => ({ metadata: {}, spec: { boundObjectRef: bound } });
const node = (labels: JsonObject, more: JsonObject = {}): JsonObject => ({ metadata: { name: 'n1', labels, ...more }, spec: {} });

const rows: readonly (readonly [string, Wanted, RegExp | null])[] = [
  ['leaves others alone', { resource: 'pods', object: { metadata: {} }, user: { ...kubelet, name: 'ada' } }, null],
  ['leaves a name without the group alone', { resource: 'pods', object: { metadata: {} }, user: { ...kubelet, groups: [] } }, null],
  ['lets a node make a mirror pod', { resource: 'pods', object: mirror() }, null],
  ['refuses any other pod', { resource: 'pods', object: mirror({}, { annotations: {} }) }, /can only create mirror pods/],
  ['refuses a pod for another node', { resource: 'pods', object: mirror({ nodeName: 'n2' }) }, /spec\.nodeName set to itself/],
  ['refuses a pod without owner', { resource: 'pods', object: mirror({}, { ownerReferences: [] }) }, /owner reference set to itself/],
  ['refuses a pod with two owners', { resource: 'pods', object: mirror({}, { ownerReferences: [owner, owner] }) }, /single owner reference/],
  ['refuses an owner that does not control', { resource: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, controller: false }] }) }, /controller owner reference/],
  ['refuses an owner that holds back deletion', { resource: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }) }, /blockOwnerDeletion/],
  ['refuses an owner of another life', { resource: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, uid: 'old' }] }) }, /UID mismatch: expected node-uid got old/],
  ['refuses a pod with an account', { resource: 'pods', object: mirror({ serviceAccountName: 'a' }) }, /reference a service account/],
  ['refuses a pod with a secret', { resource: 'pods', object: mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }) }, /reference secrets/],
  ['refuses a pod with a configuration', { resource: 'pods', object: mirror({ containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }] }] }) }, /reference configmaps/],
  ['refuses a pod with a claim', { resource: 'pods', object: mirror({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }) }, /reference persistentvolumeclaims/],
  ['lets a node delete its pods', { resource: 'pods', operation: 'DELETE', namespace: 'd', name: 'mine', old: stored['pods/d/mine']! }, null],
  ['refuses to delete pods of others', { resource: 'pods', operation: 'DELETE', namespace: 'd', name: 'other', old: stored['pods/d/other']! }, /can only delete pods with spec\.nodeName/],
  ['refuses to update a pod', { resource: 'pods', operation: 'UPDATE', object: mirror(), old: mirror() }, /unexpected operation "UPDATE"/],
  ['lets a node report on its pods', { resource: 'pods', operation: 'UPDATE', subresource: 'status', object: { ...mirror(), status: { phase: 'Running' } }, old: mirror() }, null],
  ['refuses to report on pods of others', { resource: 'pods', operation: 'UPDATE', subresource: 'status', object: mirror({ nodeName: 'n2' }), old: mirror({ nodeName: 'n2' }) }, /can only update pod status/],
  ['refuses labels through a report', { resource: 'pods', operation: 'UPDATE', subresource: 'status', object: mirror({}, { labels: { a: 'b' } }), old: mirror() }, /cannot update labels/],
  ['refuses other subresources', { resource: 'pods', operation: 'UPDATE', subresource: 'resize', object: mirror(), old: mirror() }, /only 'status' and 'eviction'/],
  ['lets a node register itself', { resource: 'nodes', name: 'n1', object: node({ 'kubernetes.io/hostname': 'n1', mine: 'yes' }) }, null],
  ['refuses to register another', { resource: 'nodes', name: 'n2', object: { metadata: { name: 'n2' } } }, /not allowed to modify node "n2"/],
  ['refuses restricted labels', { resource: 'nodes', name: 'n1', object: node({ 'node-restriction.kubernetes.io/team': 'x' }) }, /following labels: node-restriction\.kubernetes\.io\/team/],
  ['refuses to change taints', { resource: 'nodes', operation: 'UPDATE', name: 'n1', object: { ...node({}), spec: { taints: [{ key: 'a' }] } }, old: node({}) }, /modify taints/],
  ['refuses to change owners', { resource: 'nodes', operation: 'UPDATE', name: 'n1', object: node({}, { ownerReferences: [owner] }), old: node({}) }, /ownerReferences/],
  ['refuses to take a restricted label away', { resource: 'nodes', operation: 'UPDATE', name: 'n1', object: node({}), old: node({ 'node-restriction.kubernetes.io/team': 'x' }) }, /not allowed to modify labels/],
  ['gives a token for a pod on the node', { resource: 'serviceaccounts', subresource: 'token', namespace: 'd', name: 'a', object: token({ kind: 'Pod', apiVersion: 'v1', name: 'mine', uid: 'pod-uid' }) }, null],
  ['refuses a token for nothing', { resource: 'serviceaccounts', subresource: 'token', namespace: 'd', name: 'a', object: token({}) }, /not bound to a pod/],
  ['refuses a token without a uid', { resource: 'serviceaccounts', subresource: 'token', namespace: 'd', name: 'a', object: token({ kind: 'Pod', apiVersion: 'v1', name: 'mine' }) }, /without a uid/],
  ['refuses a token for a pod of another life', { resource: 'serviceaccounts', subresource: 'token', namespace: 'd', name: 'a', object: token({ kind: 'Pod', apiVersion: 'v1', name: 'mine', uid: 'old' }) }, /mismatched uid/],
  ['refuses a token for a pod elsewhere', { resource: 'serviceaccounts', subresource: 'token', namespace: 'd', name: 'a', object: token({ kind: 'Pod', apiVersion: 'v1', name: 'other', uid: 'other-uid' }) }, /scheduled on a different node/],
  ['lets a node keep its lease', { resource: 'leases.coordination.k8s.io', operation: 'UPDATE', namespace: 'kube-node-lease', name: 'n1', object: { metadata: { name: 'n1' } } }, null],
  ['refuses the lease of another', { resource: 'leases.coordination.k8s.io', namespace: 'kube-node-lease', object: { metadata: { name: 'n2' } } }, /same name as the requesting node/],
  ['refuses leases elsewhere', { resource: 'leases.coordination.k8s.io', namespace: 'kube-system', object: { metadata: { name: 'n1' } } }, /"kube-node-lease" system namespace/],
  ['refuses the CSINode of another', { resource: 'csinodes.storage.k8s.io', object: { metadata: { name: 'n2' } } }, /CSINode with the same name/],
  ['refuses the slices of another', { resource: 'resourceslices.resource.k8s.io', object: { metadata: { name: 's' }, spec: { nodeName: 'n2' } } }, /same NodeName/],
  ['refuses more of a claim than its status', { resource: 'persistentvolumeclaims', operation: 'UPDATE', object: { metadata: {} }, old: { metadata: {} } }, /unexpected PVC subresource/],
];

describe('authorization, node restriction', () => {
  for (const [what, wanted, words] of rows) {
    it(what, async () => {
      const refusal = await refusalOf(wanted);
      if (words === null) expect(refusal).to.equal(null);
      else expect(refusal ?? '').to.match(words);
    });
  }

  it('knows the labels that nodes have always set', () => {
    expect(forbiddenLabels({
      'kubernetes.io/hostname': 'a', 'node.kubernetes.io/instance-type': 'a', 'kubelet.kubernetes.io/x': 'a', 'team.example.com/x': 'a', plain: 'a', 'topology.kubernetes.io/zone': 'a',
      'kubernetes.io/evil': 'a', 'x.k8s.io/y': 'a', 'a.node-restriction.kubernetes.io/b': 'a', 'notkubernetes.io/fine': 'a',
    }, {})).to.deep.equal(['a.node-restriction.kubernetes.io/b', 'kubernetes.io/evil', 'x.k8s.io/y']);
  });
});
