import { expect } from 'chai';
import { revision } from '../../../../raft/types.js';
import { seal, SealableEngine, sealKeyOf, unseal } from '../../../../server/storage/seal.js';
import { changesFromJson, changesToJson, rangeFromJson, rangeToJson } from '../../../../server/storage/wire.js';
import { FakeReplica } from './fakeReplica.js';

const key = sealKeyOf('/registry');
const terms = { timeoutMs: 60_000 };
const put = (name: string): { readonly type: 'put'; readonly key: string; readonly value: Buffer } => ({
  type: 'put',
  key: `/registry/${name}`,
  value: Buffer.from(name),
});

describe('storage/seal', () => {
  it('lets everything through as it is while the store is open', async () => {
    const store = new FakeReplica();
    const engine = new SealableEngine(store, key);
    const written = await engine.write({ comparisons: [], operations: [put('a')] }, terms);
    expect(written).to.deep.equal({ outcome: 'applied', revision: 2 });
    const comparisons = [
      { key: '/registry/a', modRevision: revision(1) },
      { key: '/registry/b', modRevision: revision(0) },
    ];
    const conflict = await engine.write({ comparisons, operations: [put('a')] }, terms);
    if (conflict.outcome !== 'conflict') throw new Error(conflict.outcome);
    expect(conflict.current.map((item) => item?.modRevision ?? null)).to.deep.equal([2, null]);
  });

  it('refuses every write for good once it is sealed, whoever asks and whatever the write compares, and takes them again when it is opened', async () => {
    const store = new FakeReplica();
    const engines = [new SealableEngine(store, key), new SealableEngine(store, key)];
    await engines[0]!.write({ comparisons: [], operations: [put('a')] }, terms);
    await seal(store, key, 'gone to an etcd');
    const at = store.revision;
    for (const engine of engines)
      for (const modRevision of [revision(2), revision(0)])
        expect(await engine.write({ comparisons: [{ key: '/registry/a', modRevision }], operations: [put('a')] }, terms)).to.deep.equal({
          outcome: 'unavailable',
          reason: 'nothing is written any more: gone to an etcd',
        });
    expect(store.revision).to.equal(at);
    await unseal(store, key);
    expect((await engines[1]!.write({ comparisons: [], operations: [put('a')] }, terms)).outcome).to.equal('applied');
  });
});

describe('storage/wire', () => {
  it('brings what was read from one process to another as it was, values byte for byte', async () => {
    const store = new FakeReplica();
    store.apply([{ type: 'put', key: 'ä', value: Buffer.from([0, 255, 128, 10]) }]);
    store.apply([put('b')]);
    store.apply([{ type: 'delete', key: 'ä' }]);
    const travelled = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
    const range = await store.range({ start: '', end: null, revision: revision(3), limit: null });
    expect(rangeFromJson(travelled(rangeToJson(range)))).to.deep.equal(range);
    const changes = await store.changesSince(revision(1), 1 << 20);
    if (changes.outcome !== 'found') throw new Error(changes.outcome);
    const arrived = changesFromJson(travelled(changesToJson(changes)));
    if (arrived.outcome !== 'found') throw new Error(arrived.outcome);
    expect(arrived.changes.map(({ key: name, value }) => [name, value && Buffer.from(value).toString('hex')])).to.deep.equal(
      changes.changes.map(({ key: name, value }) => [name, value && Buffer.from(value).toString('hex')]),
    );
    await store.compact(revision(3));
    const gone = await store.range({ start: '', end: null, revision: revision(2), limit: null });
    expect(rangeFromJson(travelled(rangeToJson(gone)))).to.deep.equal(gone);
  });
});
