import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { revision } from '../../../../raft/types.js';
import { migrate, MigrationError, type MigrationOptions } from '../../../../server/migration/migrate.js';
import { keySpaceOf, type StoreKind } from '../../../../server/migration/side.js';
import type { StoreEngine } from '../../../../server/storage/engine.js';
import { seal, SealableEngine, sealKeyOf } from '../../../../server/storage/seal.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';
import { FakeReplica } from '../storage/fakeReplica.js';

const recorded = (
  JSON.parse(readFileSync(path.join(packageRoot, 'test/fixtures/etcd/plain.json'), 'utf8')) as {
    readonly keys: readonly { readonly key: string; readonly value: string }[];
  }
).keys;

const side = (kind: StoreKind, engine: StoreEngine): MigrationOptions['to'] => ({ kind, engine, keys: keySpaceOf(kind, '/registry') });

/** A model of an etcd with kube-apiserver's data. */
function recordedStore(): FakeReplica {
  const store = new FakeReplica();
  for (const { key, value } of recorded) store.apply([{ type: 'put', key, value: Buffer.from(value, 'base64') }]);
  return store;
}

const valuesOf = async (store: FakeReplica): Promise<Map<string, string>> => {
  const result = await store.range({ start: '/registry/', end: '/registry0', revision: null, limit: null });
  if (result.outcome !== 'found') throw new Error(result.outcome);
  return new Map(result.items.map(({ key, value }) => [key, Buffer.from(value).toString('base64')]));
};

const there = (from: FakeReplica, to: FakeReplica, resume = false): MigrationOptions => ({
  from: side('etcd', from),
  to: side('embedded', to),
  resume,
  eventTtlMs: 1,
});
const back = (from: FakeReplica, to: FakeReplica): MigrationOptions => ({
  from: side('embedded', from),
  to: side('etcd', to),
  resume: false,
  eventTtlMs: 1,
});

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

const sealing = (store: FakeReplica): NonNullable<MigrationOptions['handOver']> => ({
  by: 'seal',
  seal: async () => {
    await seal(store, sealKeyOf('/registry'), 'gone');
  },
});

async function moved(): Promise<FakeReplica> {
  const [etcd, embedded] = [recordedStore(), new FakeReplica()];
  await migrate(there(etcd, embedded));
  return embedded;
}

