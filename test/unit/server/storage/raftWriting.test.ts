import { expect } from 'chai';
import type { WriteOutcome } from '../../../../raft/replicaApi.js';
import type { Change } from '../../../../raft/store/contract.js';
import { revision } from '../../../../raft/types.js';
import { PassingError } from '../../../../server/storage/engine.js';
import { FakeReplica } from './fakeReplica.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { Recorder, settle } from './recorder.js';
import { a, b, put, quick, within } from './raftObjects.js';
import { applied, configMaps, found, listRequest, names, objectFor, watchRequest } from './suite.js';

describe('the writes of the replicated storage', () => {
  let replica: FakeReplica;
  let storage: RaftStorage;

  beforeEach(() => {
    replica = new FakeReplica();
    storage = createRaftStorage({ replica, ...quick });
  });

  describe('putting objects as they are', () => {
    for (const [how, options] of Object.entries({ 'from the cache': {}, 'without a cache': { cached: () => false } }))
      it(`shows them to readers and to watchers, as one version, ${how}`, async () => {
        storage = createRaftStorage({ replica, ...quick, ...options });
        await storage.ready();
        applied(await storage.create(a, objectFor(a), within));
        const sink = new Recorder();
        storage.watch({ ...watchRequest(configMaps), start: { at: 'after', version: storage.version }, initialEvents: false }, sink);
        await settle();
        const objects = [a, b].map((at) => ({ key: at, object: objectFor(at) }));
        expect(await storage.putAll(objects, within)).to.deep.equal({ outcome: 'applied', revision: replica.revision });
        await sink.count(2);
        expect(names(found(await storage.list(listRequest(configMaps))))).to.deep.equal([
          `one/a@${replica.revision}`,
          `one/b@${replica.revision}`,
        ]);
      });

    it('puts nothing where an object is there that should not be', async () => {
      await storage.ready();
      applied(await storage.create(a, objectFor(a), within));
      const before = replica.revision;
      expect(await storage.putAll([{ key: b, object: objectFor(b) }], { ...within, unless: a })).to.have.property('outcome', 'conflict');
      expect([replica.revision, (await storage.get(b, { at: 'mostRecent' })).outcome]).to.deep.equal([before, 'absent']);
    });
  });

  describe('writing', () => {
    it('answers with the very object that readers get', async () => {
      await storage.ready();
      const written = applied(await storage.create(a, objectFor(a), within));
      const read = await storage.get(a, { at: 'any' });
      expect(read.outcome === 'found' && read.object === written).to.equal(true);
      const again = await storage.create(a, objectFor(a), within);
      expect(again.outcome === 'conflict' && again.current === written).to.equal(true);
    });

    it('answers with its own version even if another write followed at once', async () => {
      await storage.ready();
      const write = replica.write.bind(replica);
      replica.write = async (transaction) => {
        const outcome = await write(transaction);
        replica.apply([put('a')]);
        return outcome;
      };
      expect(applied(await storage.create(a, objectFor(a, { text: 'mine' }), within)).decode()).to.deep.include({ data: { text: 'mine' } });
      const newest = replica.revision;
      expect(applied(await storage.delete(a, newest, within)).version).to.equal(newest + 1);
    });

    it('works before the cache is loaded', async () => {
      const created = applied(await storage.create(a, objectFor(a, { text: 'early' }), within));
      expect(applied(await storage.delete(a, created.version, within)).decode()).to.deep.include({ data: { text: 'early' } });
    });

    it('passes on whether a failure is definite', async () => {
      for (const outcome of [
        { outcome: 'unavailable', reason: 'no leader' },
        { outcome: 'unknown', reason: 'leader lost' },
      ] as const satisfies WriteOutcome[]) {
        replica.nextWrite = outcome;
        expect(await storage.create(a, objectFor(a), within)).to.deep.equal(outcome);
      }
    });
  });

  it('says that the store does not answer where it will again, and throws what is a fault', async () => {
    storage = createRaftStorage({ replica, cached: () => false, ...quick });
    await storage.ready();
    const at = { at: 'exact', version: storage.version } as const;
    const range = replica.range.bind(replica);
    replica.range = () => Promise.reject(new PassingError('there is no leader'));
    const failure = { outcome: 'unavailable', reason: 'there is no leader' };
    expect(await storage.list(listRequest(configMaps, { consistency: at }))).to.deep.equal(failure);
    expect(await storage.get(a, at)).to.deep.equal(failure);
    replica.range = () => Promise.reject(new Error('broken'));
    expect(await storage.get(a, at).catch(String)).to.equal('Error: broken');
    replica.range = range;
  });

  it('keeps nothing of the batches that changes came in', async () => {
    await storage.ready();
    const listeners: ((change: Change) => void)[] = [];
    replica.onChanges(({ changes }) => changes.forEach((change) => listeners.forEach((listener) => listener(change))));
    const batches: ArrayBufferLike[] = [];
    listeners.push((change) => {
      if (change.value !== null) batches.push(change.value.buffer);
    });
    replica.apply([put('a')]);
    const read = await storage.get(a, { at: 'exact', version: revision(2) });
    expect(read.outcome === 'found' && batches.includes(read.object.item.buffer)).to.equal(false);
    expect(read.outcome === 'found' && read.object.decode().metadata.name).to.equal('a');
  });
});
