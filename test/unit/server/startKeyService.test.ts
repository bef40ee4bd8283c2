import { expect } from 'chai';
import { KeyPlugin } from '../../fixtures/keyPlugin.js';
import { Restartable } from './restartable.js';

const secrets = '/api/v1/namespaces/default/secrets';

describe('a start while the key service is away', function () {
  let server: Restartable;
  const plugin = new KeyPlugin();
  before(async () => {
    server = await Restartable.create('key-service');
  });
  after(async () => {
    await server.stop();
    plugin.stop();
  });

  it('serves what needs no key, is alive but not ready, and reads the rest once the service is there', async () => {
    const kms = { kms: { apiVersion: 'v2', name: 'keys', endpoint: plugin.endpoint, timeout: '1s' } };
    const file = server.file('keys.json', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets', 'configmaps'], providers: [kms, { identity: {} }] }],
    });
    const flag = `--encryption-provider-config=${file}`;
    await plugin.start();
    await server.restart(flag);
    expect((await server.ask('POST', secrets, { metadata: { name: 'till' }, stringData: { a: 'b' } })).status).to.equal(201);
    expect((await server.ask('GET', '/livez/kms-providers')).status).to.equal(404);
    for (const endpoint of ['readyz', 'healthz']) expect((await server.ask('GET', `/${endpoint}/kms-providers`)).status).to.equal(200);

    plugin.broken = true;
    await server.restart(flag);
    expect((await server.ask('GET', '/livez')).status).to.equal(200);
    expect((await server.ask('GET', '/readyz')).text).to.include('[-]kms-providers failed');
    expect((await server.ask('GET', '/readyz?exclude=kms-providers')).status).to.equal(200);
    expect((await server.ask('GET', '/api/v1/pods')).status).to.equal(200);
    expect((await server.ask('GET', `${secrets}/till`)).status).to.equal(500);

    plugin.broken = false;
    await server.until(200, 'GET', `${secrets}/till`);
    await server.until(200, 'GET', '/readyz');
  });
});
