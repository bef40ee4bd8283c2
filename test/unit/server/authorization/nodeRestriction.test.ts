import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';
import type { Lookup } from '../../../../server/registry/lookup.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { nodeRestriction } from '../../../../server/authorization/node/restriction.js';
import { forbiddenLabels } from '../../../../server/authorization/node/labels.js';

/** The rules of the plugin are one table of over 500 lines, because their order and messages belong together. */
const kubelet = { name: 'system:node:n1', uid: '', groups: ['system:nodes', 'system:authenticated'], extra: {} };
const stored: Readonly<Record<string, ApiObject>> = {
  'nodes//n1': { metadata: { name: 'n1', uid: 'node-uid' } },
  'pods/d/mine': {
    metadata: { name: 'mine', uid: 'pod-uid' },
    spec: {
      nodeName: 'n1',
      volumes: [
        { name: 'api', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
        {
          name: 'own',
          projected: { sources: [{ configMap: { name: 'm' } }, { serviceAccountToken: { audience: 'own', path: 'token' } }] },
        },
        { name: 'inline', csi: { driver: 'inline.csi' } },
        { name: 'claimed', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'short', ephemeral: { volumeClaimTemplate: {} } },
        { name: 'old', awsElasticBlockStore: {} },
      ],
    },
  },
  'pods/d/lost': {
    metadata: { name: 'lost', uid: 'lost-uid' },
    spec: {
      nodeName: 'n1',
      volumes: [
        { name: 'c', persistentVolumeClaim: { claimName: 'none' } },
        { name: 'i', csi: { driver: 'none' } },
      ],
    },
  },
  'pods/d/unbound': {
    metadata: { name: 'unbound', uid: 'unbound-uid' },
    spec: { nodeName: 'n1', volumes: [{ name: 'c', persistentVolumeClaim: { claimName: 'unbound' } }] },
  },
  'pods/d/settings': {
    metadata: { name: 'settings', uid: 'settings-uid' },
    spec: { nodeName: 'n1', volumes: [{ name: 'm', projected: { sources: [{ configMap: { name: 'm' } }] } }] },
  },
  'persistentvolumeclaims/d/unbound': { metadata: {}, spec: {} },
  'pods/d/bare': { metadata: { name: 'bare', uid: 'bare-uid' }, spec: { nodeName: 'n1' } },
  'persistentvolumeclaims/d/c': { metadata: {}, spec: { volumeName: 'v' } },
  'persistentvolumeclaims/d/mine-short': { metadata: {}, spec: { volumeName: 'w' } },
  'persistentvolumes//v': { metadata: {}, spec: { csi: { driver: 'claimed.csi' } } },
  'persistentvolumes//w': { metadata: {}, spec: { gcePersistentDisk: {} } },
  ...Object.fromEntries(
    ['inline.csi', 'claimed.csi', 'pd.csi.storage.gke.io', 'ebs.csi.aws.com'].map((name) => [
      `csidrivers//${name}`,
      { metadata: {}, spec: { tokenRequests: [{ audience: '-' }, { audience: `of ${name}` }] } },
    ]),
  ),
  'pods/d/other': { metadata: { name: 'other', uid: 'other-uid' }, spec: { nodeName: 'n2' } },
};
const lookup: Lookup = {
  find: ({ resource }, namespace, name) => Promise.resolve(stored[`${resource}/${namespace}/${name}`] ?? null),
  list: () => Promise.resolve([]),
};
const asked: Attributes[] = [];
/** Lets nodes have tokens of one account for one audience. */
const authorize = (attributes: Attributes): { decision: 'allow' | 'noOpinion'; reason: string } => {
  asked.push(attributes);
  return {
    decision: attributes.isResource && attributes.resource === 'registry' && attributes.name === 'a' ? 'allow' : 'noOpinion',
    reason: '',
  };
};
const plugin = nodeRestriction(lookup, authorize);

interface Wanted {
  readonly resource: string;
  readonly operation?: AdmissionRequest['operation'];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: JsonObject;
  readonly old?: JsonObject;
  readonly user?: AdmissionRequest['user'];
}

/** The refusal's message, or null. */
async function refusalOf(
  { resource, operation = 'CREATE', subresource = '', namespace = '', name = '', object, old, user = kubelet }: Wanted,
  by = plugin,
): Promise<string | null> {
  const dot = resource.indexOf('.');
  const storage = dot < 0 ? { group: '', resource } : { group: resource.slice(dot + 1), resource: resource.slice(0, dot) };
  const request = {
    operation,
    subresource,
    namespace,
    name,
    user,
    dryRun: false,
    warn: () => {},
    resource: { storage },
    object: (object ?? null) as ApiObject | null,
    old: (old ?? null) as ApiObject | null,
  } as unknown as AdmissionRequest;
  try {
    await by.validate?.(request);
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^.* is forbidden: /, '');
  }
}

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node-uid', controller: true };
const mirror = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata },
  spec: { nodeName: 'n1', containers: [], ...spec },
});
const token = (bound: JsonObject, ...audiences: string[]): JsonObject => ({ metadata: {}, spec: { boundObjectRef: bound, audiences } });
const forMine = (...audiences: string[]): Wanted => ({
  resource: 'serviceaccounts',
  subresource: 'token',
  namespace: 'd',
  name: 'a',
  object: token({ kind: 'Pod', apiVersion: 'v1', name: 'mine', uid: 'pod-uid' }, ...audiences),
});
const certificate = (signerName: string, commonName: string): Wanted => ({
  resource: 'certificatesigningrequests.certificates.k8s.io',
  object: { metadata: {}, spec: { signerName, request: requests.get(commonName)! } },
});
/** Certificate requests by name, in base64. */
x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
const requests = new Map<string, string>(
  await Promise.all(
    ['system:node:n1', 'system:node:n2'].map(async (name): Promise<[string, string]> => {
      const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
      const made = await x509.Pkcs10CertificateRequestGenerator.create({
        name: `O=system:nodes, CN=${name}`,
        keys,
        signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      });
      return [name, Buffer.from(made.toString('pem')).toString('base64')];
    }),
  ),
);
const withSource = (source: JsonObject): Wanted => ({ resource: 'pods', object: mirror({ volumes: [{ name: 'v', ...source }] }) });
const projecting = (source: JsonObject): Wanted => withSource({ projected: { sources: [source] } });
const reporting = (status: JsonObject, before: JsonObject = {}): Wanted => ({
  resource: 'pods',
  operation: 'UPDATE',
  subresource: 'status',
  object: { ...mirror(), status },
  old: { ...mirror(), status: before },
});
const claim = (status: JsonObject, metadata: JsonObject = {}): Wanted => ({
  resource: 'persistentvolumeclaims',
  operation: 'UPDATE',
  subresource: 'status',
  object: { metadata: { resourceVersion: '2', ...metadata }, spec: {}, status },
  old: { metadata: { resourceVersion: '1' }, spec: {}, status: { phase: 'Bound' } },
});
const patched = (wanted: Wanted): Wanted => ({ ...wanted, object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...wanted.object } });
const node = (labels: JsonObject, more: JsonObject = {}): JsonObject => ({ metadata: { name: 'n1', labels, ...more }, spec: {} });

