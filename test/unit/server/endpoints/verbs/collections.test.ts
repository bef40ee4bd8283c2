import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { call } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

describe('endpoints, system priority classes', () => {
  let server: TestServer;
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const names = async (): Promise<unknown[]> =>
    ((await call(server.url, 'GET', classes)).body['items'] as { readonly metadata: JsonObject }[]).map(({ metadata }) => metadata['name']);

  before(async () => {
    server = await startTestServer();
    for (const [name, value] of Object.entries({ mine: 1, 'system-node-critical': 2_000_001_000 }))
      await call(server.url, 'POST', classes, {
        body: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value },
      });
  });
  after(() => server.close());

  /** Source: the reference refuses in the DELETE of an object, which that of a collection does not use. */
  it('are kept from those who name them, and go with the collection', async () => {
    expect(await names()).to.include.members(['mine', 'system-node-critical']);
    expect((await call(server.url, 'DELETE', `${classes}/system-node-critical`)).status).to.equal(403);
    expect((await call(server.url, 'DELETE', classes)).status).to.equal(200);
    expect(await names()).to.deep.equal([]);
  });
});

describe('endpoints, statuses of components', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('are selected by labels and fields like everything else', async () => {
    const found = async (query: string): Promise<number> =>
      ((await call(server.url, 'GET', `/api/v1/componentstatuses?${query}`)).body['items'] as unknown[]).length;
    expect(await found('')).to.equal(1);
    expect(await found('labelSelector=a%3Db')).to.equal(0);
    expect(await found('labelSelector=a!%3Db')).to.equal(1);
    expect(await found('fieldSelector=metadata.name%3Dother')).to.equal(0);
    expect(await found('fieldSelector=metadata.name%3Detcd-0')).to.equal(1);
  });
});

describe('endpoints, deletions of jobs', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('warn of pods that stay even where the list cannot be had, but not where an option is wrong', async () => {
    const deleted = async (query: string): Promise<unknown> => {
      const { status, headers } = await call(server.url, 'DELETE', `/apis/batch/v1/namespaces/default/jobs?${query}`);
      return [status, String(headers['warning']).includes('child pods are preserved')];
    };
    expect(await deleted('continue=x')).to.deep.equal([400, true]);
    expect(await deleted('continue=x&propagationPolicy=Background')).to.deep.equal([400, false]);
    expect(await deleted('resourceVersionMatch=x')).to.deep.equal([422, false]);
  });
});

describe('endpoints, updates of absent objects', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('warn of owners that are named twice', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ownerReferences: [owner, owner] } };
    const { status, headers } = await call(server.url, 'PUT', '/api/v1/namespaces/default/configmaps/a', { body });
    expect([status, String(headers['warning']).includes('duplicate UID(s) observed: u')]).to.deep.equal([404, true]);
  });
});
