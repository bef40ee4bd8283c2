import { expect } from 'chai';
import type { WriteOutcome } from '../../../../raft/replicaApi.js';
import type { Change } from '../../../../raft/store/contract.js';
import { revision } from '../../../../raft/types.js';
import { PassingError } from '../../../../server/storage/engine.js';
import { encodeStored } from '../../../../server/storage/encoding.js';
import { createRaftStorage, type RaftStorage, type RaftStorageOptions } from '../../../../server/storage/raft.js';
import { MemoryEngine } from '../../../../server/storage/memoryEngine.js';
import { FakeReplica } from './fakeReplica.js';
import { Recorder, settle } from './recorder.js';
import {
  applied,
  configMaps,
  found,
  key,
  listRequest,
  names,
  objectFor,
  selectableFields,
  storageSuite,
  watchRequest,
  type Subject,
} from './suite.js';

const within = { timeoutMs: 60_000 };
const quick = { versionTimeoutMs: 20 };
const subject = async (options: Partial<RaftStorageOptions>): Promise<Subject> => {
  const storage = createRaftStorage({ replica: new FakeReplica(), selectableFields, ...quick, ...options });
  return {
    storage,
    compact: async (version) => {
      await storage.compact(version, within.timeoutMs);
    },
  };
};

storageSuite('the replicated storage', () => subject({}));
storageSuite('the replicated storage without a cache', () => subject({ cached: () => false }));
storageSuite('the storage over memory', () => subject({ replica: new MemoryEngine() }));
storageSuite('the storage over memory without a cache', () => subject({ replica: new MemoryEngine(), cached: () => false }));
storageSuite('the replicated storage with hardly any history', () => subject({ history: { changesMax: 3 }, past: { statesMax: 1 } }));