const rows: readonly (readonly [string, Wanted, RegExp | null])[] = [
  ['leaves others alone', { resource: 'pods', object: { metadata: {} }, user: { ...kubelet, name: 'ada' } }, null],
  ['leaves a name without the group alone', { resource: 'pods', object: { metadata: {} }, user: { ...kubelet, groups: [] } }, null],
  ['lets a node make a mirror pod', { resource: 'pods', object: mirror() }, null],
  ['refuses any other pod', { resource: 'pods', object: mirror({}, { annotations: {} }) }, /can only create mirror pods/],
  ['refuses a pod for another node', { resource: 'pods', object: mirror({ nodeName: 'n2' }) }, /spec\.nodeName set to itself/],
  ['refuses a pod without owner', { resource: 'pods', object: mirror({}, { ownerReferences: [] }) }, /owner reference set to itself/],
  [
    'refuses a pod with two owners',
    { resource: 'pods', object: mirror({}, { ownerReferences: [owner, owner] }) },
    /single owner reference/,
  ],
  [
    'refuses an owner that does not control',
    { resource: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, controller: false }] }) },
    /controller owner reference/,
  ],
  [
    'refuses an owner that holds back deletion',
    { resource: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }) },
    /blockOwnerDeletion/,
  ],
  [
    'refuses an owner of another life',
    { resource: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, uid: 'old' }] }) },
    /UID mismatch: expected old got node-uid/,
  ],
  [
    'knows no owner that is not there',
    {
      resource: 'pods',
      user: { ...kubelet, name: 'system:node:n9' },
      object: mirror({ nodeName: 'n9' }, { ownerReferences: [{ ...owner, name: 'n9' }] }),
    },
    /^nodes "n9" not found$/,
  ],
  [
    'refuses owners before labels',
    {
      resource: 'nodes',
      operation: 'UPDATE',
      name: 'n1',
      object: node({ 'a.kubernetes.io/b': 'c' }, { ownerReferences: [owner] }),
      old: node({}),
    },
    /modify ownerReferences/,
  ],
  ['refuses a pod with an account', { resource: 'pods', object: mirror({ serviceAccountName: 'a' }) }, /reference serviceaccounts$/],
  [
    'refuses a pod with a secret',
    { resource: 'pods', object: mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }) },
    /reference secrets/,
  ],
  [
    'refuses a pod with a configuration',
    { resource: 'pods', object: mirror({ containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }] }] }) },
    /reference configmaps/,
  ],
  [
    'refuses a pod with a claim',
    { resource: 'pods', object: mirror({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }) },
    /reference persistentvolumeclaims$/,
  ],
  ['lets a mirror pod use what is on the node', withSource({ hostPath: { path: '/' } }), null],
  ['lets a mirror pod see itself', projecting({ downwardAPI: {} }), null],
  [
    'refuses a projected bundle of trust anchors',
    projecting({ clusterTrustBundle: { name: 'b', path: 'p' } }),
    /reference clustertrustbundles$/,
  ],
  [
    'refuses a projected certificate',
    projecting({ podCertificate: { signerName: 'a.b/c', keyType: 'ED25519' } }),
    /reference podcertificates$/,
  ],
  ['refuses a projected token', projecting({ serviceAccountToken: { path: 'p' } }), /reference serviceaccounts \(via projected volumes\)$/],
  ['refuses a projected secret', projecting({ secret: { name: 's' } }), /reference secrets$/],
  ['refuses a projected secret without a name', projecting({ secret: { optional: true } }), /reference secrets \(via projected volumes\)$/],
  ['refuses a projection of what is not known', projecting({ whatever: {} }), /unknown volume type/],
  ['refuses a driver', withSource({ csi: { driver: 'd' } }), /reference csidrivers \(via CSI volumes\)$/],
  [
    'refuses a volume made for the pod',
    withSource({ ephemeral: { volumeClaimTemplate: {} } }),
    /reference persistentvolumeclaims \(via ephemeral volumes\)$/,
  ],
  ['refuses a volume by its endpoints', withSource({ glusterfs: { endpoints: 'e' } }), /reference endpoints/],
  ['refuses a share with a secret', withSource({ azureFile: { secretName: 's' } }), /reference secrets$/],
  ['refuses a volume of a kind that is not known', withSource({ whatever: {} }), /unknown volume type/],
  ['refuses a claim of devices', { resource: 'pods', object: mirror({ resourceClaims: [{ name: 'r' }] }) }, /reference resourceclaims$/],
  [
    'refuses claims of devices through a report',
    reporting({ resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'foreign' }] }),
    /cannot update resource claim statues/,
  ],
  [
    'refuses claims of extended resources through a report',
    reporting({ extendedResourceClaimStatus: { resourceClaimName: 'foreign', requestMappings: [] } }),
    /cannot update extended resource claim status/,
  ],
  [
    'refuses to take away claims of extended resources',
    reporting({}, { extendedResourceClaimStatus: { resourceClaimName: 'own' } }),
    /cannot update extended resource claim status/,
  ],
  [
    'does not tell of pods that are not there by another refusal',
    { resource: 'pods', subresource: 'eviction', namespace: 'd', name: 'none', object: { metadata: {} } },
    /^pods "none" not found$/,
  ],
  ['gives a token for this API', forMine(''), null],
  ['gives a token for whom the pod asks for one', forMine('own'), null],
  ['gives a token for whom a driver of the pod asks for one', forMine('of inline.csi'), null],
  ['gives a token for whom a driver of a claimed volume asks for one', forMine('of claimed.csi'), null],
  ['gives a token for whom the driver in place of a kind of volume asks for one', forMine('of ebs.csi.aws.com'), null],
  ['gives a token for whom the driver in place of the kind of a claimed volume asks for one', forMine('of pd.csi.storage.gke.io'), null],
  ['gives a token for whom a rule allows', forMine('registry'), null],
  [
    'refuses a token for anybody else',
    forMine('vault'),
    /audience "vault" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience$/,
  ],
  [
    'refuses a token of an account that the rule does not name',
    { ...forMine('registry'), name: 'b' },
    /audience "registry" not found in pod spec volume/,
  ],
  ['refuses a token for several', forMine('own', ''), /node may only request 0 or 1 audiences/],
  [
    'refuses a token for this API where the pod asks for none',
    { ...forMine(), object: token({ kind: 'Pod', apiVersion: 'v1', name: 'bare', uid: 'bare-uid' }) },
    /audience "" not found in pod spec volume/,
  ],
  [
    'refuses a token where it cannot be known for whom the pod asks for them',
    { ...forMine(), object: token({ kind: 'Pod', apiVersion: 'v1', name: 'lost', uid: 'lost-uid' }, 'registry') },
    /error validating audience "registry": \[persistentvolumeclaim "none" not found, csidriver.storage.k8s.io "none" not found\]$/,
  ],
  [
    'refuses a token for a pod that is not there',
    { ...forMine(), object: token({ kind: 'Pod', apiVersion: 'v1', name: 'none', uid: 'u' }) },
    /^pods "none" not found$/,
  ],
  ['lets a node ask for its certificate', certificate('kubernetes.io/kube-apiserver-client-kubelet', 'system:node:n1'), null],
  [
    'refuses the certificate of another',
    certificate('kubernetes.io/kube-apiserver-client-kubelet', 'system:node:n2'),
    /can only create a node CSR with CN=system:node:n1/,
  ],
  [
    'refuses the serving certificate of another',
    certificate('kubernetes.io/kubelet-serving', 'system:node:n2'),
    /can only create a node CSR with CN=system:node:n1/,
  ],
  ['leaves other signers alone', certificate('example.com/signer', 'system:node:n2'), null],
  [
    'refuses requests for certificates of pods',
    { resource: 'podcertificaterequests.certificates.k8s.io', object: { metadata: {} } },
    /feature gate is disabled/,
  ],
  [
    'lets a node report on a claim',
    claim({ phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [], allocatedResources: {}, allocatedResourceStatuses: {} }),
    null,
  ],
  ['refuses another phase of a claim', claim({ phase: 'Lost' }), /fields other than status\.quantity/],
  ['refuses labels of a claim', claim({ phase: 'Bound' }, { labels: { a: 'b' } }), /fields other than status\.quantity/],
  ['refuses owners and finalizers of a claim', claim({ phase: 'Bound' }, { finalizers: ['a.b/c'] }), /fields other than status\.quantity/],
  [
    'lets a node delete its pods',
    { resource: 'pods', operation: 'DELETE', namespace: 'd', name: 'mine', old: stored['pods/d/mine']! },
    null,
  ],
  [
    'refuses to delete pods of others',
    { resource: 'pods', operation: 'DELETE', namespace: 'd', name: 'other', old: stored['pods/d/other']! },
    /can only delete pods with spec\.nodeName/,
  ],
  ['refuses to update a pod', { resource: 'pods', operation: 'UPDATE', object: mirror(), old: mirror() }, /unexpected operation "UPDATE"/],
  [
    'lets a node report on its pods',
    { resource: 'pods', operation: 'UPDATE', subresource: 'status', object: { ...mirror(), status: { phase: 'Running' } }, old: mirror() },
    null,
  ],
  [
    'refuses to report on pods of others',
    { resource: 'pods', operation: 'UPDATE', subresource: 'status', object: mirror({ nodeName: 'n2' }), old: mirror({ nodeName: 'n2' }) },
    /can only update pod status/,
  ],
  [
    'refuses labels through a report',
    { resource: 'pods', operation: 'UPDATE', subresource: 'status', object: mirror({}, { labels: { a: 'b' } }), old: mirror() },
    /cannot update labels/,
  ],
  [
    'refuses other subresources',
    { resource: 'pods', operation: 'UPDATE', subresource: 'resize', object: mirror(), old: mirror() },
    /only 'status' and 'eviction'/,
  ],
  ['lets a node register itself', { resource: 'nodes', name: 'n1', object: node({ 'kubernetes.io/hostname': 'n1', mine: 'yes' }) }, null],
  [
    'refuses to register another',
    { resource: 'nodes', name: 'n2', object: { metadata: { name: 'n2' } } },
    /not allowed to modify node "n2"/,
  ],
  [
    'refuses restricted labels',
    { resource: 'nodes', name: 'n1', object: node({ 'node-restriction.kubernetes.io/team': 'x' }) },
    /following labels: node-restriction\.kubernetes\.io\/team/,
  ],
  [
    'refuses to change taints',
    { resource: 'nodes', operation: 'UPDATE', name: 'n1', object: { ...node({}), spec: { taints: [{ key: 'a' }] } }, old: node({}) },
    /modify taints/,
  ],
  [
    'refuses to change owners',
    { resource: 'nodes', operation: 'UPDATE', name: 'n1', object: node({}, { ownerReferences: [owner] }), old: node({}) },
    /ownerReferences/,
  ],
  [
    'refuses to take a restricted label away',
    { resource: 'nodes', operation: 'UPDATE', name: 'n1', object: node({}), old: node({ 'node-restriction.kubernetes.io/team': 'x' }) },
    /not allowed to modify labels/,
  ],
  ['gives a token for a pod on the node', forMine(), null],
  [
    'refuses a token for nothing',
    { resource: 'serviceaccounts', subresource: 'token', namespace: 'd', name: 'a', object: token({}) },
    /not bound to a pod/,
  ],
  [
    'refuses a token without a uid',
    {
      resource: 'serviceaccounts',
      subresource: 'token',
      namespace: 'd',
      name: 'a',
      object: token({ kind: 'Pod', apiVersion: 'v1', name: 'mine' }),
    },
    /without a uid/,
  ],
  [
    'refuses a token for a pod of another life',
    {
      resource: 'serviceaccounts',
      subresource: 'token',
      namespace: 'd',
      name: 'a',
      object: token({ kind: 'Pod', apiVersion: 'v1', name: 'mine', uid: 'old' }),
    },
    /does not match the UID in record/,
  ],
  [
    'refuses a token for a pod elsewhere',
    {
      resource: 'serviceaccounts',
      subresource: 'token',
      namespace: 'd',
      name: 'a',
      object: token({ kind: 'Pod', apiVersion: 'v1', name: 'other', uid: 'other-uid' }),
    },
    /scheduled on a different node/,
  ],
  [
    'lets a node keep its lease',
    {
      resource: 'leases.coordination.k8s.io',
      operation: 'UPDATE',
      namespace: 'kube-node-lease',
      name: 'n1',
      object: { metadata: { name: 'n1' } },
    },
    null,
  ],
  [
    'refuses the lease of another',
    { resource: 'leases.coordination.k8s.io', namespace: 'kube-node-lease', object: { metadata: { name: 'n2' } } },
    /same name as the requesting node/,
  ],
  [
    'refuses leases elsewhere',
    { resource: 'leases.coordination.k8s.io', namespace: 'kube-system', object: { metadata: { name: 'n1' } } },
    /"kube-node-lease" system namespace/,
  ],
  [
    'refuses the CSINode of another',
    { resource: 'csinodes.storage.k8s.io', object: { metadata: { name: 'n2' } } },
    /CSINode with the same name/,
  ],
  [
    'refuses the slices of another',
    { resource: 'resourceslices.resource.k8s.io', object: { metadata: { name: 's' }, spec: { nodeName: 'n2' } } },
    /same NodeName/,
  ],
  [
    'lets a node report the capacity of a claim, whose generation an update shows as zero',
    claim({ phase: 'Bound', capacity: { storage: '50G' } }, { generation: 0 }),
    null,
  ],
  [
    'lets a node patch it, which makes an object that says its kind',
    patched(claim({ phase: 'Bound', capacity: { storage: '50G' } })),
    null,
  ],
  [
    'refuses more of a claim than its status',
    { resource: 'persistentvolumeclaims', operation: 'UPDATE', object: { metadata: {} }, old: { metadata: {} } },
    /may only update PVC status/,
  ],
];

