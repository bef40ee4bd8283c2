import { expect } from 'chai';
import { FakeReplica } from './fakeReplica.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { Recorder, settle } from './recorder.js';
import { a, b, path, put, quick, within } from './raftObjects.js';
import { applied, configMaps, listRequest, names, watchRequest } from './suite.js';

describe('the reads of the replicated storage', () => {
  let replica: FakeReplica;
  let storage: RaftStorage;

  beforeEach(() => {
    replica = new FakeReplica();
    storage = createRaftStorage({ replica, ...quick });
  });

  describe('reading', () => {
    it('shares one barrier among the readers that wait, but none that began before they came', async () => {
      await storage.ready();
      replica.hold();
      const first = storage.get(a, { at: 'mostRecent' });
      await settle();
      const later = Promise.all([
        storage.get(a, { at: 'mostRecent' }),
        storage.list(listRequest(configMaps)),
        storage.get(b, { at: 'mostRecent' }),
      ]);
      await settle();
      expect(replica.barriers).to.equal(1);
      replica.release();
      await first;
      await later;
      expect(replica.barriers).to.equal(2);
      await storage.get(a, { at: 'any' });
      expect(replica.barriers).to.equal(2);
    });

    it('asks for no barrier where the replica knows the present without one, and has reported it', async () => {
      await storage.ready();
      replica.isSole = true;
      replica.apply([put('a')]);
      expect((await storage.get(a, { at: 'mostRecent' })).outcome).to.equal('found');
      expect(names(await storage.list(listRequest(configMaps)))).to.have.length(1);
      expect(replica.barriers).to.equal(0);
      replica.hold();
      replica.apply([put('b')]);
      const read = storage.get(b, { at: 'mostRecent' });
      await settle();
      expect(replica.barriers).to.equal(1);
      replica.release();
      expect((await read).outcome).to.equal('found');
    });

    it('waits for what was written before, through whatever replica', async () => {
      await storage.ready();
      replica.hold();
      replica.apply([put('a')]);
      const read = storage.get(a, { at: 'mostRecent' });
      expect((await storage.get(a, { at: 'any' })).outcome).to.equal('absent');
      replica.release();
      expect((await read).outcome).to.equal('found');
    });

    it('waits for a version that is on its way', async () => {
      storage = createRaftStorage({ replica });
      await storage.ready();
      const read = storage.get(a, { at: 'notOlderThan', version: replica.revision + 1 });
      await settle();
      replica.apply([put('a')]);
      expect((await read).outcome).to.equal('found');
    });

    it('is unavailable without a leader, except for readers that take anything', async () => {
      await storage.ready();
      const sink = new Recorder();
      replica.barrierFailure = { outcome: 'unavailable', reason: 'no leader' };
      expect(await storage.list(listRequest(configMaps))).to.deep.equal({ outcome: 'unavailable', reason: 'no leader' });
      expect((await storage.list(listRequest(configMaps, { consistency: { at: 'any' } }))).outcome).to.equal('found');
      storage.watch(watchRequest(configMaps), sink);
      expect(await sink.count(1)).to.deep.equal(['end unavailable']);
    });

    it('is counted: what lists look at and give, and whether the newest state was there', async () => {
      await storage.ready();
      replica.apply([put('a'), put('b')]);
      expect(storage.counts(configMaps)?.counts).to.include({ loads: 1, lists: 0, changes: 2 });
      const asked = listRequest(configMaps, { limit: 1 });
      await storage.list(asked);
      await storage.list({ ...asked, consistency: { at: 'any' } });
      await storage.list(
        listRequest(configMaps, { consistency: { at: 'any' }, labels: [{ key: 'none', operator: 'exists', values: [] }] }),
      );
      replica.barrierFailure = { outcome: 'unavailable', reason: 'no leader' };
      await storage.list(asked);
      replica.apply([put('c')]);
      const { counts, version } = storage.counts(configMaps) ?? {};
      expect(counts).to.include({ loads: 1, lists: 3, looked: 4, given: 2, newest: 1, newestMissed: 1, changes: 3 });
      expect(version).to.equal(replica.revision);
    });
  });

  describe('damaged values', () => {
    const damaged = (name: string, change: (value: Buffer) => void): ReturnType<typeof put> => {
      const operation = put(name);
      change(operation.value);
      return operation;
    };
    const messageOf = (promise: Promise<unknown>): Promise<string> =>
      promise.then(
        () => 'no error',
        (error: unknown) => String(error),
      );

    it('fails reads of that object, tells which and why, and lets it be deleted', async () => {
      await storage.ready();
      replica.apply([
        damaged('a', (value) => {
          value[40] = (value[40] ?? 0) ^ 1;
        }),
        put('b'),
      ]);
      const damage = 'stored value of configmaps one/a cannot be read: its checksum does not match';
      expect(await messageOf(storage.get(a, { at: 'any' }))).to.equal(`DamagedValueError: ${damage}`);
      expect(await messageOf(storage.list(listRequest(configMaps)))).to.equal(`DamagedListError: ${damage}`);
      expect((await storage.get(b, { at: 'any' })).outcome).to.equal('found');
      expect(applied(await storage.delete(a, replica.revision, within)).decode()).to.deep.equal({
        metadata: { name: 'a', namespace: 'one', resourceVersion: '3' },
      });
      expect(names(await storage.list(listRequest(configMaps)))).to.deep.equal(['one/b@2']);
    });

    it('ends watches that might have to show it', async () => {
      await storage.ready();
      const [live, other, late] = [new Recorder(), new Recorder(), new Recorder()];
      storage.watch(watchRequest(configMaps), live);
      storage.watch(watchRequest(configMaps, { namespace: 'two' }), other);
      await Promise.all([live.count(1), other.count(1)]);
      replica.apply([
        damaged('a', (value) => {
          value[0] = 1;
        }),
      ]);
      storage.watch(watchRequest(configMaps), late);
      expect(live.lines).to.deep.equal(['synced 1', 'end unavailable']);
      expect(other.lines).to.deep.equal(['synced 1']);
      expect(await late.count(1)).to.deep.equal(['end unavailable']);
    });

    it('are seen whatever is wrong with them', async () => {
      await storage.ready();
      const wrongs: ((value: Buffer) => void)[] = [
        (value) => {
          value[1] = 9;
        },
        (value) => {
          value[3] = 255;
        },
        (value) => value.writeUInt32LE(1 << 30, 4),
        (value) => value.fill(0),
      ];
      for (const wrong of wrongs) {
        replica.apply([damaged('a', wrong)]);
        expect(await messageOf(storage.get(a, { at: 'any' }))).to.match(/^DamagedValueError/);
      }
      replica.apply([{ type: 'put', key: path('a'), value: Buffer.from('short') }]);
      expect(await messageOf(storage.get(a, { at: 'any' }))).to.match(/it has only 5 bytes/);
    });
  });
});
