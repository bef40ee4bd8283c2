import { expect } from 'chai';
import { forbidden } from '../../../../api/status.js';
import { call, type Answer } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

/** Warnings appear after validation, whatever becomes of the write. */
const services = '/api/v1/namespaces/default/services';
const maps = '/api/v1/namespaces/default/configmaps';
const refused = { group: '', resource: 'services' };

describe('endpoints/warnings of refused writes', () => {
  let server: TestServer;
  let strict = false;
  const service = (name: string): object => ({
    metadata: { name },
    spec: { ports: [{ port: 80 }], externalName: 'a.b', externalIPs: ['192.0.2.1'] },
  });
  const reported = ({ status, headers }: Answer): unknown[] => [status, (headers['warning'] ?? '').match(/spec\.external\w+ is \w+/g)];

  before(async () => {
    server = await startTestServer(undefined, {
      registry: {
        admission: {
          admit: () => undefined,
          validate: ({ name }) => {
            if (strict) throw forbidden(refused, name, 'not now');
            return undefined;
          },
        },
      },
    });
    await call(server.url, 'POST', services, { body: service('there') });
  });
  after(() => server.close());
  afterEach(() => {
    strict = false;
  });
  const both = ['spec.externalIPs is deprecated', 'spec.externalName is ignored'];

  it('come where the name is taken', async () => {
    expect(reported(await call(server.url, 'POST', services, { body: service('there') }))).to.deep.equal([409, both]);
  });

  it('come where admission refuses what is valid', async () => {
    strict = true;
    expect(reported(await call(server.url, 'POST', services, { body: service('new') }))).to.deep.equal([403, both]);
    expect(reported(await call(server.url, 'PUT', `${services}/there`, { body: service('there') }))).to.deep.equal([403, both]);
  });

  it('do not come where the object is invalid, but for fields that it does not have', async () => {
    const answer = await call(server.url, 'POST', services, { body: { ...service('x'), metadata: { name: 'X' } } });
    expect([answer.status, answer.headers['warning']]).to.deep.equal([422, undefined]);
    await call(server.url, 'POST', maps, { body: { metadata: { name: 'there' } } });
    for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
      const patched = await call(server.url, 'PATCH', `${maps}/there`, { type, body: { odd: 1, metadata: { labels: { 'a b': '' } } } });
      expect([patched.status, patched.headers['warning']]).to.deep.equal([422, '299 - "unknown field \\"odd\\""']);
    }
  });
});
