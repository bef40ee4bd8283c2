import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { StatusError } from '../../../../../api/status.js';
import type { Admission } from '../../../../../server/registry/admission.js';
import type { Storage } from '../../../../../server/storage/contract.js';
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

describe('endpoints, deletion of a collection', () => {
  const maps = '/api/v1/namespaces/default/configmaps';
  const size = 7;

  interface Watched {
    /** Most objects that were at admission at the same time. */
    admitted: number;
    /** Names in the order in which the store had their deletions. */
    readonly handed: string[];
    /** Deletions that the store had before it committed the first. */
    overlapping: number;
  }

  /** Deletes the collection; admission takes a turn of the event loop. */
  async function deleted(
    workers: number,
    refused: string | null = null,
  ): Promise<Watched & { readonly status: number; readonly left: number }> {
    const watched: Watched = { admitted: 0, handed: [], overlapping: 0 };
    let [admitting, committed] = [0, 0];
    let proceed = (): void => undefined;
    // Nothing is committed until the store has two deletions.
    const handedOver = new Promise<void>((resolve) => (proceed = resolve));
    const counting = (storage: Storage): Storage => ({
      get: (key, consistency) => storage.get(key, consistency),
      list: (request) => storage.list(request),
      watch: (request, sink) => storage.watch(request, sink),
      ready: () => storage.ready(),
      isStale: (key) => storage.isStale(key),
      create: (key, object, terms) => storage.create(key, object, terms),
      update: (key, object, expected, terms) => storage.update(key, object, expected, terms),
      delete: async (key, expected, terms) => {
        watched.handed.push(key.name);
        if (committed === 0) watched.overlapping++;
        if (watched.handed.length > 1) proceed();
        await handedOver;
        committed++;
        return storage.delete(key, expected, terms);
      },
    });
    const admission: Admission = {
      admit: async ({ operation, old }) => {
        if (operation !== 'DELETE') return;
        watched.admitted = Math.max(watched.admitted, ++admitting);
        await new Promise(setImmediate);
        admitting--;
        if (old?.metadata.name === refused) throw new StatusError(403, 'Forbidden', 'no');
      },
      validate: () => undefined,
    };
    const server = await startTestServer(undefined, { wrap: counting, registry: { deletionsAtOnce: workers, admission } });
    try {
      for (let each = 0; each < size; each++) await call(server.url, 'POST', maps, { body: { metadata: { name: `m${each}` } } });
      const { status } = await call(server.url, 'DELETE', maps);
      const left = ((await call(server.url, 'GET', maps)).body['items'] as unknown[]).length;
      return { ...watched, status, left };
    } finally {
      await server.close();
    }
  }

  for (const workers of [1, 3])
    it(`admits ${workers} at a time`, async () => {
      const { admitted, status, left } = await deleted(workers);
      expect({ admitted, status, left }).to.deep.equal({ admitted: workers, status: 200, left: 0 });
    });

  it('hands deletions to the store in the order of the list, before the first is committed', async () => {
    const { handed, overlapping } = await deleted(1);
    expect(handed).to.deep.equal(Array.from({ length: size }, (_, index) => `m${index}`));
    expect(overlapping).to.be.greaterThan(1);
  });

  it('begins none after one that admission refuses, and finishes those that have begun', async () => {
    const { handed, status, left } = await deleted(1, 'm4');
    expect({ handed, status, left }).to.deep.equal({ handed: ['m0', 'm1', 'm2', 'm3'], status: 403, left: size - 4 });
  });
});
