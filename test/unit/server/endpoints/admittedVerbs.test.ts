import { expect } from 'chai';
import { call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

/** Patches and updates are one operation for admission, which also gets the verb, because rights depend on it. */
describe('endpoints, the verb that admission gets', () => {
  let server: TestServer;
  const seen: string[] = [];

  before(async () => {
    server = await startTestServer(undefined, {
      registry: {
        admission: {
          admit: () => undefined,
          validate: ({ operation, verb, resource: { resource } }) => {
            if (resource === 'configmaps') seen.push(`${operation} ${verb}`);
          },
        },
      },
    });
  });
  after(() => server.close());

  const path = '/api/v1/namespaces/default/configmaps';
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const merge = 'application/merge-patch+json';
  const apply = 'application/apply-patch+yaml';
  const cases: readonly (readonly [what: string, write: () => ReturnType<typeof call>, expected: readonly string[]])[] = [
    ['POST', () => call(server.url, 'POST', path, { body }), ['CREATE create']],
    ['PUT', () => call(server.url, 'PUT', `${path}/a`, { body }), ['UPDATE update']],
    ['PATCH', () => call(server.url, 'PATCH', `${path}/a`, { body: { data: { a: 'b' } }, type: merge }), ['UPDATE patch']],
    ['PATCH that applies', () => call(server.url, 'PATCH', `${path}/a?fieldManager=m`, { body, type: apply }), ['UPDATE patch']],
    [
      'PATCH that creates',
      () => call(server.url, 'PATCH', `${path}/b?fieldManager=m`, { body: { ...body, metadata: { name: 'b' } }, type: apply }),
      ['CREATE patch'],
    ],
    ['DELETE', () => call(server.url, 'DELETE', `${path}/a`), ['DELETE delete']],
    ['DELETE of a collection', () => call(server.url, 'DELETE', path), ['DELETE deletecollection']],
  ];
  for (const [what, write, expected] of cases)
    it(`is that of the request for a ${what}`, async () => {
      seen.length = 0;
      const { status, text } = await write();
      expect(status, text).to.be.lessThan(300);
      expect([...new Set(seen)]).to.deep.equal(expected);
    });
});
