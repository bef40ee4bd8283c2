import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

/** Bodies that are commands or queries get their optional namespace and defaults before admission. */
describe('endpoints, bodies that admission gets', () => {
  let server: TestServer;
  let seen: ApiObject | null = null;
  const core = '/api/v1/namespaces/default';

  before(async () => {
    server = await startTestServer(undefined, {
      registry: {
        admission: {
          admit: ({ object, form }) => {
            if (form !== null) seen = structuredClone(object);
          },
          validate: () => undefined,
        },
      },
      endpoints: {
        tokens: {
          issuer: { issuer: 'here', sign: () => Promise.resolve('signed') },
          authenticate: () => ({ outcome: 'absent' }),
          audiences: ['here'],
          lifetimeSecondsMax: 0,
          extendedSecondsMax: null,
          extendsLifetime: false,
          refusesOtherUids: true,
        },
      },
    });
    await call(server.url, 'POST', `${core}/serviceaccounts`, { body: { metadata: { name: 'one' } } });
    await call(server.url, 'POST', `${core}/pods`, {
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    });
  });
  after(() => server.close());

  const reported = async (path: string, body: JsonObject): Promise<ApiObject> => {
    seen = null;
    const { status, text } = await call(server.url, 'POST', path, { body });
    expect(status, text).to.equal(201);
    return seen!;
  };

  it('have the namespace of their path', async () => {
    const review = await reported('/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'LocalSubjectAccessReview',
      spec: { user: 'u', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
    });
    expect(review.metadata.namespace).to.equal('default');
    const token = await reported(`${core}/serviceaccounts/one/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600 },
    });
    expect([token.metadata.namespace, token['spec']]).to.deep.equal([
      'default',
      { audiences: null, expirationSeconds: 600, boundObjectRef: null },
    ]);
    const binding = await reported(`${core}/pods/p/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n' },
    });
    expect(binding.metadata).to.include({ name: 'p', namespace: 'default' });
    const eviction = await reported(`${core}/pods/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
    expect(eviction.metadata).to.include({ name: 'p', namespace: 'default' });
  });

  it('have no other namespace', async () => {
    const { status } = await call(server.url, 'POST', `${core}/pods/p/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace: 'other' } },
    });
    expect(status).to.equal(400);
  });
});
