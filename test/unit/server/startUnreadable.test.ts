import { expect } from 'chai';
import { Restartable } from './restartable.js';

/** Kinds that the server reads at start or watches. */
const read = [
  'configmaps',
  'secrets',
  'serviceaccounts',
  'services',
  'namespaces',
  'nodes',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'leases.coordination.k8s.io',
  'servicecidrs.networking.k8s.io',
  'ipaddresses.networking.k8s.io',
];
const force = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';
const registration = '/apis/admissionregistration.k8s.io/v1';
const lost = '/api/v1/namespaces/default/configmaps/lost';
const definition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const remote = {
  metadata: { name: 'v1.remote.example.com' },
  spec: {
    group: 'remote.example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: 'x', name: 'y' },
    insecureSkipTLSVerify: true,
  },
};
const hooks = {
  metadata: { name: 'guard' },
  webhooks: [
    {
      name: 'pods.example.com',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      clientConfig: { url: 'https://127.0.0.1:1/' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

describe('a start over objects that cannot be decrypted', function () {
  let server: Restartable;
  before(async () => {
    server = await Restartable.create('unreadable-start');
  });
  after(() => server.stop());

  const keyed = (key: string, resources: readonly string[] = read): string[] => {
    const providers = [{ aesgcm: { keys: [{ name: key, secret: Buffer.alloc(32, key).toString('base64') }] } }, { identity: {} }];
    const file = server.file('keys.json', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources, providers }],
    });
    return [`--encryption-provider-config=${file}`, '--feature-gates=AllowUnsafeMalformedObjectDeletion=true'];
  };

  it('serves everything else, and says what it cannot read', async () => {
    await server.restart(...keyed('first'));
    for (const [at, object] of [
      ['/api/v1/namespaces/default/configmaps', { metadata: { name: 'lost' } }],
      ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition],
      ['/apis/apiregistration.k8s.io/v1/apiservices', remote],
      [`${registration}/validatingwebhookconfigurations`, hooks],
      [`${registration}/mutatingwebhookconfigurations`, hooks],
    ] as const)
      expect((await server.ask('POST', at, object)).status, at).to.equal(201);

    await server.restart(...keyed('second'));
    expect((await server.ask('GET', '/readyz')).status).to.equal(200);
    expect((await server.ask('GET', '/livez')).status).to.equal(200);
    expect((await server.ask('GET', '/api/v1/pods')).status).to.equal(200);
    expect((await server.ask('GET', lost)).status).to.equal(500);
    const said = server.log.filter((line) => line.includes('cannot'));
    for (const name of ['kube-system/extension-apiserver-authentication', 'clusterroles/cluster-admin'])
      expect(
        said.some((line) => line.includes(name)),
        name,
      ).to.equal(true);
  });

  it('lets nothing pass that an unreadable configuration of webhooks may be about, but lets what cannot be read be deleted', async () => {
    // A kind that is stored in plain text.
    const classes = '/apis/storage.k8s.io/v1/storageclasses';
    const made = { metadata: { name: 'mine' }, provisioner: 'example.com/p' };
    for (const kind of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
      const refused = await server.ask('POST', classes, made);
      expect(refused.status).to.equal(500);
      expect(refused.body['message']).to.contain(`${kind} "guard"`);
      expect((await server.ask('DELETE', `${registration}/${kind}/guard?${force}`)).status).to.equal(200);
      await server.until(404, 'GET', `${registration}/${kind}/guard`);
    }
    await server.until(201, 'POST', classes, made);
    expect((await server.ask('DELETE', `${lost}?${force}`)).status).to.equal(200);
    expect((await server.ask('GET', lost)).status).to.equal(404);
  });

  it('is mended by servers where only they write: clients of the API still find its endpoints', async () => {
    const own = ['leases.coordination.k8s.io', 'endpoints', 'endpointslices.discovery.k8s.io'];
    const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
    const separate = await Restartable.create('unreadable-endpoints');
    try {
      await separate.restart(...keyed('third', own));
      await separate.until(200, 'GET', endpoints);
      await separate.restart(...keyed('fourth', own));
      const { body } = await separate.until(200, 'GET', endpoints);
      expect(body['subsets']).to.have.length(1);
    } finally {
      await separate.stop();
    }
  });
});
