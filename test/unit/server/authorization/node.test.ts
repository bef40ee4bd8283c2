import { expect } from 'chai';
import type { ApiObject, JsonValue } from '../../../../api/object.js';
import type { User } from '../../../../api/user.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { decideForNodes } from '../../../../server/authorization/node/authorizer.js';
import { NodeGraph } from '../../../../server/authorization/node/graph.js';

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
  graph.putPod('ns', 'p', pod('n1', rich));
  graph.putVolume('pv', {
    metadata: { name: 'pv' },
    spec: { claimRef: { namespace: 'ns', name: 'disk' }, csi: { nodeStageSecretRef: { name: 'stage', namespace: 'storage' } } },
  });
  graph.putAttachment('va', { metadata: { name: 'va' }, spec: { nodeName: 'n1' } });
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
    own.putPod('ns', 'p', pod('n1', { volumes: [{ name: 'v', secret: { secretName: 'a' } }] }));
    own.putPod('ns', 'q', pod('n1', { volumes: [{ name: 'v', secret: { secretName: 'a' } }] }, { name: 'q' }));
    own.putPod('ns', 'p', pod('n1', {}));
    expect(own.readsObject('n1', 'secrets/ns/a')).to.equal(true);
    own.removePod('ns', 'q');
    expect(own.readsObject('n1', 'secrets/ns/a')).to.equal(false);
    expect(own.readsObject('n1', 'pods/ns/p')).to.equal(true);
  });

  it('believes nothing that a kubelet says through a mirror pod', () => {
    const own = new NodeGraph();
    own.putPod('ns', 'p', pod('n1', rich, { annotations: { 'kubernetes.io/config.mirror': 'x' } }));
    expect(own.readsObject('n1', 'secrets/ns/pull')).to.equal(false);
    expect(own.readsObject('n1', 'pods/ns/p')).to.equal(true);
  });
});
