import { expect } from 'chai';
import { createAdmission } from '../../../../server/admission/chain.js';
import { createPlugins } from '../../../../server/admission/plugins.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { NamespaceTerms } from '../../../../server/registry/namespaceLifecycle.js';
import { call } from '../endpoints/client.js';
import { startTestServer, type TestServer } from '../endpoints/harness.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';

/** Requests with and without NamespaceLifecycle. */
describe('NamespaceLifecycle', () => {
  const servers: TestServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  const start = async (enabled: readonly string[], namespaces?: NamespaceTerms): Promise<TestServer> => {
    const storage = createMemoryStorage({ selectableFields: selectableFieldsOf });
    const server = await startTestServer(undefined, {
      registry: {
        admission: createAdmission(createPlugins({ storage, enabled: new Set(enabled) })),
        ...(namespaces === undefined ? {} : { namespaces }),
      },
    });
    servers.push(server);
    return server;
  };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const create = (server: TestServer, namespace: string): ReturnType<typeof call> =>
    call(server.url, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, { body: map });
  /** A terminating namespace. */
  async function leaving(server: TestServer): Promise<void> {
    await call(server.url, 'POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving', finalizers: ['example.com/stays'] } },
    });
    await create(server, 'leaving');
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await call(server.url, 'POST', '/api/v1/namespaces/leaving/pods', { body: pod });
    expect((await call(server.url, 'DELETE', '/api/v1/namespaces/leaving')).status).to.equal(200);
  }

  it('keeps the namespaces of every cluster, and new objects out of those that are not there or go', async () => {
    const server = await start(['NamespaceLifecycle']);
    const { status, body } = await call(server.url, 'DELETE', '/api/v1/namespaces/default');
    expect([status, body['message']]).to.deep.equal([403, 'namespaces "default" is forbidden: this namespace may not be deleted']);
    expect((await create(server, 'none')).status).to.equal(404);
    await leaving(server);
    expect(
      (await call(server.url, 'POST', '/api/v1/namespaces/leaving/configmaps', { body: { ...map, metadata: { name: 'n' } } })).status,
    ).to.equal(403);
  });

  it('takes no order in a namespace that goes, and answers who may do what anywhere', async () => {
    const server = await start(['NamespaceLifecycle']);
    await leaving(server);
    const evict = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    const answer = await call(server.url, 'POST', '/api/v1/namespaces/leaving/pods/p/eviction', { body: evict });
    expect([answer.status, answer.body['message']]).to.deep.equal([
      403,
      'pods "p" is forbidden: unable to create new content in namespace leaving because it is being terminated',
    ]);
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'LocalSubjectAccessReview',
      spec: { user: 'u', resourceAttributes: { namespace: 'none', verb: 'get', resource: 'pods' } },
    };
    const reviews = '/apis/authorization.k8s.io/v1/namespaces/none/localsubjectaccessreviews';
    expect((await call(server.url, 'POST', reviews, { body: review })).status).to.equal(201);
  });

  it('can be switched off', async () => {
    const result = readApiServerOptions(['--disable-admission-plugins=NamespaceLifecycle']);
    expect(result.ok ? '' : result.errors.join()).to.not.contain('NamespaceLifecycle');
    const server = await start([], { exists: false, stays: false, provide: null });
    expect((await create(server, 'none')).status).to.equal(201);
    await leaving(server);
    expect(
      (await call(server.url, 'POST', '/api/v1/namespaces/leaving/configmaps', { body: { ...map, metadata: { name: 'n' } } })).status,
    ).to.equal(201);
    expect((await call(server.url, 'DELETE', '/api/v1/namespaces/default')).status).to.equal(200);
  });
});
