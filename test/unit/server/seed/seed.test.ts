import { expect } from 'chai';
import { readSeed } from '../../../../api/catalogue/data.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { seedEntries } from '../../../../server/seed/making.js';
import { seed, type SeedEntry } from '../../../../server/seed/seed.js';
import type { KeyedObject, RaftStorage } from '../../../../server/storage/raft.js';

type SeedStorage = Pick<RaftStorage, 'get' | 'putAll'>;

/** Records writes; `found` says whether the cluster has content. */
function recording(found: () => boolean): SeedStorage & { readonly put: KeyedObject[][] } {
  const put: KeyedObject[][] = [];
  return {
    put,
    get: () => Promise.resolve(found() ? { outcome: 'found' as const, object: null as never } : { outcome: 'absent' as const, version: 0 }),
    putAll: (objects) => {
      put.push([...objects]);
      return Promise.resolve({ outcome: 'unavailable', reason: 'a test' });
    },
  };
}
const now = '2026-01-01T00:00:00Z';
const options = { catalogue: createCatalogue(), now: () => now, signal: new AbortController().signal };

describe('server/seed', () => {
  it('is what the hooks of a new server make', async () => {
    const wanted = await seedEntries();
    expect(wanted.length).to.be.greaterThan(150);
    expect(JSON.parse(readSeed()) as SeedEntry[], 'npm run generate brings it up to date').to.deep.equal(wanted);
  });

  it('is put by who leads, each object with a uid and times of its own', async () => {
    const storage = recording(() => false);
    await seed({ ...options, storage, leads: () => Promise.resolve(true) });
    const objects = storage.put[0]!.map(({ object }) => object);
    expect(new Set(objects.map(({ metadata }) => metadata.uid)).size).to.equal(objects.length);
    expect(JSON.stringify(objects)).not.to.include('@now');
    for (const { metadata } of objects) expect(metadata.creationTimestamp).to.equal(now);
  });

  it('is put by nobody where it is there, and waited for by who does not lead', async () => {
    const there = recording(() => true);
    expect(await seed({ ...options, storage: there, leads: () => Promise.resolve(true) }), 'of old').to.equal(false);
    let looks = 0;
    const later = recording(() => ++looks > 3);
    expect(await seed({ ...options, storage: later, leads: () => Promise.resolve(false) }), 'just now').to.equal(true);
    expect([there.put, later.put, looks]).to.deep.equal([[], [], 4]);
  });

  it('leaves out what this server does not serve', async () => {
    const storage = recording(() => false);
    const catalogue = {
      ...options.catalogue,
      resource: (group: string, version: string, name: string) =>
        name === 'flowschemas' ? null : options.catalogue.resource(group, version, name),
    };
    await seed({ ...options, catalogue, storage, leads: () => Promise.resolve(true) });
    const names = new Set(storage.put[0]!.map(({ key }) => key.resource.resource));
    expect([names.has('flowschemas'), names.has('clusterroles')]).to.deep.equal([false, true]);
  });
});
