import { expect } from 'chai';
import { revision } from '../../../../raft/types.js';
import { PassingError } from '../../../../server/storage/engine.js';
import { FakeReplica } from './fakeReplica.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { Recorder, settle } from './recorder.js';
import { a, path, put, quick } from './raftObjects.js';
import { configMaps, found, listRequest, names, watchRequest } from './suite.js';

describe('the loading of the replicated storage', () => {
  let replica: FakeReplica;
  let storage: RaftStorage;

  beforeEach(() => {
    replica = new FakeReplica();
    storage = createRaftStorage({ replica, ...quick });
  });

  describe('loading', () => {
    it('misses nothing that changes while pages are read, and takes nothing twice', async () => {
      replica = new FakeReplica();
      for (let i = 0; i < 1_200; i++) replica.apply([put(`n${String(i).padStart(4, '0')}`)]);
      const range = replica.range.bind(replica);
      let pages = 0;
      replica.range = async (options) => {
        const page = await range(options);
        if (pages++ < 2) {
          replica.apply([put('n0000'), { type: 'delete', key: path('n1100') }]);
          replica.apply([put(`late${pages}`)]);
        }
        return page;
      };
      storage = createRaftStorage({ replica, ...quick });
      await storage.ready();
      const listed = found(await storage.list(listRequest(configMaps)));
      const truth = await range({ start: '/registry/', end: '/registry0', revision: null, limit: null });
      expect(pages).to.equal(3);
      expect(names(listed)).to.deep.equal(
        truth.outcome === 'found' && truth.items.map((item) => `one/${item.key.split('/').at(-1)}@${item.modRevision}`),
      );
      expect(storage.version).to.equal(replica.revision);
    });

    it('knows what happened before it was started, as far as the store does', async () => {
      for (const name of ['a', 'b', 'c', 'a']) replica.apply([put(name)]);
      await replica.compact(revision(3));
      storage = createRaftStorage({ replica, ...quick });
      await storage.ready();
      const [resumed, tooOld] = [new Recorder(), new Recorder()];
      storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 3 } }), resumed);
      storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 2 } }), tooOld);
      expect(await resumed.count(2)).to.deep.equal(['ADDED one/c@4', 'MODIFIED one/a@5']);
      expect(await tooOld.count(1)).to.deep.equal(['end expired']);
      expect(names(await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version: 3 } })))).to.deep.equal([
        'one/a@2',
        'one/b@3',
      ]);
    });

    it('loads no more of the past than makes sense', async () => {
      for (let i = 0; i < 20_100; i++) replica.apply([put(`n${i % 3}`)]);
      storage = createRaftStorage({ replica, ...quick });
      await storage.ready();
      const [resumed, tooOld] = [new Recorder(), new Recorder()];
      storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 20_000 } }), resumed);
      storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 100 } }), tooOld);
      expect(await resumed.count(101)).to.have.length(101);
      expect(await tooOld.count(1)).to.deep.equal(['end expired']);
      expect(tooOld.why).to.equal('BeforeHistory');
    });

    it('forgets what another replica has compacted', async () => {
      for (const name of ['a', 'b', 'a']) replica.apply([put(name)]);
      await storage.ready();
      await replica.compact(revision(3));
      const sink = new Recorder();
      storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 2 } }), sink);
      expect(await sink.count(1)).to.deep.equal(['end expired']);
      expect((await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version: 2 } }))).outcome).to.equal('expired');
      expect(names(await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version: 3 } })))).to.deep.equal([
        'one/a@2',
        'one/b@3',
      ]);
    });

    it('starts again when a compaction overtakes it', async () => {
      replica = new FakeReplica();
      for (let i = 0; i < 600; i++) replica.apply([put(`n${i}`)]);
      const range = replica.range.bind(replica);
      let pages = 0;
      replica.range = async (options) => {
        const page = await range(options);
        if (pages++ === 0) {
          replica.apply([{ type: 'delete', key: path('n0') }]);
          await replica.compact(replica.revision);
        }
        return page;
      };
      storage = createRaftStorage({ replica, ...quick });
      await storage.ready();
      expect(found(await storage.list(listRequest(configMaps))).items).to.have.length(599);
    });

    it('says so when the state cannot be read', async () => {
      replica.range = async () => {
        throw new Error('disk on fire');
      };
      storage = createRaftStorage({ replica });
      expect(await storage.ready().catch((error: unknown) => String(error))).to.equal('Error: disk on fire');
    });

    it('goes on trying while what hinders it will pass', async () => {
      const range = replica.range.bind(replica);
      let tries = 0;
      replica.range = async (options) => {
        if (++tries === 1) throw new PassingError('nobody answers');
        return range(options);
      };
      const reported: unknown[] = [];
      storage = createRaftStorage({ replica, ...quick, report: (error) => reported.push(String(error)) });
      await storage.ready();
      expect(reported).to.deep.equal(['PassingError: nobody answers']);
    });

    it('begins again where the present is compacted between the first two reads', async () => {
      replica.apply([put('a')]);
      const range = replica.range.bind(replica);
      let reads = 0;
      replica.range = async (options) => {
        // A reader that has not seen the compaction takes the revision for a future one.
        if (++reads === 2) return { outcome: 'compacted', compacted: revision(replica.revision + 1) };
        return range(options);
      };
      storage = createRaftStorage({ replica, ...quick });
      await storage.ready();
      expect(found(await storage.list(listRequest(configMaps))).items).to.have.length(1);
    });

    it('answers "unavailable" to readers that waited too long', async () => {
      replica.range = () => new Promise(() => undefined);
      storage = createRaftStorage({ replica, readTimeoutMs: 10 });
      expect((await storage.get(a, { at: 'any' })).outcome).to.equal('unavailable');
      const sink = new Recorder();
      storage.watch(watchRequest(configMaps), sink);
      expect(await sink.count(1)).to.deep.equal(['end unavailable']);
    });

    it('leaves out what is no object', async () => {
      replica.apply([
        { type: 'put', key: '/registry/stray', value: Buffer.from('x') },
        { type: 'put', key: '/elsewhere/core/configmaps/one/a', value: Buffer.from('x') },
        put('a'),
      ]);
      await storage.ready();
      expect(names(await storage.list(listRequest(configMaps)))).to.deep.equal(['one/a@2']);
    });
  });

  for (const cached of [true, false])
    describe(cached ? 'that took over a snapshot' : 'without a cache, that took over a snapshot', () => {
      beforeEach(() => {
        storage.close();
        storage = createRaftStorage({ replica, cached: () => cached, ...quick });
      });

      it('reads its state anew, claims no history, and ends every watch that would miss something', async () => {
        replica.apply([put('gone')]);
        await storage.ready();
        const [live, starting] = [new Recorder(), new Recorder()];
        storage.watch(watchRequest(configMaps), live);
        await live.count(2);
        storage.watch(watchRequest(configMaps, { start: { at: 'any' } }), starting);
        await Promise.resolve();
        replica.restore(
          [
            { ...put('a'), revision: 5 },
            { ...put('b'), revision: 12 },
          ],
          { newest: 14, compacted: 13 },
        );
        expect(names(await storage.list(listRequest(configMaps, { consistency: { at: 'any' } })))).to.deep.equal(['one/a@5', 'one/b@12']);
        expect(storage.version).to.equal(14);
        expect((await live.count(3)).slice(1)).to.deep.equal(['synced 2', 'end expired']);
        expect((await starting.count(3)).at(-1)).to.equal('end expired');
        expect([live.why, starting.why]).to.deep.equal(['Reloaded', 'Reloaded']);
        expect((await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version: 11 } }))).outcome).to.equal('expired');
        expect(names(await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version: 13 } })))).to.deep.equal([
          'one/a@5',
          'one/b@12',
        ]);
        if (cached) expect(storage.counts(configMaps)?.counts.loads).to.equal(2);
        else expect(storage.counts(configMaps)).to.equal(null);
        replica.apply([put('c')]);
        replica.apply([{ type: 'delete', key: path('a') }]);
        expect(names(await storage.list(listRequest(configMaps)))).to.deep.equal(['one/b@12', 'one/c@15']);
      });

      it('keeps watches from versions that it had not yet, and refuses those that were compacted', async () => {
        await storage.ready();
        const [later, within] = [new Recorder(), new Recorder()];
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 12 } }), later);
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 8 } }), within);
        await settle();
        replica.restore(
          [
            { ...put('a'), revision: 5 },
            { ...put('b'), revision: 9 },
          ],
          { newest: 12, compacted: 12 },
        );
        replica.apply([put('c')]);
        expect(await later.count(1)).to.deep.equal(['ADDED one/c@13']);
        expect(await within.count(1)).to.deep.equal(['end expired']);
        const [resumed, tooOld] = [new Recorder(), new Recorder()];
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 12 } }), resumed);
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 11 } }), tooOld);
        expect(await resumed.count(1)).to.deep.equal(['ADDED one/c@13']);
        expect(await tooOld.count(1)).to.deep.equal(['end expired']);
      });

      it('is not read while its state is read anew: neither by readers that wait for the present, nor at once', async () => {
        await storage.ready();
        replica.apply([put('old')]);
        const { range } = replica;
        replica.range = async (options) => {
          await settle();
          return range.call(replica, options);
        };
        replica.hold();
        const present = storage.list(listRequest(configMaps));
        await settle();
        replica.restore([{ ...put('a'), revision: 5 }], { newest: 9, compacted: 9 });
        replica.release();
        const atOnce = storage.list(listRequest(configMaps, { consistency: { at: 'any' } }));
        expect(names(await present)).to.deep.equal(['one/a@5']);
        expect(names(await atOnce)).to.deep.equal(['one/a@5']);
      });

      it('takes a second snapshot while the first is being read, and tries again when reading fails', async () => {
        await storage.ready();
        const reported: unknown[] = [];
        storage.close();
        storage = createRaftStorage({ replica, cached: () => cached, report: (error) => reported.push(error), ...quick });
        await storage.ready();
        replica.restore([{ ...put('a'), revision: 5 }], { newest: 9, compacted: 9 });
        replica.restore([{ ...put('b'), revision: 15 }], { newest: 19, compacted: 19 });
        expect(names(await storage.list(listRequest(configMaps)))).to.deep.equal(['one/b@15']);
        const { range } = replica;
        replica.range = () => {
          replica.range = range;
          return Promise.reject(new Error('not now'));
        };
        replica.restore([{ ...put('c'), revision: 25 }], { newest: 29, compacted: 29 });
        expect(names(await storage.list(listRequest(configMaps)))).to.deep.equal(['one/c@25']);
        expect(reported.map(String)).to.deep.equal(['Error: not now']);
      });
    });
});