/** The storage is one contract, so this is one file: reads, writes and watches on the same members. */
describe('the replicated storage', () => {
  let replica: FakeReplica;
  let storage: RaftStorage;
  const a = key(configMaps, 'one', 'a');
  const b = key(configMaps, 'one', 'b');
  const path = (name: string): string => `/registry/core/configmaps/one/${name}`;
  const put = (name: string): { type: 'put'; key: string; value: Buffer } => {
    const at = key(configMaps, 'one', name);
    return { type: 'put', key: path(name), value: encodeStored(at, objectFor(at)) };
  };

  beforeEach(() => {
    replica = new FakeReplica();
    storage = createRaftStorage({ replica, ...quick });
  });

  describe('a herd of watchers', () => {
    const herd = async (start: Partial<Parameters<RaftStorage['watch']>[0]>, lines: number): Promise<number> => {
      const sinks = Array.from({ length: 20 }, () => new Recorder());
      for (const sink of sinks) storage.watch({ ...watchRequest(configMaps), ...start }, sink);
      await Promise.all(sinks.map((sink) => sink.count(lines)));
      let made = 0;
      for (const { events } of sinks) for (const event of events) event.frame('json', () => Buffer.from(String(++made)));
      return made;
    };

    it('shares the frames of what is there', async () => {
      for (let each = 0; each < 100; each++) replica.apply([put(`n${each}`)]);
      await storage.ready();
      expect(await herd({}, 101)).to.equal(100);
    });

    it('shares the frames of what happened since the version that it resumes from', async () => {
      await storage.ready();
      const { version } = storage;
      for (let each = 0; each < 100; each++) replica.apply([put(`n${each}`)]);
      expect(await herd({ start: { at: 'after', version }, initialEvents: false }, 100)).to.equal(100);
    });
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

  describe('watching', () => {
    it('streams a large state in slices, and then what changed meanwhile', async () => {
      for (let i = 0; i < 500; i++) replica.apply([put(`n${String(i).padStart(3, '0')}`)]);
      await storage.ready();
      const sink = new Recorder();
      const seen: number[] = [];
      const record = sink.event.bind(sink);
      sink.event = (event) => {
        record(event);
        seen.push(event.version);
        if (seen.length === 100) replica.apply([put('n400'), { type: 'delete', key: path('n450') }]);
        if (seen.length === 501) replica.apply([put('n400')]);
      };
      const watch = storage.watch(watchRequest(configMaps, { start: { at: 'any' } }), sink);
      expect(watch.version).to.equal(0);
      await sink.count(504);
      expect(seen.slice(0, 500)).to.deep.equal(Array.from({ length: 500 }, (_, i) => i + 2));
      expect(sink.lines.slice(500)).to.deep.equal(['synced 501', 'MODIFIED one/n400@502', 'DELETED one/n450@502', 'MODIFIED one/n400@503']);
      expect(watch.version).to.equal(503);
    });

    it('pauses while the sink has no room', async () => {
      for (let i = 0; i < 300; i++) replica.apply([put(`n${i}`)]);
      await storage.ready();
      const waits: (() => void)[] = [];
      const sink = Object.assign(new Recorder(), { drained: () => new Promise<void>((resolve) => waits.push(resolve)) });
      storage.watch(watchRequest(configMaps, { start: { at: 'any' } }), sink);
      await settle();
      const before = sink.lines.length;
      expect(before).to.be.within(1, 128);
      for (let i = 0; i < 50 && sink.lines.length < 301; i++) {
        waits.shift()?.();
        await settle();
      }
      expect(sink.lines.at(-1)).to.equal('synced 301');
    });

    it('stands where its client is while it resumes, at the end of a version', async () => {
      await storage.ready();
      for (let i = 0; i < 40; i++) replica.apply([put(`n${i}`)]);
      replica.apply(Array.from({ length: 40 }, (_, i) => put(`m${i}`)));
      for (let i = 0; i < 100; i++) replica.apply([put(`n${i}`)]);
      let resume = (): void => undefined;
      const sink = Object.assign(new Recorder(), {
        drained: () =>
          new Promise<void>((resolve) => {
            resume = resolve;
          }),
      });
      const watch = storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 1 } }), sink);
      const places = new Set<number>();
      while (sink.events.length < 180) {
        await settle();
        expect(watch.version).to.equal(sink.events.at(-1)?.version);
        places.add(watch.version);
        resume();
      }
      expect(places.size).to.be.greaterThan(2);
      expect([...places][0], 'all of the large version in the first step').to.equal(42);
    });

    it('stands at what was shown last while the states before later changes are read', async () => {
      const reads: (() => void)[] = [];
      const range = replica.range.bind(replica);
      storage = createRaftStorage({ replica, cached: () => false });
      await storage.ready();
      replica.apply([put('a')]);
      const sink = new Recorder();
      const watch = storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 2 } }), sink);
      await settle();
      replica.range = async (options) => {
        await new Promise<void>((resolve) => reads.push(resolve));
        return range(options);
      };
      replica.apply([put('a')]);
      await settle();
      replica.apply([put('a')]);
      reads.shift()?.();
      await sink.count(1);
      await settle();
      expect([sink.lines, watch.version]).to.deep.equal([['MODIFIED one/a@3'], 3]);
      reads.shift()?.();
      await sink.count(2);
      await settle();
      expect([sink.lines.at(-1), watch.version]).to.deep.equal(['MODIFIED one/a@4', 4]);
    });

    it('ends watches of a resource that is not cached when earlier states arrive more slowly than changes', async () => {
      storage = createRaftStorage({ replica, cached: () => false });
      await storage.ready();
      const sink = new Recorder();
      storage.watch(watchRequest(configMaps, { start: { at: 'after', version: 1 } }), sink);
      await settle();
      const range = replica.range.bind(replica);
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      replica.range = async (options) => {
        await released;
        return range(options);
      };
      replica.apply(Array.from({ length: 10_001 }, (_, i) => put(`n${i}`)));
      expect(await sink.count(1)).to.deep.equal(['end expired']);
      expect(sink.why).to.equal('StoreTooSlow');
      release();
    });

    it('ends a watch that history outran', async () => {
      storage = createRaftStorage({ replica, history: { changesMax: 10 } });
      replica.apply([put('a')]);
      await storage.ready();
      let resume = (): void => undefined;
      const sink = Object.assign(new Recorder(), {
        drained: () =>
          new Promise<void>((resolve) => {
            resume = resolve;
          }),
      });
      storage.watch(watchRequest(configMaps, { start: { at: 'any' } }), sink);
      await settle();
      for (let i = 0; i < 100; i++) replica.apply([put(`n${i}`)]);
      resume();
      expect(await sink.count(3)).to.deep.equal(['ADDED one/a@2', 'synced 2', 'end expired']);
      expect(sink.why).to.equal('ClientTooSlow');
    });

    it('drops a sink that throws and serves the others', async () => {
      const reported: unknown[] = [];
      storage = createRaftStorage({ replica, report: (error) => reported.push(error) });
      await storage.ready();
      const [bad, good] = [new Recorder(), new Recorder()];
      bad.event = () => {
        throw new Error('bad sink');
      };
      storage.watch(watchRequest(configMaps), bad);
      storage.watch(watchRequest(configMaps), good);
      await Promise.all([bad.count(1), good.count(1)]);
      replica.apply([put('a')]);
      replica.apply([put('b')]);
      expect(good.lines).to.have.length(3);
      expect(reported.map(String)).to.deep.equal(['Error: bad sink']);
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
