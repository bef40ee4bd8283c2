import { expect } from 'chai';
import { textAt } from '../../../../api/json/members.js';
import type { ApiObject, JsonValue } from '../../../../api/object.js';
import type { User } from '../../../../api/user.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { createNodeAuthorization, decideForNodes } from '../../../../server/authorization/node/authorizer.js';
import { NodeGraph, type StoredPod } from '../../../../server/authorization/node/graph.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';

const kubelet = (node: string): User => ({
  name: `system:node:${node}`,
  uid: '',
  groups: ['system:nodes', 'system:authenticated'],
  extra: {},
});
type Question = Partial<Extract<Attributes, { isResource: true }>>;
const on = (verb: string, resource: string, more: Question = {}): Attributes => ({
  isResource: true,
  user: kubelet('n1'),
  verb,
  group: '',
  version: 'v1',
  namespace: '',
  resource,
  subresource: '',
  name: '',
  ...more,
});

const container = (parts: { [member: string]: JsonValue }): JsonValue => ({ name: 'c', image: 'i', ...parts });
const pod = (node: string, spec: { [member: string]: JsonValue }, more: Partial<ApiObject['metadata']> = {}): ApiObject => ({
  metadata: { name: 'p', namespace: 'ns', ...more },
  spec: { nodeName: node, ...spec },
});
const storedPod = (name: string, object: ApiObject): StoredPod => ({
  namespace: 'ns',
  name,
  uid: object.metadata.uid ?? '',
  fields: { 'spec.nodeName': textAt(object, 'spec', 'nodeName') },
  item: Buffer.from(JSON.stringify(object)),
  decode: () => object,
});
const rich: { [member: string]: JsonValue } = {
  serviceAccountName: 'robot',
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [container({ envFrom: [{ secretRef: { name: 'from' } }, { configMapRef: { name: 'settings' } }] })],
  containers: [
    container({
      env: [
        { name: 'a', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } },
        { name: 'b', valueFrom: { configMapKeyRef: { name: 'map', key: 'k' } } },
      ],
    }),
  ],
  ephemeralContainers: [container({ envFrom: [{ secretRef: { name: 'late' } }] })],
  volumes: [
    { name: 'v1', secret: { secretName: 'mounted' } },
    { name: 'v2', persistentVolumeClaim: { claimName: 'disk' } },
    { name: 'v3', ephemeral: { volumeClaimTemplate: {} } },
    { name: 'v4', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'certs' } }] } },
    { name: 'v5', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
  ],
};

const podRequests = 'podcertificaterequests';
const certificates = { group: 'certificates.k8s.io' };

