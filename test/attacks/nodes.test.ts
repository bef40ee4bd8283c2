import { expect } from 'chai';
import { Target, type User } from './target.js';
import { applyPatch, expectAnswer, jsonPatch, mergePatch, refused, strategicPatch, tryAll, type Try } from './tries.js';

const pods = '/api/v1/namespaces/a/pods';
const nodes = '/api/v1/nodes';
const isolation = 'node-restriction.kubernetes.io/tenant';
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

/** A compromised kubelet can read what its own pods need, and write only its own node. */
describe('attacks/nodes', function () {
  let target: Target;
  let kubelet: User;
  let nodeUid: string;
  let mineUid: string;
  let otherUid: string;

  before(async () => {
    target = await Target.start({ flags: ['--enable-admission-plugins=NodeRestriction'] });
    const { admin } = target;
    await target.namespace('a');
    for (const name of ['used', 'unused']) {
      await admin.expect(201, 'POST', '/api/v1/namespaces/a/secrets', { body: { metadata: { name }, data: {} } });
      await admin.expect(201, 'POST', '/api/v1/namespaces/a/configmaps', { body: { metadata: { name } } });
      await admin.expect(201, 'POST', '/api/v1/namespaces/a/serviceaccounts', { body: { metadata: { name } } });
    }
    nodeUid = (await admin.expect(201, 'POST', nodes, { body: { metadata: { name: 'n1', labels: { [isolation]: 'low' } } } })).metadata.uid;
    await admin.expect(201, 'POST', nodes, { body: { metadata: { name: 'n2' } } });
    const spec = (nodeName: string): object => ({
      nodeName,
      serviceAccountName: 'used',
      volumes: [
        { name: 's', secret: { secretName: 'used' } },
        { name: 'm', configMap: { name: 'used' } },
      ],
    });
    mineUid = (await admin.expect(201, 'POST', pods, { body: pod('mine', spec('n1')) })).metadata.uid;
    otherUid = (await admin.expect(201, 'POST', pods, { body: pod('other', { nodeName: 'n2', serviceAccountName: 'unused' }) })).metadata
      .uid;
    kubelet = await target.user('system:node:n1', { group: 'system:nodes' });
    while ((await kubelet.client.request('GET', '/api/v1/namespaces/a/secrets/used')).status !== 200) await new Promise(setImmediate);
  });
  after(async () => {
    await target?.stop();
  });

  const get = (what: string, path: string, status: Try['status']): Try => ({ what, path, status });

  describe('reads', () => {
    const base = '/api/v1/namespaces/a';
    tryAll(
      () => kubelet.client,
      [
        get('a secret that its pod uses', `${base}/secrets/used`, 200),
        get('a secret that none uses', `${base}/secrets/unused`, 403),
        get('all secrets', `${base}/secrets`, 403),
        get('all secrets of everywhere', '/api/v1/secrets', 403),
        get('a secret by a selector', `${base}/secrets?fieldSelector=metadata.name%3Dused`, 200),
        get('another by a selector', `${base}/secrets?fieldSelector=metadata.name%3Dunused`, 403),
        get('a configuration that its pod uses', `${base}/configmaps/used`, 200),
        get('a configuration that none uses', `${base}/configmaps/unused`, 403),
        get('a watch on all configurations', `${base}/configmaps?watch=true`, 403),
        get('an account that its pod has', `${base}/serviceaccounts/used`, 200),
        get('another account', `${base}/serviceaccounts/unused`, 403),
        get('its pod', `${base}/pods/mine`, 200),
        get('the pod of another node', `${base}/pods/other`, 403),
        get('its pods', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', 200),
        get('the pods of another', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn2', 403),
        get('the pods that are not its own', '/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1', 403),
        get('all pods', '/api/v1/pods', 403),
        get('another node', `${nodes}/n2`, 403),
        get('all nodes', nodes, 403),
        get('roles', '/apis/rbac.authorization.k8s.io/v1/clusterroles', 403),
        get('the log of a pod', `${base}/pods/mine/log`, 403),
        { what: 'runs a command in a pod', method: 'POST', path: `${base}/pods/mine/exec?command=ls`, status: 403 },
        get('a proxy to itself', `${nodes}/n1/proxy/pods`, 403),
      ],
    );
  });

  describe('writes on nodes', () => {
    const patch = (what: string, name: string, type: string, body: unknown, status: Try['status'] = 403): Try => ({
      what,
      method: 'PATCH',
      path: `${nodes}/${name}`,
      type,
      body,
      status,
    });
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'gone', uid: '00000000-0000-0000-0000-000000000000' };
    tryAll(
      () => kubelet.client,
      [
        patch('a label of its own', 'n1', mergePatch, { metadata: { labels: { mine: 'yes' } } }, 200),
        patch('a label that isolates', 'n1', mergePatch, { metadata: { labels: { [isolation]: 'high' } } }),
        patch('the end of a label that isolates', 'n1', jsonPatch, [
          { op: 'remove', path: `/metadata/labels/${isolation.replace('/', '~1')}` },
        ]),
        patch('all labels at once', 'n1', strategicPatch, { metadata: { labels: { $patch: 'replace', mine: 'yes' } } }),
        patch('a taint', 'n1', mergePatch, { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
        patch('an owner, so that it is collected (CVE-2025-5187)', 'n1', mergePatch, { metadata: { ownerReferences: [owner] } }),
        patch('an owner by a strategic patch', 'n1', strategicPatch, { metadata: { ownerReferences: [owner] } }),
        patch('an owner by a JSON patch', 'n1', jsonPatch, [{ op: 'add', path: '/metadata/ownerReferences', value: [owner] }]),
        patch('an owner by apply', 'n1?fieldManager=m&force=true', applyPatch, {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'n1', ownerReferences: [owner] },
        }),
        {
          what: 'an owner through its status',
          method: 'PATCH',
          path: `${nodes}/n1/status`,
          type: mergePatch,
          body: { metadata: { ownerReferences: [owner] } },
          status: [200, 403],
        },
        {
          what: 'a label that isolates, through its status',
          method: 'PATCH',
          path: `${nodes}/n1/status`,
          type: mergePatch,
          body: { metadata: { labels: { [isolation]: 'high' } } },
          status: [200, 403],
        },
        {
          what: 'a taint through its status',
          method: 'PATCH',
          path: `${nodes}/n1/status`,
          type: mergePatch,
          body: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
          status: [200, 403],
        },
        patch('another node', 'n2', mergePatch, { metadata: { labels: { mine: 'yes' } } }),
        {
          what: 'the status of another node',
          method: 'PATCH',
          path: `${nodes}/n2/status`,
          type: mergePatch,
          body: { status: { addresses: [] } },
          status: 403,
        },
        { what: 'another node, made', method: 'POST', path: nodes, body: { metadata: { name: 'n3' } }, status: 403 },
        {
          what: 'another node, of a generated name',
          method: 'POST',
          path: nodes,
          body: { metadata: { generateName: 'n' } },
          status: refused,
        },
        { what: 'the end of another node', method: 'DELETE', path: `${nodes}/n2`, status: 403 },
        { what: 'the end of itself', method: 'DELETE', path: `${nodes}/n1`, status: 403 },
        { what: 'the end of all nodes', method: 'DELETE', path: nodes, status: 403 },
      ],
    );
    it('has changed nothing that matters', async () => {
      const { metadata, spec } = (await target.admin.expect(200, 'GET', `${nodes}/n1`)) as unknown as {
        readonly metadata: { readonly labels: object; readonly ownerReferences?: unknown };
        readonly spec: { readonly taints?: readonly { readonly key: string }[] };
      };
      expect([metadata.labels, metadata.ownerReferences]).to.deep.equal([{ [isolation]: 'low', mine: 'yes' }, undefined]);
      expect((spec.taints ?? []).map(({ key }) => key)).not.to.include('a');
    });
  });

  describe('writes on pods', () => {
    const mirror = (name: string, spec: object = {}, metadata: object = {}): object =>
      pod(
        name,
        { nodeName: 'n1', ...spec },
        {
          annotations: { 'kubernetes.io/config.mirror': 'x' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: nodeUid, controller: true }],
          ...metadata,
        },
      );
    const create = (what: string, body: () => object, status: Try['status'] = 403): void => {
      it(what, async () => {
        await expectAnswer(kubelet.client, { what, method: 'POST', path: pods, body: body(), status });
      });
    };
    const volume = (source: object): object => ({ volumes: [{ name: 'v', ...source }] });
    const container = (more: object): object => ({ containers: [{ name: 'c', image: 'i', ...more }] });
    create('a mirror pod', () => mirror('m'), 201);
    create('a pod that is no mirror', () => pod('x', { nodeName: 'n1' }));
    create('a mirror pod of another node', () => mirror('x', { nodeName: 'n2' }));
    create('a mirror pod without an owner', () => mirror('x', {}, { ownerReferences: [] }));
    create('a mirror pod with an account', () => mirror('x', { serviceAccountName: 'used' }));
    create('a mirror pod with a secret', () => mirror('x', volume({ secret: { secretName: 'unused' } })));
    create('a mirror pod with a secret in the environment', () =>
      mirror('x', container({ env: [{ name: 'a', valueFrom: { secretKeyRef: { name: 'unused', key: 'k' } } }] })),
    );
    create('a mirror pod with a whole secret in the environment', () =>
      mirror('x', container({ envFrom: [{ secretRef: { name: 'unused' } }] })),
    );
    create('a mirror pod with a secret for its images', () => mirror('x', { imagePullSecrets: [{ name: 'unused' }] }));
    create('a mirror pod with a projected secret', () => mirror('x', volume({ projected: { sources: [{ secret: { name: 'unused' } }] } })));
    create('a mirror pod with a projected token', () =>
      mirror('x', volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } })),
    );
    create('a mirror pod with a configuration', () => mirror('x', volume({ configMap: { name: 'unused' } })));
    create('a mirror pod with a claim', () => mirror('x', volume({ persistentVolumeClaim: { claimName: 'c' } })));
    create('a mirror pod with a secret of a driver', () =>
      mirror('x', volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 'unused' } } })),
    );
    create('a mirror pod with a device claim (CVE-2025-4563)', () =>
      mirror('x', { resourceClaims: [{ name: 'r', resourceClaimName: 'claim' }] }),
    );
    tryAll(
      () => kubelet.client,
      [
        { what: 'the pod of another node, ended', method: 'DELETE', path: `${pods}/other`, status: 403 },
        { what: 'all pods, ended', method: 'DELETE', path: pods, status: 403 },
        {
          what: 'the pod of another node, evicted',
          method: 'POST',
          path: `${pods}/other/eviction`,
          body: { metadata: { name: 'other' } },
          status: 403,
        },
        {
          what: 'the status of another pod',
          method: 'PATCH',
          path: `${pods}/other/status`,
          type: mergePatch,
          body: { status: { phase: 'Failed' } },
          status: 403,
        },
        {
          what: 'the status of its pod',
          method: 'PATCH',
          path: `${pods}/mine/status`,
          type: mergePatch,
          body: { status: { phase: 'Running' } },
          status: 200,
        },
        {
          what: 'a label of its pod through the status',
          method: 'PATCH',
          path: `${pods}/mine/status`,
          type: mergePatch,
          body: { metadata: { labels: { app: 'x' } } },
          status: 403,
        },
        {
          what: 'device claims of its pod through the status',
          method: 'PATCH',
          path: `${pods}/mine/status`,
          type: mergePatch,
          body: { status: { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'foreign' }] } },
          status: [403, 422],
        },
        {
          what: 'the node of its pod',
          method: 'PATCH',
          path: `${pods}/mine`,
          type: mergePatch,
          body: { spec: { nodeName: 'n2' } },
          status: 403,
        },
        {
          what: 'an ephemeral container',
          method: 'PATCH',
          path: `${pods}/mine/ephemeralcontainers`,
          type: strategicPatch,
          body: { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
          status: 403,
        },
      ],
    );
  });

  describe('tokens and its own papers', () => {
    const bound = (name: string, uid: string): object => ({ spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } } });
    const token = (what: string, account: string, body: () => object, status: Try['status']): void => {
      it(what, async () => {
        await expectAnswer(kubelet.client, {
          what,
          method: 'POST',
          path: `/api/v1/namespaces/a/serviceaccounts/${account}/token`,
          body: body(),
          status,
        });
      });
    };
    token('a token for its pod', 'used', () => bound('mine', mineUid), 201);
    token('a token for nobody', 'used', () => ({ spec: {} }), 403);
    token('a token for the pod of another node', 'unused', () => bound('other', otherUid), 403);
    token('a token for another life of its pod', 'used', () => bound('mine', otherUid), [403, 409]);
    token('a token of another account for its pod', 'unused', () => bound('mine', mineUid), [400, 403]);
    const leases = '/apis/coordination.k8s.io/v1/namespaces';
    tryAll(
      () => kubelet.client,
      [
        { what: 'its lease', method: 'POST', path: `${leases}/kube-node-lease/leases`, body: { metadata: { name: 'n1' } }, status: 201 },
        {
          what: 'the lease of another',
          method: 'POST',
          path: `${leases}/kube-node-lease/leases`,
          body: { metadata: { name: 'n2' } },
          status: 403,
        },
        {
          what: 'the lease of a controller',
          method: 'POST',
          path: `${leases}/kube-system/leases`,
          body: { metadata: { name: 'n1' } },
          status: 403,
        },
        {
          what: 'the drivers of another',
          method: 'POST',
          path: '/apis/storage.k8s.io/v1/csinodes',
          body: { metadata: { name: 'n2' }, spec: { drivers: [] } },
          status: 403,
        },
        {
          what: 'devices of another',
          method: 'POST',
          path: '/apis/resource.k8s.io/v1/resourceslices',
          body: {
            metadata: { name: 's' },
            spec: { nodeName: 'n2', driver: 'd', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
          },
          status: 403,
        },
      ],
    );
    it('is nobody without the group, or with a name that is none', async () => {
      for (const [name, group] of [
        ['system:node:n1', undefined],
        ['system:node:', 'system:nodes'],
        ['n1', 'system:nodes'],
      ] as const) {
        const { client } = await target.user(name, group === undefined ? {} : { group });
        expect((await client.request('GET', '/api/v1/namespaces/a/secrets/used')).status, name).to.equal(403);
      }
    });
  });

  describe('policies that look at what a node was (CVE-2021-25735)', () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    before(async () => {
      const spec = {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes', 'nodes/*'] }],
        },
        validations: [{ expression: 'oldObject.metadata.labels.frozen == object.metadata.labels.frozen', message: 'frozen' }],
        matchConditions: [{ name: 'is-frozen', expression: '"frozen" in oldObject.metadata.labels' }],
      };
      await target.admin.expect(201, 'POST', policies, { body: { metadata: { name: 'frozen' }, spec } });
      await target.admin.expect(201, 'POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
        body: { metadata: { name: 'frozen' }, spec: { policyName: 'frozen', validationActions: ['Deny'] } },
      });
      await target.admin.expect(201, 'POST', nodes, { body: { metadata: { name: 'ice', labels: { frozen: 'yes' } } } });
      const melt = { type: mergePatch, body: { metadata: { labels: { frozen: 'no' } } } };
      while ((await target.admin.request('PATCH', `${nodes}/ice?dryRun=All`, melt)).status === 200) await new Promise(setImmediate);
    });
    const labels = { metadata: { labels: { frozen: 'no' } } };
    tryAll(
      () => target.admin,
      [
        { what: 'merge patch', method: 'PATCH', path: `${nodes}/ice`, type: mergePatch, body: labels, status: 422, says: /frozen/ },
        { what: 'strategic patch', method: 'PATCH', path: `${nodes}/ice`, type: strategicPatch, body: labels, status: 422 },
        {
          what: 'JSON patch',
          method: 'PATCH',
          path: `${nodes}/ice`,
          type: jsonPatch,
          body: [{ op: 'replace', path: '/metadata/labels/frozen', value: 'no' }],
          status: 422,
        },
        {
          what: 'apply',
          method: 'PATCH',
          path: `${nodes}/ice?fieldManager=m&force=true`,
          type: applyPatch,
          body: { apiVersion: 'v1', kind: 'Node', ...labels },
          status: 422,
        },
        { what: 'PUT', method: 'PUT', path: `${nodes}/ice`, body: { metadata: { name: 'ice', labels: { frozen: 'no' } } }, status: 422 },
        { what: 'status', method: 'PATCH', path: `${nodes}/ice/status`, type: mergePatch, body: labels, status: [200, 422] },
      ],
    );
    it('has left the node as it was', async () => {
      expect((await target.admin.expect(200, 'GET', `${nodes}/ice`)).metadata.labels).to.deep.equal({ frozen: 'yes' });
    });
  });
});
