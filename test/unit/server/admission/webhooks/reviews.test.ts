import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { patchReply, startHookService, type HookService } from '../../../../fixtures/hookService.js';
import { createIdentities } from '../../../../fixtures/identities.js';
import { startHookServer, type HookServer } from './hookServer.js';

const maps = '/api/v1/namespaces/default/configmaps';
const map = (name: string, more: JsonObject = {}): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
const anything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
const pod = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
const scaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 's' },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
};
const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';

describe('what webhooks of admission are asked', () => {
  let server: HookServer;
  let service: HookService;
  const client = (): JsonObject => ({ clientConfig: { url: service.url, caBundle: service.caBundle } });
  const observe = (rules: JsonObject[] = anything, more: JsonObject = {}): Promise<void> =>
    server.configure('validating', { ...client(), rules, ...more });

  before(async () => {
    service = await startHookService(await createIdentities());
    server = await startHookServer();
  });
  after(async () => {
    service.close();
    await server.close();
  });
  afterEach(async () => {
    await server.clear();
    service.forget();
  });

  it('has everything about a create', async () => {
    await observe();
    expect(
      (await server.request('POST', `${maps}?fieldManager=me&fieldValidation=Strict&dryRun=All`, map('a', { data: { x: 'y' } }))).status,
    ).to.equal(201);
    const [review] = service.reviews;
    const { uid, object, ...request } = service.latest();
    expect([review?.['kind'], review?.['apiVersion']]).to.deep.equal(['AdmissionReview', 'admission.k8s.io/v1']);
    expect(uid).to.match(/^[0-9a-f]{8}-/);
    expect(request).to.deep.equal({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      dryRun: true,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'], fieldManager: 'me', fieldValidation: 'Strict' },
      oldObject: null,
    });
    expect(object).to.deep.include({ kind: 'ConfigMap', apiVersion: 'v1', data: { x: 'y' } });
    expect(service.paths).to.deep.equal(['/hook?timeout=10s']);
  });

  it('has both states of an update, and the old one of a deletion', async () => {
    await server.request('POST', maps, map('b', { data: { x: '1' } }));
    await observe([{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE', 'DELETE'], resources: ['configmaps'] }]);
    await server.request('PATCH', `${maps}/b`, { data: { x: '2' } }, 'application/merge-patch+json');
    expect(service.latest()).to.deep.include({
      operation: 'UPDATE',
      name: 'b',
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    expect([service.latest()['object'], service.latest()['oldObject']].map((state) => (state as JsonObject)['data'])).to.deep.equal([
      { x: '2' },
      { x: '1' },
    ]);
    await server.request('DELETE', `${maps}/b?propagationPolicy=Background&gracePeriodSeconds=0`);
    expect(service.latest()).to.deep.include({
      operation: 'DELETE',
      name: 'b',
      object: null,
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    });
    expect((service.latest()['oldObject'] as JsonObject)['data']).to.deep.equal({ x: '2' });
  });

  it('names neither what goes with its collection nor what has no name yet', async () => {
    await server.request('POST', maps, map('c'));
    await observe();
    await server.request('DELETE', maps);
    expect(service.reviews.map((review) => (review['request'] as JsonObject)['operation'])).to.deep.equal(['DELETE']);
    expect(service.latest()).to.not.have.property('name');
    await server.clear();
    await server.configure('mutating', { ...client(), rules: anything });
    await server.request('POST', maps, { ...map(''), metadata: { generateName: 'g-' } });
    expect(service.latest()).to.not.have.property('name');
  });

  it('is about the namespace itself where one is written', async () => {
    await observe();
    await server.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n1' } });
    expect(service.latest()).to.deep.include({ name: 'n1', namespace: 'n1' });
  });

  it('shows scales as scales, and takes patches of them', async () => {
    await server.request('POST', '/apis/apps/v1/namespaces/default/deployments', deployment);
    await server.configure('mutating', {
      ...client(),
      rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] }],
    });
    service.reply = patchReply([{ op: 'replace', path: '/spec/replicas', value: 5 }]);
    const answer = await server.request(
      'PATCH',
      '/apis/apps/v1/namespaces/default/deployments/d/scale',
      { spec: { replicas: 3 } },
      'application/merge-patch+json',
    );
    expect(service.latest()).to.deep.include({
      subResource: 'scale',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
    });
    expect((service.latest()['object'] as JsonObject)['spec']).to.deep.equal({ replicas: 3 });
    expect(answer.body['spec']).to.deep.equal({ replicas: 5 });
  });

  const connections: readonly (readonly [what: string, method: string, path: string, kind: string, options: JsonObject])[] = [
    [
      'exec',
      'GET',
      'pods/p/exec?command=ls&command=-l&stdout=true&container=c',
      'PodExecOptions',
      { stdout: true, container: 'c', command: ['ls', '-l'] },
    ],
    ['attach', 'POST', 'pods/p/attach?stdin=1', 'PodAttachOptions', { stdin: true }],
    ['portforward', 'GET', 'pods/p/portforward?ports=80', 'PodPortForwardOptions', { ports: [80] }],
    ['proxy', 'GET', 'services/s:80/proxy/a%2Fb//%20c/', 'ServiceProxyOptions', { path: '/a/b// c/' }],
    ['proxy', 'POST', 'services/s:80/proxy', 'ServiceProxyOptions', {}],
  ];
  for (const [what, method, path, kind, options] of connections) {
    it(`hears of connections: ${what}`, async () => {
      await server.request('POST', '/api/v1/namespaces/default/pods', pod('p'));
      await observe(anything, { objectSelector: {} });
      service.reply = { allowed: false, status: { message: 'no' } };
      expect((await server.request(method, `/api/v1/namespaces/default/${path}`)).status).to.equal(400);
      expect(service.latest()).to.deep.include({
        operation: 'CONNECT',
        subResource: what,
        options: null,
        oldObject: null,
        kind: { group: '', version: 'v1', kind },
      });
      expect(service.latest()['object']).to.deep.equal({ kind, apiVersion: 'v1', ...options });
    });
  }

  const orders: readonly (readonly [what: string, path: string, body: JsonObject, kind: string])[] = [
    [
      'a binding',
      'pods/q/binding',
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'q' }, target: { kind: 'Node', name: 'n' } },
      'Binding',
    ],
    ['an eviction', 'pods/q/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'q' } }, 'Eviction'],
    ['a token', 'serviceaccounts/q/token', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }, 'TokenRequest'],
  ];
  for (const [what, path, body, kind] of orders) {
    it(`hears of ${what} once, before anything is done`, async () => {
      await server.request('POST', '/api/v1/namespaces/default/pods', pod('q'));
      await observe();
      service.reply = { allowed: false };
      expect((await server.request('POST', `/api/v1/namespaces/default/${path}`, body)).body['message']).to.equal(
        'admission webhook "w.example.com" denied the request without explanation',
      );
      expect(service.reviews).to.have.length(1);
      expect(service.latest()).to.deep.include({ operation: 'CREATE', name: 'q' });
      expect((service.latest()['kind'] as JsonObject)['kind']).to.equal(kind);
    });
  }

  it('hears of reviews', async () => {
    await observe();
    await server.request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { nonResourceAttributes: { verb: 'get', path: '/' } },
    });
    expect(service.latest()).to.deep.include({
      operation: 'CREATE',
      kind: { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview' },
    });
  });

  it('sees objects in the version that its rule names, and changes them there', async () => {
    await server.configure('mutating', {
      ...client(),
      rules: [{ apiGroups: ['autoscaling'], apiVersions: ['v1'], operations: ['*'], resources: ['*'] }],
    });
    service.reply = patchReply([{ op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 42 }]);
    const answer = await server.request('POST', scalers, scaler);
    expect(service.latest()).to.deep.include({
      kind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
      requestKind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
    });
    expect((service.latest()['object'] as JsonObject)['apiVersion']).to.equal('autoscaling/v1');
    expect((answer.body['spec'] as JsonObject)['metrics']).to.deep.equal([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 42 } } },
    ]);
  });

  it('is not asked about other versions where it wants its own alone', async () => {
    await observe([{ apiGroups: ['autoscaling'], apiVersions: ['v1'], operations: ['*'], resources: ['*'] }], { matchPolicy: 'Exact' });
    await server.request('POST', `${scalers}?dryRun=All`, scaler);
    expect(service.reviews).to.have.length(0);
  });

  it('speaks the older version where a webhook wants that', async () => {
    await observe(anything, { admissionReviewVersions: ['v1beta1', 'v1'] });
    service.reply = { allowed: false, uid: 'other', status: { message: 'old' } };
    expect((await server.request('POST', maps, map('d'))).body['message']).to.equal(
      'admission webhook "w.example.com" denied the request: old',
    );
    expect(service.reviews[0]?.['apiVersion']).to.equal('admission.k8s.io/v1beta1');
  });

  it('is asked over connections that stay', async () => {
    await observe();
    await server.request('POST', `${maps}?dryRun=All`, map('e'));
    const before = service.connections();
    for (const name of ['f', 'g', 'h']) await server.request('POST', `${maps}?dryRun=All`, map(name));
    expect(service.connections()).to.equal(before);
  });
});
