import 'reflect-metadata';
import { expect } from 'chai';
import { createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { Target, type User } from './target.js';
import { applyPatch, jsonPatch, mergePatch, refused, strategicPatch, tryAll, type Try } from './tries.js';

const group = 'rbac.authorization.k8s.io';
const roles = `/apis/${group}/v1/namespaces/a/roles`;
const bindings = `/apis/${group}/v1/namespaces/a/rolebindings`;
const clusterRoles = `/apis/${group}/v1/clusterroles`;
const clusterBindings = `/apis/${group}/v1/clusterrolebindings`;
const rule = (verbs: readonly string[], resources: readonly string[], more: object = {}): object => ({
  apiGroups: [''],
  resources,
  verbs,
  ...more,
});
const held = rule(['get', 'list'], ['configmaps']);
const more = rule(['get', 'list', 'create'], ['configmaps']);
const typed = (kind: string, name: string, rules: readonly object[], extra: object = {}): object => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  rules,
  ...extra,
});
const refers = (kind: string, name: string): object => ({ apiGroup: group, kind, name });
const binding = (kind: string, name: string, roleRef: object, subject = 'mallory'): object => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  roleRef,
  subjects: [{ kind: 'User', apiGroup: group, name: subject }],
});

/** Nobody grants more rights than they have: roles, bindings, certificates and secondary ports. */
describe('attacks/escalation', function () {
  let target: Target;
  let mallory: User;
  let requester: User;

  before(async () => {
    target = await Target.start();
    await target.namespace('a');
    mallory = await target.user('mallory', {
      rules: [
        {
          verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
          apiGroups: [group],
          resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
        },
        { verbs: ['get', 'list'], resources: ['configmaps'] },
      ],
    });
    requester = await target.user('requester', {
      rules: [
        {
          verbs: ['*'],
          apiGroups: ['certificates.k8s.io'],
          resources: ['certificatesigningrequests', 'certificatesigningrequests/approval', 'certificatesigningrequests/status'],
        },
        { verbs: ['update', 'patch', 'get'], apiGroups: ['apps'], resources: ['deployments/scale', 'deployments/status'] },
        { verbs: ['update'], resources: ['namespaces/finalize', 'namespaces/status'] },
        { verbs: ['create'], resources: ['pods/binding', 'pods/eviction', 'bindings'] },
      ],
    });
    const { admin } = target;
    await admin.expect(201, 'POST', roles, { body: typed('Role', 'held', [held]) });
    await admin.expect(201, 'POST', roles, { body: typed('Role', 'empty', []) });
    await admin.expect(201, 'POST', roles, { body: typed('Role', 'strong', [rule(['*'], ['*'])]) });
    await admin.expect(201, 'POST', clusterRoles, {
      body: typed('ClusterRole', 'fed', [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { feeds: 'fed' } }] } }),
    });
    await admin.expect(201, 'POST', bindings, { body: binding('RoleBinding', 'harmless', refers('Role', 'held')) });
  });
  after(async () => {
    await target?.stop();
  });

  describe('roles, by one who may write them all but holds little', () => {
    const patch = (what: string, path: string, type: string, body: unknown, status: Try['status'] = 403): Try => ({
      what,
      method: 'PATCH',
      path,
      type,
      body,
      status,
    });
    const create = (what: string, path: string, body: unknown, status: Try['status'] = 403): Try => ({
      what,
      method: 'POST',
      path,
      body,
      status,
    });
    tryAll(
      () => mallory.client,
      [
        create('gives on what it holds', roles, typed('Role', 'fair', [held]), 201),
        create('a verb more', roles, typed('Role', 'x1', [more])),
        create('another resource', roles, typed('Role', 'x2', [rule(['get'], ['secrets'])])),
        create('a subresource', roles, typed('Role', 'x3', [rule(['get'], ['configmaps', 'pods/exec'])])),
        create('all resources', roles, typed('Role', 'x4', [rule(['get'], ['*'])])),
        create('all subresources', roles, typed('Role', 'x5', [rule(['get'], ['*/scale'])])),
        create('all verbs', roles, typed('Role', 'x6', [rule(['*'], ['configmaps'])])),
        create('all groups', roles, typed('Role', 'x7', [rule(['get'], ['configmaps'], { apiGroups: ['*'] })])),
        create('a name of another resource', roles, typed('Role', 'x8', [rule(['get'], ['secrets'], { resourceNames: ['one'] })])),
        create('one rule that it holds, and one that it does not', roles, typed('Role', 'x9', [held, rule(['get'], ['secrets'])])),
        create(
          'the right to escalate',
          clusterRoles,
          typed('ClusterRole', 'x10', [{ apiGroups: [group], resources: ['clusterroles'], verbs: ['escalate'] }]),
        ),
        create(
          'the right to bind',
          clusterRoles,
          typed('ClusterRole', 'x11', [{ apiGroups: [group], resources: ['clusterroles'], verbs: ['bind'] }]),
        ),
        create('the right to impersonate', clusterRoles, typed('ClusterRole', 'x12', [rule(['impersonate'], ['users'])])),
        create(
          'paths that are no resources',
          clusterRoles,
          typed('ClusterRole', 'x13', [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]),
        ),
        create('all paths', clusterRoles, typed('ClusterRole', 'x14', [{ nonResourceURLs: ['*'], verbs: ['get'] }])),
        create(
          'a role that others feed',
          clusterRoles,
          typed('ClusterRole', 'x15', [], { aggregationRule: { clusterRoleSelectors: [{}] } }),
        ),
        create(
          'a role that feeds others',
          clusterRoles,
          typed('ClusterRole', 'x16', [rule(['*'], ['*'])], { metadata: { name: 'x16', labels: { feeds: 'fed' } } }),
        ),
        create('a role that feeds that of administrators', clusterRoles, {
          ...typed('ClusterRole', 'x17', [rule(['get'], ['secrets'])]),
          metadata: { name: 'x17', labels: { [`${group}/aggregate-to-admin`]: 'true' } },
        }),
        create('more, only to try', `${roles}?dryRun=All`, typed('Role', 'x18', [more])),
        { what: 'PUT', method: 'PUT', path: `${roles}/empty`, body: typed('Role', 'empty', [more]), status: 403 },
        { what: 'PUT that makes', method: 'PUT', path: `${roles}/x19`, body: typed('Role', 'x19', [more]), status: refused },
        patch('merge patch', `${roles}/empty`, mergePatch, { rules: [more] }),
        patch('JSON patch', `${roles}/empty`, jsonPatch, [{ op: 'replace', path: '/rules', value: [more] }]),
        patch('JSON patch that copies', `${roles}/held`, jsonPatch, [{ op: 'add', path: '/rules/0/verbs/-', value: 'delete' }]),
        patch('strategic patch', `${roles}/empty`, strategicPatch, { rules: [more] }),
        patch('apply', `${roles}/empty?fieldManager=m&force=true`, applyPatch, typed('Role', 'empty', [more])),
        patch('apply that makes', `${roles}/x20?fieldManager=m`, applyPatch, typed('Role', 'x20', [more])),
        patch('the aggregation rule of a role', `${clusterRoles}/fed`, mergePatch, {
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${group}/aggregate-to-admin`]: 'true' } }] },
        }),
        patch('a role that the system brings', `${clusterRoles}/system:discovery`, mergePatch, {
          rules: [{ nonResourceURLs: ['*'], verbs: ['*'] }],
        }),
        create(
          'a rule without end',
          roles,
          typed('Role', 'x21', [rule(['get'], ['configmaps'], { resourceNames: ['a'], nonResourceURLs: ['/x'] })]),
          [403, 422],
        ),
      ],
    );
  });

  describe('bindings, by the same', () => {
    tryAll(
      () => mallory.client,
      [
        {
          what: 'binds what it holds',
          method: 'POST',
          path: bindings,
          body: binding('RoleBinding', 'fair', refers('Role', 'held')),
          status: 201,
        },
        {
          what: 'the strongest role',
          method: 'POST',
          path: clusterBindings,
          body: binding('ClusterRoleBinding', 'x', refers('ClusterRole', 'cluster-admin')),
          status: 403,
        },
        {
          what: 'the strongest role, in a namespace',
          method: 'POST',
          path: bindings,
          body: binding('RoleBinding', 'x', refers('ClusterRole', 'cluster-admin')),
          status: 403,
        },
        {
          what: 'a strong role, for another',
          method: 'POST',
          path: bindings,
          body: binding('RoleBinding', 'x', refers('Role', 'strong'), 'friend'),
          status: 403,
        },
        {
          what: 'a role that is not there yet',
          method: 'POST',
          path: bindings,
          body: binding('RoleBinding', 'x', refers('Role', 'later')),
          status: [403, 404],
        },
        {
          what: 'a strong role, only to try',
          method: 'POST',
          path: `${bindings}?dryRun=All`,
          body: binding('RoleBinding', 'x', refers('Role', 'strong')),
          status: 403,
        },
        {
          what: 'another role, in a binding that is there',
          method: 'PUT',
          path: `${bindings}/harmless`,
          body: binding('RoleBinding', 'harmless', refers('Role', 'strong')),
          status: [403, 422],
        },
        {
          what: 'another role, by a patch',
          method: 'PATCH',
          path: `${bindings}/harmless`,
          type: mergePatch,
          body: { roleRef: { name: 'strong' } },
          status: [403, 422],
        },
        {
          what: 'apply that makes',
          method: 'PATCH',
          path: `${bindings}/x?fieldManager=m`,
          type: applyPatch,
          body: binding('RoleBinding', 'x', refers('Role', 'strong')),
          status: 403,
        },
        {
          what: 'a role of another group',
          method: 'POST',
          path: bindings,
          body: binding('RoleBinding', 'x', { apiGroup: 'elsewhere.example.com', kind: 'Role', name: 'held' }),
          status: [403, 422],
        },
      ],
    );
    it('has gained nothing', async () => {
      for (const path of ['/api/v1/namespaces/a/secrets', '/api/v1/nodes', '/metrics'])
        expect((await mallory.client.request('GET', path)).status, path).to.equal(403);
    });
  });

  describe('certificates, by one who may write and approve requests, but for no signer', () => {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const made = async (commonName: string, organization?: string): Promise<string> => {
      x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
      const keys = (await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
        'sign',
        'verify',
      ])) as webcrypto.CryptoKeyPair;
      const request = await x509.Pkcs10CertificateRequestGenerator.create({
        name: [...(organization === undefined ? [] : [{ O: [organization] }]), { CN: [commonName] }],
        keys,
        signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      });
      return Buffer.from(request.toString('pem')).toString('base64');
    };
    const signer = 'kubernetes.io/kube-apiserver-client';
    before(async () => {
      await target.admin.expect(201, 'POST', path, {
        body: { metadata: { name: 'other' }, spec: { request: await made('x'), signerName: signer, usages: ['client auth'] } },
      });
    });
    it('is itself, whatever the request says', async () => {
      const spec = {
        request: await made('requester'),
        signerName: signer,
        usages: ['client auth'],
        username: 'admin',
        groups: ['system:masters'],
        uid: '0',
        extra: { a: ['b'] },
      };
      const object = (await requester.client.expect(201, 'POST', path, { body: { metadata: { name: 'spoofed' }, spec } })) as unknown as {
        readonly spec: { readonly username: string; readonly groups: readonly string[] };
      };
      expect(object.spec.username).to.equal('requester');
      expect(object.spec.groups).not.to.include('system:masters');
    });
    it('cannot ask for a certificate of administrators', async () => {
      const spec = { request: await made('me', 'system:masters'), signerName: signer, usages: ['client auth'] };
      expect((await requester.client.request('POST', path, { body: { metadata: { name: 'masters' }, spec } })).status).to.equal(403);
    });
    const condition = { conditions: [{ type: 'Approved', status: 'True', reason: 'r', message: 'm' }] };
    const anything = Buffer.from(
      createPublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey).export({ type: 'spki', format: 'pem' }),
    ).toString('base64');
    tryAll(
      () => requester.client,
      [
        { what: 'approves', method: 'PATCH', path: `${path}/other/approval`, type: mergePatch, body: { status: condition }, status: 403 },
        {
          what: 'approves on the status',
          method: 'PATCH',
          path: `${path}/other/status`,
          type: mergePatch,
          body: { status: condition },
          status: [200, 403, 422],
        },
        {
          what: 'issues a certificate',
          method: 'PATCH',
          path: `${path}/other/status`,
          type: mergePatch,
          body: { status: { certificate: anything } },
          status: [403, 422],
        },
        {
          what: 'changes whose request it is',
          method: 'PATCH',
          path: `${path}/other`,
          type: mergePatch,
          body: { spec: { username: 'requester' } },
          status: [200, 403, 422],
        },
      ],
    );
    it('has left the request of another as it was', async () => {
      const object = (await target.admin.expect(200, 'GET', `${path}/other`)) as unknown as {
        readonly spec: { readonly username: string };
        readonly status?: { readonly conditions?: unknown; readonly certificate?: unknown };
      };
      expect([object.spec.username, object.status?.conditions, object.status?.certificate]).to.deep.equal([
        'kubernetes-admin',
        undefined,
        undefined,
      ]);
    });
  });

  describe('subresources, by one who has nothing of the objects themselves', () => {
    const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'evil' }] } } } };
    before(async () => {
      const labels = { app: 'd' };
      const spec = {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'good' }] } },
      };
      await target.admin.expect(201, 'POST', '/apis/apps/v1/namespaces/a/deployments', { body: { metadata: { name: 'd' }, spec } });
      await target.admin.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'kept' } } });
    });
    const deployment = '/apis/apps/v1/namespaces/a/deployments/d';
    tryAll(
      () => requester.client,
      [
        { what: 'the object itself', path: deployment, status: 403 },
        {
          what: 'an image through the scale',
          method: 'PATCH',
          path: `${deployment}/scale`,
          type: mergePatch,
          body: { spec: { replicas: 1, ...image.spec } },
          status: [200, 400, 422],
        },
        { what: 'an image through the status', method: 'PATCH', path: `${deployment}/status`, type: mergePatch, body: image, status: 200 },
        {
          what: 'a label through the scale',
          method: 'PATCH',
          path: `${deployment}/scale`,
          type: mergePatch,
          body: { metadata: { labels: { app: 'x' } } },
          status: [200, 400, 422],
        },
        {
          what: 'a binding for another pod than in the path',
          method: 'POST',
          path: '/api/v1/namespaces/a/pods/p/binding',
          body: { metadata: { name: 'q' }, target: { kind: 'Node', name: 'n' } },
          status: refused,
        },
        {
          what: 'a binding in another namespace than in the path',
          method: 'POST',
          path: '/api/v1/namespaces/a/pods/p/binding',
          body: { metadata: { name: 'p', namespace: 'kube-system' }, target: { kind: 'Node', name: 'n' } },
          status: refused,
        },
        {
          what: 'an eviction of another pod than in the path',
          method: 'POST',
          path: '/api/v1/namespaces/a/pods/p/eviction',
          body: { metadata: { name: 'q' } },
          status: refused,
        },
        {
          what: 'a finalizer of a namespace that lives',
          method: 'PUT',
          path: '/api/v1/namespaces/kept/finalize',
          body: { metadata: { name: 'kept' }, spec: { finalizers: [] } },
          status: [200, 409, 422],
        },
        {
          what: 'ephemeral containers',
          method: 'PATCH',
          path: '/api/v1/namespaces/a/pods/p/ephemeralcontainers',
          type: mergePatch,
          body: {},
          status: 403,
        },
        { what: 'a token', method: 'POST', path: '/api/v1/namespaces/a/serviceaccounts/default/token', body: {}, status: 403 },
      ],
    );
    it('has left the deployment and the namespace as they were', async () => {
      const object = (await target.admin.expect(200, 'GET', deployment)) as unknown as typeof image & {
        readonly metadata: { readonly labels?: object };
      };
      expect(object.spec.template.spec.containers[0]?.image).to.equal('good');
      expect(object.metadata.labels).to.equal(undefined);
      await target.admin.expect(200, 'GET', '/api/v1/namespaces/kept');
    });
  });

  describe('roles that the system brings', () => {
    it('give editors no endpoints, which lead traffic out of their namespace (CVE-2021-25740)', async () => {
      const { body } = await target.admin.request('GET', `${clusterRoles}/system:aggregate-to-edit`);
      const rules = (body as { readonly rules: readonly { readonly verbs: readonly string[]; readonly resources?: readonly string[] }[] })
        .rules;
      const writers = rules.filter(({ verbs }) => verbs.some((verb) => ['create', 'update', 'patch', '*'].includes(verb)));
      for (const { resources = [] } of writers)
        for (const each of ['endpoints', 'endpointslices', '*']) expect(resources).not.to.include(each);
    });
    it('let viewers read no secrets, and nobody without a name anything but what is public', async () => {
      for (const name of ['view', 'system:aggregate-to-view', 'system:public-info-viewer', 'system:discovery', 'system:basic-user']) {
        const { body } = await target.admin.request('GET', `${clusterRoles}/${name}`);
        const rules =
          (body as { readonly rules?: readonly { readonly resources?: readonly string[]; readonly nonResourceURLs?: readonly string[] }[] })
            .rules ?? [];
        for (const { resources = [], nonResourceURLs = [] } of rules) {
          for (const each of ['secrets', 'pods/exec', 'serviceaccounts/token', '*']) expect(resources, name).not.to.include(each);
          expect(nonResourceURLs, name).not.to.include('*');
        }
      }
    });
  });
});