describe('migration', () => {
  it('takes everything there and back again, byte for byte, and revisions never go back', async () => {
    const [etcd, embedded, again] = [recordedStore(), new FakeReplica(), new FakeReplica()];
    const report = await migrate(there(etcd, embedded));
    expect(report.left).to.deep.equal(['/registry/ranges/servicenodeports']);
    expect(report.resources.reduce((sum, { objects }) => sum + objects, 0)).to.equal(recorded.length - 1);
    expect(report.targetRevision).to.be.at.least(report.sourceRevision);
    expect([...(await valuesOf(embedded)).keys()]).to.include('/registry/core/services/default/kubernetes');
    const returned = await migrate(back(embedded, again));
    expect(returned.targetRevision).to.be.at.least(returned.sourceRevision);
    const wanted = await valuesOf(etcd);
    wanted.delete('/registry/ranges/servicenodeports');
    expect(await valuesOf(again)).to.deep.equal(wanted);
  });

  it('does not overwrite what it does not know, and goes on where it was broken off', async () => {
    const [etcd, embedded] = [recordedStore(), new FakeReplica()];
    const inner = embedded.write.bind(embedded);
    let left = recorded.length + 40;
    embedded.write = async (transaction) => (left-- > 0 ? inner(transaction) : { outcome: 'unavailable', reason: 'the power is gone' });
    expect(await failure(migrate(there(etcd, embedded)))).to.be.instanceOf(MigrationError);
    embedded.write = inner;
    const some = (await valuesOf(embedded)).size;
    expect(some).to.be.within(1, recorded.length - 2);
    expect(String(await failure(migrate(there(etcd, embedded))))).to.contain('--resume');
    expect((await migrate(there(etcd, embedded, true))).written).to.equal(recorded.length - 1 - some);
  });

  it('does not take a source without objects for one that was moved', async () => {
    expect(String(await failure(migrate(there(new FakeReplica(), new FakeReplica()))))).to.contain('holds no objects under /registry/');
  });

  it('takes over only what has changed since', async () => {
    const [etcd, embedded] = [recordedStore(), new FakeReplica()];
    await migrate(there(etcd, embedded));
    etcd.apply([{ type: 'delete', key: '/registry/configmaps/ns-one/v0' }]);
    const secret = recorded.find(({ key }) => key === '/registry/secrets/ns-one/v0');
    etcd.apply([{ type: 'put', key: '/registry/secrets/ns-one/v1', value: Buffer.from(secret?.value ?? '', 'base64') }]);
    expect(await migrate(there(etcd, embedded, true))).to.include({ written: 1, removed: 1 });
    expect(await migrate(there(etcd, embedded, true))).to.include({ written: 0, removed: 0 });
  });

  it('says so when the source is written to all the time', async () => {
    const [etcd, embedded] = [recordedStore(), new FakeReplica()];
    const inner = etcd.barrier.bind(etcd);
    const lease = recorded.find(({ key }) => key === '/registry/leases/ns-one/v0');
    let n = 0;
    etcd.barrier = async () => {
      etcd.apply([{ type: 'put', key: `/registry/leases/ns-one/w${n++}`, value: Buffer.from(lease?.value ?? '', 'base64') }]);
      return inner();
    };
    expect(String(await failure(migrate(there(etcd, embedded))))).to.contain('stop its API servers');
  });

  it('follows a source that is written to, until nothing changes any more, and revisions are beyond its own', async () => {
    const [etcd, embedded] = [recordedStore(), new FakeReplica()];
    const lease = Buffer.from(recorded.find(({ key }) => key === '/registry/leases/ns-one/v0')?.value ?? '', 'base64');
    const [hot, cold] = ['/registry/leases/ns-one/hot', '/registry/configmaps/ns-one/v0'];
    const inner = etcd.barrier.bind(etcd);
    let turns = 0;
    etcd.barrier = async () => {
      turns++;
      // Running servers: one key changes constantly, another comes and goes, a third is deleted.
      if (turns < 30) for (let n = 0; n < 20; n++) etcd.apply([{ type: 'put', key: hot, value: lease }]);
      if (turns < 30) etcd.apply([{ type: turns % 2 === 0 ? 'put' : 'delete', key: '/registry/leases/ns-one/flicker', value: lease }]);
      if (turns === 12) etcd.apply([{ type: 'delete', key: cold }]);
      return inner();
    };
    const lines: string[] = [];
    const report = await migrate({
      ...there(etcd, embedded),
      handOver: { by: 'silence', quietMs: 20 },
      progress: (line) => lines.push(line),
    });
    expect(turns).to.be.at.least(30);
    expect(report.targetRevision).to.be.at.least(etcd.revision);
    const values = await valuesOf(embedded);
    expect(values.has('/registry/coordination.k8s.io/leases/ns-one/hot')).to.equal(true);
    expect(values.has('/registry/coordination.k8s.io/leases/ns-one/flicker')).to.equal(false);
    expect(values.has('/registry/core/configmaps/ns-one/v0')).to.equal(false);
    expect(lines.some((line) => line.startsWith('followed up to revision'))).to.equal(true);
    expect(await migrate(there(etcd, embedded, true))).to.include({ written: 0, removed: 0 });
  });

  it('hands over from a source that serves: it takes no writes any more, and the target has every one that it took', async () => {
    const [etcd, embedded] = [recordedStore(), new FakeReplica()];
    const server = new SealableEngine(etcd, sealKeyOf('/registry'));
    const lease = Buffer.from(recorded.find(({ key }) => key === '/registry/leases/ns-one/v0')?.value ?? '', 'base64');
    const taken: string[] = [];
    let [n, refused] = [0, 0];
    const write = async (): Promise<void> => {
      const name = `served${n++}`;
      const operations = [{ type: 'put', key: `/registry/leases/ns-one/${name}`, value: lease } as const];
      const { outcome } = await server.write({ comparisons: [], operations }, { timeoutMs: 60_000 });
      if (outcome === 'applied') taken.push(name);
      else refused++;
    };
    const inner = etcd.barrier.bind(etcd);
    etcd.barrier = async () => {
      await write();
      return inner();
    };
    const report = await migrate({
      ...there(etcd, embedded),
      handOver: {
        by: 'seal',
        seal: async () => {
          await write();
          await seal(etcd, sealKeyOf('/registry'), 'gone');
          await write();
        },
      },
    });
    expect(report.readOnlyMs).to.be.at.least(0);
    expect(refused).to.be.at.least(1);
    const values = await valuesOf(embedded);
    expect([...values.keys()].filter((key) => key.includes('/served')).map((key) => key.split('/').at(-1))).to.have.members(taken);
    expect(report.targetRevision).to.be.at.least(etcd.revision);
    expect(values.has(sealKeyOf('/registry')), 'the seal stays where it is').to.equal(false);
  });

  it('knows kinds that are defined while it follows', async () => {
    const [embedded, etcd] = [new FakeReplica(), new FakeReplica()];
    await migrate(there(recordedStore(), embedded));
    const all = await embedded.range({ start: '/registry/', end: '/registry0', revision: null, limit: null });
    if (all.outcome !== 'found') throw new Error(all.outcome);
    const definition = all.items.find(({ key }) => key.includes('/customresourcedefinitions/'));
    const custom = all.items.find(({ key }) => key.startsWith('/registry/example.com/'));
    for (const item of [definition!, custom!]) embedded.apply([{ type: 'delete', key: item.key }]);
    let turns = 0;
    const inner = embedded.barrier.bind(embedded);
    embedded.barrier = async () => {
      // After the last read of definitions, and before the last read of changes.
      if (++turns === 3) for (const { key, value } of [definition!, custom!]) embedded.apply([{ type: 'put', key, value }]);
      return inner();
    };
    await migrate({ ...back(embedded, etcd), handOver: sealing(embedded) });
    expect(turns).to.be.at.least(4);
    const wanted = recorded.find(({ key }) => key.endsWith(custom!.key.split('/').slice(-3).join('/')));
    expect((await valuesOf(etcd)).get(wanted!.key)).to.equal(wanted!.value);
  });

  it('goes on after an end at any point, the hand-over included, and comes to the same', async function () {
    const expected = await valuesOf(await moved());
    for (let ends = 1; ; ends += 17) {
      const [etcd, embedded] = [recordedStore(), new FakeReplica()];
      // Every step calls one of these.
      let left = ends;
      const mortal = <T extends FakeReplica>(store: T): T => {
        for (const name of ['write', 'barrier', 'range', 'changesSince'] as const) {
          const inner = store[name].bind(store) as (...given: unknown[]) => Promise<unknown>;
          Object.assign(store, {
            [name]: (...given: unknown[]) => (left-- > 0 ? inner(...given) : Promise.reject(new Error('killed'))),
          });
        }
        return store;
      };
      const options = { ...there(mortal(etcd), mortal(embedded)), handOver: sealing(etcd) };
      const first = await failure(migrate(options));
      left = Infinity;
      if (first !== null) await migrate({ ...options, resume: true });
      expect(await valuesOf(embedded), `ended at step ${ends}`).to.deep.equal(expected);
      expect(embedded.revision).to.be.at.least(etcd.revision);
      if (first === null) break;
    }
  });

  it('reads the newest state where history goes while it is read', async () => {
    const [etcd, embedded] = [recordedStore(), new FakeReplica()];
    const inner = etcd.range.bind(etcd);
    let turns = 0;
    etcd.range = async (options) => {
      if (options.revision !== null && ++turns === 1) {
        etcd.apply([{ type: 'delete', key: '/registry/configmaps/ns-one/v0' }]);
        await etcd.compact(etcd.revision);
      }
      return inner(options);
    };
    await migrate({ ...there(etcd, embedded), handOver: sealing(etcd) });
    expect((await valuesOf(embedded)).has('/registry/core/configmaps/ns-one/v0')).to.equal(false);
  });

  it('does not pass over more revisions than can be written', async () => {
    const [etcd, embedded] = [recordedStore(), new FakeReplica()];
    etcd.revision = revision(5_000);
    expect(String(await failure(migrate({ ...there(etcd, embedded), raiseMax: 100 })))).to.contain('raised');
    expect((await valuesOf(embedded)).size).to.equal(0);
  });
});