const badPod = /not bound to a pod/;
const bound = { kind: 'Pod', apiVersion: 'v1', name: 'mine', uid: 'pod-uid' };
const slice = (nodeName: string): JsonObject => ({ metadata: { name: 's' }, spec: { nodeName } });
const updateOf = (now: JsonObject, before: JsonObject): Wanted => ({
  resource: 'nodes',
  operation: 'UPDATE',
  name: 'n1',
  object: { ...node({}), ...now },
  old: { ...node({}), ...before },
});
const configSource = { spec: { configSource: { a: 1 } } };

/** Rows of plugin/pkg/admission/noderestriction/admission.go. */
const furtherRows: typeof rows = [
  [
    'refuses a token for this API where the pod projects other things',
    { ...forMine(), object: token({ ...bound, name: 'settings', uid: 'settings-uid' }) },
    /audience "" not found in pod spec volume/,
  ],
  [
    'knows no node without a name',
    { resource: 'pods', object: mirror(), user: { ...kubelet, name: 'system:node:' } },
    /could not determine node/,
  ],
  ['refuses to create a report', { ...reporting({}), operation: 'CREATE' }, /unexpected operation "CREATE"/],
  ...([{ apiVersion: 'v2' }, { kind: 'Pod' }, { name: 'n2' }] as const).map((change): (typeof rows)[number] => [
    `refuses a pod of another owner: ${JSON.stringify(change)}`,
    { resource: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, ...change }] }) },
    /with an owner reference set to itself/,
  ]),
  ['refuses a source of null, which is none', withSource({ hostPath: null }), /unknown volume type/],
  ...([{ apiVersion: 'v2' }, { kind: 'Secret' }, { name: '' }] as const).map((change): (typeof rows)[number] => [
    `refuses a token for something else: ${JSON.stringify(change)}`,
    { ...forMine(), object: token({ ...bound, ...change }) },
    badPod,
  ]),
  ['leaves accounts alone', { ...forMine(), subresource: '', object: { metadata: {} } }, null],
  ['leaves changes of accounts alone', { ...forMine(), operation: 'UPDATE', subresource: '', object: { metadata: {} } }, null],
  ['leaves changes of tokens alone', { ...forMine(), operation: 'UPDATE', object: { metadata: {} } }, null],
  ['leaves requests for nothing alone', { resource: 'serviceaccounts', subresource: 'token' }, null],
  ['refuses to create a report on a claim', { ...claim({ phase: 'Bound' }), operation: 'CREATE' }, /unexpected operation "CREATE"/],
  [
    'leaves updates of certificate requests alone',
    { ...certificate('kubernetes.io/kubelet-serving', 'system:node:n2'), operation: 'UPDATE' },
    null,
  ],
  ['lets a node be deleted by itself', { resource: 'nodes', operation: 'DELETE', name: 'n1', old: node({ 'x.k8s.io/y': 'z' }) }, null],
  ['refuses to delete another node', { resource: 'nodes', operation: 'DELETE', name: 'n2' }, /not allowed to modify node "n2"/],
  [
    'refuses to register another without a name in the path',
    { resource: 'nodes', object: { metadata: { name: 'n2' } } },
    /modify node "n2"/,
  ],
  ['refuses to register nobody', { resource: 'nodes', object: { metadata: {} } }, /modify node ""/],
  ['lets a node register itself without a name in the path', { resource: 'nodes', object: node({}) }, null],
  [
    'refuses to register with a source of configuration',
    { resource: 'nodes', name: 'n1', object: { ...node({}), ...configSource } },
    /configSource/,
  ],
  ['refuses a new source of configuration', updateOf(configSource, {}), /new non-nil configSource/],
  ['lets a source of configuration stay, and go', updateOf(configSource, configSource), null],
  ['lets a source of configuration go', updateOf({}, configSource), null],
  ['lets a node change itself', updateOf({ spec: { podCIDR: '10.0.0.0/24' } }, {}), null],
  ['lets restricted labels stay', updateOf(node({ 'x.k8s.io/y': 'z' }), node({ 'x.k8s.io/y': 'z' })), null],
  ['lets a node write its own CSINode', { resource: 'csinodes.storage.k8s.io', object: { metadata: { name: 'n1' } } }, null],
  ['lets a node write its CSINode by its path', { resource: 'csinodes.storage.k8s.io', operation: 'UPDATE', name: 'n1' }, null],
  ['refuses the CSINode of nobody', { resource: 'csinodes.storage.k8s.io', object: { metadata: {} } }, /CSINode with the same name/],
  ['lets a node create its slices', { resource: 'resourceslices.resource.k8s.io', object: slice('n1') }, null],
  [
    'leaves updates of slices to what may be changed of them',
    { resource: 'resourceslices.resource.k8s.io', operation: 'UPDATE', object: slice('n2') },
    null,
  ],
  ['lets a node delete its slices', { resource: 'resourceslices.resource.k8s.io', operation: 'DELETE', old: slice('n1') }, null],
  [
    'refuses to delete slices of others',
    { resource: 'resourceslices.resource.k8s.io', operation: 'DELETE', old: slice('n2') },
    /^can only delete ResourceSlice/,
  ],
  [
    'refuses to create slices of others',
    { resource: 'resourceslices.resource.k8s.io', object: slice('n2') },
    /^can only create ResourceSlice/,
  ],
  [
    'refuses a token where one object is missing by its name alone',
    { ...forMine(), object: token({ kind: 'Pod', apiVersion: 'v1', name: 'unbound', uid: 'unbound-uid' }, 'x') },
    /error validating audience "x": persistentvolume "" not found$/,
  ],
];

