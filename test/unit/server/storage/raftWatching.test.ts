import { expect } from 'chai';
import { FakeReplica } from './fakeReplica.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { Recorder, settle } from './recorder.js';
import { path, put, quick } from './raftObjects.js';
import { configMaps, watchRequest } from './suite.js';

describe('the watches of the replicated storage', () => {
  let replica: FakeReplica;
  let storage: RaftStorage;

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
});