describe('authorization/node', () => {
  const graph = new NodeGraph();
  graph.putPod(
    storedPod('p', {
      ...pod('n1', { ...rich, resourceClaims: [{ name: 'a', resourceClaimName: 'named' }] }),
      status: {
        resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'made' }],
        extendedResourceClaimStatus: { resourceClaimName: 'extended' },
      },
    }),
  );
  graph.putVolume('pv', {
    metadata: { name: 'pv' },
    spec: { claimRef: { namespace: 'ns', name: 'disk' }, csi: { nodeStageSecretRef: { name: 'stage', namespace: 'storage' } } },
  });
  graph.putAttachment('va', { metadata: { name: 'va' }, spec: { nodeName: 'n1' } });
  graph.putSlice('slice', { metadata: { name: 'slice' }, spec: { nodeName: 'n1' } });
  graph.putSlice('theirs', { metadata: { name: 'theirs' }, spec: { nodeName: 'n2' } });
  graph.putPodCertificateRequest('ns', 'pcr', { metadata: { name: 'pcr' }, spec: { nodeName: 'n1' } });
  const decide = decideForNodes(graph, { podCertificates: true });
  const decision = (attributes: Attributes): string => {
    const answer = decide(attributes);
    return answer instanceof Promise ? 'promise' : answer.decision === 'allow' ? 'allow' : answer.reason;
  };

  const readable: [string, string, string][] = [
    ...['pull', 'from', 'key', 'late', 'mounted', 'projected', 'csi'].map((name): [string, string, string] => ['secrets', 'ns', name]),
    ['secrets', 'storage', 'stage'],
    ...['settings', 'map', 'certs'].map((name): [string, string, string] => ['configmaps', 'ns', name]),
    ['persistentvolumeclaims', 'ns', 'disk'],
    ['persistentvolumeclaims', 'ns', 'p-v3'],
    ['persistentvolumes', '', 'pv'],
    ['serviceaccounts', 'ns', 'robot'],
    ['pods', 'ns', 'p'],
  ];
  for (const [resource, namespace, name] of readable) {
    it(`lets the pod's node read ${resource} ${name}, and no other node`, () => {
      expect(decision(on('get', resource, { namespace, name }))).to.equal('allow');
      expect(decision(on('get', resource, { namespace, name, user: kubelet('n2') }))).to.equal(
        "no relationship found between node 'n2' and this object",
      );
      if (namespace !== '')
        expect(decision(on('get', resource, { namespace: 'other', name }))).to.equal(
          "no relationship found between node 'n1' and this object",
        );
    });
  }

  const questions: [string, Attributes, string][] = [
    [
      'a secret that no pod uses',
      on('get', 'secrets', { namespace: 'ns', name: 'nobodys' }),
      "no relationship found between node 'n1' and this object",
    ],
    ['all secrets', on('list', 'secrets', { namespace: 'ns' }), 'No Object name found'],
    ['a watch of one secret', on('watch', 'secrets', { namespace: 'ns', name: 'pull' }), 'allow'],
    ['a change of a secret', on('update', 'secrets', { namespace: 'ns', name: 'pull' }), 'can only read resources of this type'],
    ["a token of the pod's account", on('create', 'serviceaccounts', { namespace: 'ns', name: 'robot', subresource: 'token' }), 'allow'],
    [
      'a token of another account',
      on('create', 'serviceaccounts', { namespace: 'ns', name: 'other', subresource: 'token' }),
      "no relationship found between node 'n1' and this object",
    ],
    ['its node', on('get', 'nodes', { name: 'n1' }), 'allow'],
    ['another node', on('get', 'nodes', { name: 'n2' }), "node 'n1' cannot read 'n2', only its own Node object"],
    ['all nodes', on('list', 'nodes'), "node 'n1' cannot read all nodes, only its own Node object"],
    ['the deletion of a node', on('delete', 'nodes', { name: 'n1' }), ''],
    ['the status of its node', on('patch', 'nodes', { name: 'n1', subresource: 'status' }), 'allow'],
    ['its lease', on('update', 'leases', { group: 'coordination.k8s.io', namespace: 'kube-node-lease', name: 'n1' }), 'allow'],
    [
      'another lease',
      on('update', 'leases', { group: 'coordination.k8s.io', namespace: 'kube-node-lease', name: 'n2' }),
      'can only access node lease with the same name as the requesting node',
    ],
    [
      'a lease elsewhere',
      on('get', 'leases', { group: 'coordination.k8s.io', namespace: 'ns', name: 'n1' }),
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    ['pods of its own', on('list', 'pods', { fields: [{ field: 'spec.nodeName', equals: true, value: 'n1' }] }), 'allow'],
    [
      'pods of another',
      on('list', 'pods', { fields: [{ field: 'spec.nodeName', equals: true, value: 'n2' }] }),
      'can only list/watch pods with spec.nodeName field selector',
    ],
    [
      'pods not of its own',
      on('list', 'pods', { fields: [{ field: 'spec.nodeName', equals: false, value: 'n1' }] }),
      'can only list/watch pods with spec.nodeName field selector',
    ],
    ['all pods', on('list', 'pods'), 'can only list/watch pods with spec.nodeName field selector'],
    // Source: authorizePod, node_authorizer.go.
    ['one pod of its own', on('watch', 'pods', { namespace: 'ns', name: 'p' }), 'allow'],
    [
      'one pod of another',
      on('list', 'pods', { namespace: 'ns', name: 'p', user: kubelet('n2') }),
      "no relationship found between node 'n2' and this object",
    ],
    ['an attachment to it', on('get', 'volumeattachments', { group: 'storage.k8s.io', name: 'va' }), 'allow'],
    [
      'an attachment to another',
      on('get', 'volumeattachments', { group: 'storage.k8s.io', name: 'va', user: kubelet('n2') }),
      "no relationship found between node 'n2' and this object",
    ],
    ['a request for the certificate of a pod', on('create', podRequests, { ...certificates, namespace: 'ns' }), 'allow'],
    ['such a request of its own', on('get', podRequests, { ...certificates, namespace: 'ns', name: 'pcr' }), 'allow'],
    [
      'such a request of another',
      on('get', podRequests, { ...certificates, namespace: 'ns', name: 'pcr', user: kubelet('n2') }),
      "no relationship found between node 'n2' and this object",
    ],
    [
      'such requests of its own',
      on('watch', podRequests, { ...certificates, fields: [{ field: 'spec.nodeName', equals: true, value: 'n1' }] }),
      'allow',
    ],
    [
      'all such requests',
      on('list', podRequests, certificates),
      'can only list/watch podcertificaterequests with spec.nodeName field selector',
    ],
    [
      'the deletion of such a request',
      on('delete', podRequests, { ...certificates, namespace: 'ns', name: 'pcr' }),
      'only the following verbs are allowed for a PodCertificateRequest: get, watch, list, create',
    ],
    [
      'the status of such a request',
      on('get', podRequests, { ...certificates, namespace: 'ns', name: 'pcr', subresource: 'status' }),
      'cannot authorize PodCertificateRequest subresources',
    ],
    ['what every node may', on('create', 'events', { namespace: 'ns' }), 'allow'],
    ['what no node may', on('get', 'roles', { group: 'rbac.authorization.k8s.io', namespace: 'ns', name: 'r' }), ''],
    ['anything without the group', on('get', 'secrets', { namespace: 'ns', name: 'pull', user: { ...kubelet('n1'), groups: [] } }), ''],
    [
      'anything without a name',
      on('get', 'secrets', { namespace: 'ns', name: 'pull', user: kubelet('') }),
      'unknown node for user "system:node:"',
    ],
  ];
  const its = (verb: string, resource: string, more: Question = {}): Attributes =>
    on(verb, resource, { namespace: 'ns', name: 'p', ...more });
  const unrelated = "no relationship found between node 'n1' and this object";
  const csi = { group: 'storage.k8s.io', namespace: '', name: 'n1' };
  const lease = { group: 'coordination.k8s.io', namespace: 'kube-node-lease', name: 'n1' };
  const slice = { group: 'resource.k8s.io', namespace: '', name: 'slice' };
  const selecting = (field: string): Question => ({ ...slice, name: '', fields: [{ field, equals: true, value: 'n1' }] });
  // The rules are those of plugin/pkg/auth/authorizer/node/node_authorizer.go.
  questions.push(
    ['a part of a secret', its('get', 'secrets', { name: 'pull', subresource: 'x' }), 'cannot read subresource'],
    ['a secret of no namespace', its('get', 'secrets', { namespace: '', name: 'pull' }), 'can only read namespaced object of this type'],
    ['its claim', its('get', 'persistentvolumeclaims', { name: 'disk' }), 'allow'],
    ['its claims', its('list', 'persistentvolumeclaims', { name: 'disk' }), 'can only get individual resources of this type'],
    ['a part of its claim', its('get', 'persistentvolumeclaims', { name: 'disk', subresource: 'x' }), 'cannot get subresource'],
    ...['update', 'patch'].map((verb): [string, Attributes, string] => [
      `${verb} of the status of its claim`,
      its(verb, 'persistentvolumeclaims', { name: 'disk', subresource: 'status' }),
      'allow',
    ]),
    ['the status of another claim', its('patch', 'persistentvolumeclaims', { name: 'other', subresource: 'status' }), unrelated],
    [
      'a read of the status of its claim',
      its('get', 'persistentvolumeclaims', { name: 'disk', subresource: 'status' }),
      'can only get/update/patch this type',
    ],
    ['all its volumes', on('list', 'persistentvolumes', { name: 'pv' }), 'can only get individual resources of this type'],
    ['accounts', its('list', 'serviceaccounts', { name: 'robot' }), 'can only create tokens for individual service accounts'],
    [
      'a read of a token',
      its('get', 'serviceaccounts', { name: 'robot', subresource: 'token' }),
      'can only create tokens for individual service accounts',
    ],
    [
      'a token of no account',
      its('create', 'serviceaccounts', { name: '', subresource: 'token' }),
      'can only create tokens for individual service accounts',
    ],
    ['an account', its('create', 'serviceaccounts', { name: 'robot' }), 'can only create token subresource of serviceaccount'],
    ...['get', 'create', 'update', 'patch', 'delete'].flatMap((verb): [string, Attributes, string][] => [
      [`${verb} of its lease`, on(verb, 'leases', lease), 'allow'],
      [`${verb} of its CSINode`, on(verb, 'csinodes', csi), 'allow'],
    ]),
    ['a lease whose name is not known yet', on('create', 'leases', { ...lease, name: '' }), 'allow'],
    ['a CSINode whose name is not known yet', on('create', 'csinodes', { ...csi, name: '' }), 'allow'],
    ['all leases', on('list', 'leases', lease), 'can only get, create, update, patch, or delete a node lease'],
    ['all CSINodes', on('list', 'csinodes', csi), 'can only get, create, update, patch, or delete a CSINode'],
    ['a part of its CSINode', on('get', 'csinodes', { ...csi, subresource: 'x' }), 'cannot authorize CSINode subresources'],
    ['another CSINode', on('get', 'csinodes', { ...csi, name: 'n2' }), 'can only access CSINode with the same name as the requesting node'],
    ...['create', 'update', 'patch', 'watch'].map((verb): [string, Attributes, string] => [
      `${verb} of its node`,
      on(verb, 'nodes', { name: 'n1' }),
      'allow',
    ]),
    ['a read of the status of its node', on('get', 'nodes', { name: 'n1', subresource: 'status' }), ''],
    ['a part of its node', on('get', 'nodes', { name: 'n1', subresource: 'proxy' }), ''],
    ['the status of its pod', its('update', 'pods', { subresource: 'status' }), 'allow'],
    ['a read of the status of its pod', its('get', 'pods', { subresource: 'status' }), ''],
    ['an eviction of its pod', its('create', 'pods', { subresource: 'eviction' }), 'allow'],
    ['a change of an eviction', its('update', 'pods', { subresource: 'eviction' }), ''],
    ['the log of its pod', its('get', 'pods', { subresource: 'log' }), ''],
    ['a mirror pod', its('create', 'pods'), 'allow'],
    ['the deletion of its pod', its('delete', 'pods'), 'allow'],
    ['a change of its pod', its('update', 'pods'), ''],
    [
      'the deletion of all its pods',
      on('deletecollection', 'pods', { namespace: 'ns', fields: [{ field: 'spec.nodeName', equals: true, value: 'n1' }] }),
      '',
    ],
    [
      'pods by another field',
      on('list', 'pods', { fields: [{ field: 'metadata.name', equals: true, value: 'n1' }] }),
      'can only list/watch pods with spec.nodeName field selector',
    ],
    ['a claim of devices', its('get', 'resourceclaims', { group: 'resource.k8s.io', name: 'named' }), 'allow'],
    ['a claim of devices from a template', its('get', 'resourceclaims', { group: 'resource.k8s.io', name: 'made' }), 'allow'],
    ['a claim of extended resources', its('get', 'resourceclaims', { group: 'resource.k8s.io', name: 'extended' }), 'allow'],
    ['a claim of devices of others', its('get', 'resourceclaims', { group: 'resource.k8s.io', name: 'other' }), unrelated],
    ['a slice', on('create', 'resourceslices', { ...slice, name: '' }), 'allow'],
    ...['get', 'update', 'patch', 'delete'].flatMap((verb): [string, Attributes, string][] => [
      [`${verb} of its slice`, on(verb, 'resourceslices', slice), 'allow'],
      [`${verb} of a slice of others`, on(verb, 'resourceslices', { ...slice, name: 'theirs' }), unrelated],
    ]),
    ...['list', 'watch', 'deletecollection'].flatMap((verb): [string, Attributes, string][] => [
      [`${verb} of its slices`, on(verb, 'resourceslices', selecting('spec.nodeName')), 'allow'],
      [
        `${verb} of slices by another field`,
        on(verb, 'resourceslices', selecting('spec.driver')),
        'can only list/watch/deletecollection resourceslices with nodeName field selector',
      ],
    ]),
    ['a part of its slice', on('get', 'resourceslices', { ...slice, subresource: 'x' }), 'cannot authorize ResourceSlice subresources'],
    [
      'something else with its slice',
      on('escalate', 'resourceslices', slice),
      'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
    ],
  );
  for (const [what, attributes, answer] of questions) {
    it(`answers ${answer === 'allow' ? 'yes' : 'no'} to ${what}`, () => {
      expect(decision(attributes)).to.equal(answer);
    });
  }

  it('knows no requests for certificates of pods while these are off', () => {
    const without = decideForNodes(graph, { podCertificates: false });
    expect(without(on('create', podRequests, { ...certificates, namespace: 'ns' }))).to.deep.equal({ decision: 'noOpinion', reason: '' });
  });

  it('forgets what a pod no longer refers to, and pods that are gone', () => {
    const own = new NodeGraph();
    own.putPod(storedPod('p', pod('n1', { volumes: [{ name: 'v', secret: { secretName: 'a' } }] })));
    own.putPod(storedPod('q', pod('n1', { volumes: [{ name: 'v', secret: { secretName: 'a' } }] }, { name: 'q' })));
    own.putPod(storedPod('p', pod('n1', {}, { uid: 'another' })));
    expect(own.readsObject('n1', 'secrets/ns/a')).to.equal(true);
    own.removePod('ns', 'absent');
    own.putPod(storedPod('r', pod('n1', { volumes: [{ name: 'v', secret: { secretName: 'a' } }] }, { name: 'r' })));
    own.removePod('ns', 'r');
    own.removePod('ns', 'r');
    expect(own.readsObject('n1', 'secrets/ns/a')).to.equal(true);
    own.removePod('ns', 'q');
    expect(own.readsObject('n1', 'secrets/ns/a')).to.equal(false);
    expect(own.readsObject('n1', 'pods/ns/p')).to.equal(true);
  });

  it('forgets volumes, attachments, slices and requests for certificates that are gone', () => {
    const own = new NodeGraph();
    const volume = (name: string, secret: string): void =>
      own.putVolume(name, {
        metadata: { name },
        spec: { claimRef: { namespace: 'ns', name: 'disk' }, csi: { nodeStageSecretRef: { name: secret, namespace: 's' } } },
      });
    own.putPod(storedPod('p', pod('n1', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }] })));
    volume('a', 'both');
    volume('b', 'both');
    own.removeVolume('a');
    expect([own.readsVolume('n1', 'a'), own.readsVolume('n1', 'b'), own.readsObject('n1', 'secrets/s/both')]).to.deep.equal([
      false,
      true,
      true,
    ]);
    volume('b', 'other');
    expect([own.readsObject('n1', 'secrets/s/both'), own.readsObject('n1', 'secrets/s/other')]).to.deep.equal([false, true]);
    own.removeVolume('b');
    expect([own.readsObject('n1', 'secrets/s/other'), own.readsVolume('n1', 'b')]).to.deep.equal([false, false]);

    const object = { metadata: {}, spec: { nodeName: 'n1' } };
    const held = (): boolean[] => [
      own.hasAttachment('n1', 'x'),
      own.hasSlice('n1', 'x'),
      own.hasPodCertificateRequest('n1', { namespace: 'ns', name: 'x' }),
    ];
    own.putAttachment('x', object);
    own.putSlice('x', object);
    own.putPodCertificateRequest('ns', 'x', object);
    expect(held()).to.deep.equal([true, true, true]);
    own.removeAttachment('x');
    own.removeSlice('x');
    own.removePodCertificateRequest('ns', 'x');
    expect(held()).to.deep.equal([false, false, false]);
  });

  it('follows what is stored until it stops, and measures each change', async () => {
    const storage = createMemoryStorage({ selectableFields: selectableFieldsOf });
    const key = { resource: { group: '', resource: 'pods' }, namespace: 'ns', name: 'p' };
    let changed = (_operation: string, _seconds: number): void => undefined;
    const change = (): Promise<[operation: string, seconds: number]> =>
      new Promise((resolve) => {
        changed = (...about) => {
          resolve(about);
        };
      });
    const following = createNodeAuthorization(storage, { podCertificates: true }, (operation) => (seconds) => {
      changed(operation, seconds);
    });
    await following.synced;
    const reads = async (): Promise<string> => (await following.authorize(its('get', 'secrets', { name: 'pull' }))).decision;
    expect(await reads()).to.equal('noOpinion');
    const added = change();
    const written = await storage.create(key, pod('n1', rich), { timeoutMs: 1000 });
    if (written.outcome !== 'applied') throw new Error(written.outcome);
    const [first, seconds] = await added;
    expect([first, await reads()]).to.deep.equal(['AddPod', 'allow']);
    expect(seconds).to.be.within(0, 1000);
    const removed = change();
    await storage.delete(key, written.object.version, { timeoutMs: 1000 });
    expect([(await removed)[0], await reads()]).to.deep.equal(['DeletePod', 'noOpinion']);
    following.stop();
  });

  it('lists no rights, and says so to nodes alone', () => {
    const { rules, stop } = createNodeAuthorization(createMemoryStorage(), { podCertificates: false });
    expect(rules(kubelet('n1'), 'ns')).to.deep.include({
      incomplete: true,
      problems: ['node authorizer does not support user rule resolution'],
    });
    expect(rules({ ...kubelet('n1'), groups: [] }, 'ns')).to.deep.include({ incomplete: false, problems: [] });
    stop();
  });

  it('decodes a pod only where its references can have changed', () => {
    const own = new NodeGraph();
    let decoded = 0;
    const put = (node: string, more: object, uid = 'u'): void => {
      const stored = storedPod('p', { ...pod(node, { serviceAccountName: 'robot' }, { uid }), ...more });
      own.putPod({
        ...stored,
        decode() {
          decoded += 1;
          return stored.decode();
        },
      });
    };
    const claims = (...names: string[]): object => ({
      status: { resourceClaimStatuses: names.map((name) => ({ name, resourceClaimName: name })) },
    });
    const readable = (): string[] => ['a', 'b'].filter((name) => own.readsObject('n1', `resourceclaims/ns/${name}`));

    put('', {});
    expect([decoded, own.readsObject('', 'pods/ns/p')]).to.deep.equal([0, false]);
    put('n1', {});
    put('n1', { status: { phase: 'Running' } });
    expect([decoded, own.readsObject('n1', 'serviceaccounts/ns/robot')]).to.deep.equal([1, true]);
    put('n1', claims('a'));
    expect([decoded, readable()]).to.deep.equal([2, ['a']]);
    put('n1', claims('b'));
    expect([decoded, readable()]).to.deep.equal([3, ['b']]);
    put('n1', {});
    expect([decoded, readable()]).to.deep.equal([4, []]);
    put('n1', {}, 'another');
    put('n2', {}, 'another');
    expect([decoded, own.readsObject('n1', 'pods/ns/p'), own.readsObject('n2', 'pods/ns/p')]).to.deep.equal([6, false, true]);
    put('', {}, 'third');
    expect([decoded, own.readsObject('n2', 'pods/ns/p')]).to.deep.equal([6, false]);
  });

  it('believes nothing that a kubelet says through a mirror pod', () => {
    const own = new NodeGraph();
    own.putPod(storedPod('p', pod('n1', rich, { annotations: { 'kubernetes.io/config.mirror': 'x' } })));
    expect(own.readsObject('n1', 'secrets/ns/pull')).to.equal(false);
    expect(own.readsObject('n1', 'pods/ns/p')).to.equal(true);
  });
});