describe('authorization, node restriction', () => {
  for (const [what, wanted, words] of [...rows, ...furtherRows]) {
    it(what, async () => {
      const refusal = await refusalOf(wanted);
      if (words === null) expect(refusal).to.equal(null);
      else expect(refusal ?? '').to.match(words);
    });
  }

  it('leaves audiences and names in certificates alone where that is switched off', async () => {
    const lenient = nodeRestriction(lookup, authorize, { audiences: false, certificates: false, podCertificates: false });
    for (const wanted of [forMine('own', ''), forMine('vault'), certificate('kubernetes.io/kubelet-serving', 'system:node:n2')]) {
      expect(await refusalOf(wanted)).to.not.equal(null);
      expect(await refusalOf(wanted, lenient)).to.equal(null);
    }
    const ofNobody = { ...forMine('own'), object: token({ kind: 'Pod', apiVersion: 'v1', name: 'mine', uid: 'another' }, 'own') };
    expect(await refusalOf(ofNobody, lenient)).to.match(/does not match the UID/);
  });

  it('knows the labels that nodes have always set', () => {
    expect(
      forbiddenLabels(
        {
          'kubernetes.io/hostname': 'a',
          'node.kubernetes.io/instance-type': 'a',
          'kubelet.kubernetes.io/x': 'a',
          'team.example.com/x': 'a',
          plain: 'a',
          'topology.kubernetes.io/zone': 'a',
          'kubernetes.io/evil': 'a',
          'x.k8s.io/y': 'a',
          'a.node-restriction.kubernetes.io/b': 'a',
          'notkubernetes.io/fine': 'a',
        },
        {},
      ),
    ).to.deep.equal(['a.node-restriction.kubernetes.io/b', 'kubernetes.io/evil', 'x.k8s.io/y']);
  });
});
