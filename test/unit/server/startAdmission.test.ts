import { expect } from 'chai';
import { Restartable } from './restartable.js';

const registration = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
const nowhere = { url: 'https://127.0.0.1:1/' };
const hook = {
  name: 'all.example.com',
  rules: [everything],
  clientConfig: nowhere,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Fail',
};

/** Guards that refuse everything, as left by an administrator or a failed installation. */
const guards: readonly (readonly [at: string, object: object])[] = [
  [`${registration}/mutatingwebhookconfigurations`, { metadata: { name: 'closed' }, webhooks: [hook] }],
  [`${registration}/validatingwebhookconfigurations`, { metadata: { name: 'closed' }, webhooks: [hook] }],
  [
    `${registration}/validatingadmissionpolicies`,
    { metadata: { name: 'closed' }, spec: { matchConstraints: { resourceRules: [everything] }, validations: [{ expression: 'false' }] } },
  ],
  [
    `${registration}/validatingadmissionpolicybindings`,
    { metadata: { name: 'closed' }, spec: { policyName: 'closed', validationActions: ['Deny'] } },
  ],
];

describe('a start with admission that lets nothing pass', function () {
  let server: Restartable;
  before(async () => {
    server = await Restartable.create('closed-admission');
  });
  after(() => server.stop());

  for (const store of ['embedded', 'memory'])
    it(`makes what every cluster has in an empty ${store} store all the same`, async () => {
      await server.restart('--enable-admission-plugins=AlwaysDeny', ...(store === 'memory' ? ['--storage-backend=memory'] : []));
      expect((await server.ask('GET', '/readyz')).status).to.equal(200);
      for (const at of [
        '/api/v1/namespaces/kube-system',
        '/api/v1/namespaces/default/services/kubernetes',
        '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin',
        '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
        '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt',
        '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
      ])
        expect((await server.ask('GET', at)).status, at).to.equal(200);
      // The server publishes its endpoint too.
      await server.until(200, 'GET', '/api/v1/namespaces/default/endpoints/kubernetes');
      expect((await server.ask('POST', maps, { metadata: { name: 'mine' } })).status).to.equal(403);
    });

  it('serves, and lets an administrator take away what stands in the way', async () => {
    await server.restart();
    for (const [at, object] of guards) expect((await server.ask('POST', at, object)).status, at).to.equal(201);
    await server.until(500, 'POST', `${maps}?dryRun=All`, { metadata: { name: 'probe' } });
    // Default objects are gone too, and must be restored despite the webhooks.
    await server.restart('--service-cluster-ip-range=10.9.0.0/24');
    expect((await server.ask('GET', '/readyz')).status).to.equal(200);
    const service = await server.ask('GET', '/api/v1/namespaces/default/services/kubernetes');
    expect(service.body['spec']).to.deep.include({ clusterIP: '10.9.0.1' });
    expect((await server.ask('POST', maps, { metadata: { name: 'mine' } })).status).to.equal(500);
    // Policies guard webhook configurations, and nothing guards policies.
    for (const [at] of [...guards].reverse()) await server.until(200, 'DELETE', `${at}/closed`);
    await server.until(201, 'POST', maps, { metadata: { name: 'mine' } });
  });
});
