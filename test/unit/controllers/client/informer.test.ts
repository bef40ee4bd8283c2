import { expect } from 'chai';
import fc from 'fast-check';
import { ConnectionError, type ApiError } from '../../../../controllers/client/errors.js';
import { Informer, Informers, type InformerOptions } from '../../../../controllers/client/informer.js';
import { keyTextOf } from '../../../../api/meta/object.js';
import { type ConfigMap, configMaps } from '../../../../api/types/core/v1.js';
import type { Watch, WatchEvent, WatchOptions } from '../../../../controllers/client/api.js';
import { FakeClock, settle } from '../../../fixtures/fakeClock.js';
import { MemoryApi, refusal } from '../../../fixtures/memoryApi.js';

const map = (name: string, more: object = {}): ConfigMap => ({ metadata: { name, namespace: 'n', ...more } });

/** An informer over an API in memory, with its handlers' calls. */
function world(options: Partial<InformerOptions<ConfigMap>> = {}) {
  const clock = new FakeClock();
  const api = new MemoryApi({ clock });
  const reported: string[] = [];
  const errors: unknown[] = [];
  const asked: WatchOptions[] = [];
  const watch = api.watch.bind(api);
  api.watch = (type, how) => {
    asked.push(how);
    return watch(type, how);
  };
  const informer = new Informer<ConfigMap>({
    api,
    clock,
    random: () => 0,
    type: configMaps,
    onError: (error) => errors.push(error),
    ...options,
  });
  const version = (object: ConfigMap): string => `${object.metadata.name}@${object.metadata.resourceVersion}`;
  informer.addHandlers({
    added: (object) => reported.push(`added ${version(object)}`),
    changed: (before, after) => reported.push(`changed ${version(before)} ${version(after)}`),
    removed: (last) => reported.push(`removed ${version(last)}`),
  });
  const stopping = new AbortController();
  const start = async (): Promise<void> => {
    informer.start(stopping.signal);
    await settle();
  };
  const touch = (name: string): void => {
    api.change(configMaps, `n/${name}`, (object) => ({ ...object, data: { at: api.version } }));
  };
  const take = async (): Promise<string[]> => {
    await settle();
    return reported.splice(0);
  };
  return {
    clock,
    api,
    informer,
    errors,
    asked,
    start,
    touch,
    take,
    stop: async () => {
      stopping.abort();
      await informer.stopped();
    },
  };
}

describe('controllers/client/informer', () => {
  it('begins with a list where watches are not to bring it', async () => {
    const { api, informer, asked, start, stop } = world({ watchesLists: false });
    api.seed(configMaps, map('a'));
    await start();
    expect(informer.cache.list().map(keyTextOf)).to.deep.equal(['n/a']);
    expect(asked.map(({ sendInitialEvents }) => sendInitialEvents)).to.deep.equal([undefined]);
    await stop();
  });

  it('begins with everything there is, in one watch, and goes on with changes', async () => {
    const { api, informer, asked, start, touch, take, stop } = world();
    api.seed(configMaps, map('a'), map('b'));
    await start();
    expect(informer.hasSynced).to.equal(true);
    expect(await take()).to.deep.equal(['added a@1', 'added b@2']);
    expect(asked[0]).to.include({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true });
    touch('a');
    await api.delete(configMaps, { namespace: 'n', name: 'b' });
    await api.create(configMaps, map('c'));
    expect(await take()).to.deep.equal(['changed a@1 a@3', 'removed b@4', 'added c@5']);
    expect(informer.cache.list().map(keyTextOf)).to.have.members(['n/a', 'n/c']);
    await stop();
    expect(api.openWatches).to.equal(0);
  });

  it('lists in pages where the server does not know such watches', async () => {
    const { api, clock, asked, start, take, stop } = world();
    api.seed(configMaps, ...Array.from({ length: 1_201 }, (_, index) => map(`m${String(index).padStart(4, '0')}`)));
    const watch = api.watch.bind(api);
    let lists = 0;
    api.before = ({ verb }) => {
      if (verb === 'list') lists++;
    };
    api.watch = (type, how) => (how.sendInitialEvents ? Promise.reject(refusal(422, 'Invalid')) : watch(type, how));
    await start();
    await clock.advance(1_000);
    expect((await take()).length).to.equal(1_201);
    expect(lists).to.equal(3);
    expect(asked.at(-1)).to.include({ resourceVersion: api.version });
    await stop();
  });

  it('goes on from the last version after the end of a watch, also one that only bookmarks showed', async () => {
    const { api, clock, informer, asked, start, touch, take, stop } = world();
    api.seed(configMaps, map('a'));
    await start();
    api.seed({ ...configMaps, resource: 'others' }, map('x'), map('y'));
    api.bookmark();
    await take();
    expect(informer.version).to.equal('3');
    api.endWatches(new ConnectionError('broken', false));
    touch('a');
    await clock.advance(1_000);
    expect(asked.at(-1)).to.include({ resourceVersion: '3' }).and.not.to.have.property('sendInitialEvents');
    expect(await take()).to.deep.equal(['changed a@1 a@4']);
    await stop();
  });

  it('begins anew when its version is forgotten, and tells the difference', async () => {
    const { api, clock, start, touch, take, stop, errors } = world();
    api.seed(configMaps, map('stays'), map('goes'), map('returns'));
    await start();
    await take();
    let down = true;
    api.before = () => {
      if (down) throw new ConnectionError('down', true);
    };
    api.endWatches(new ConnectionError('broken', false));
    await settle();
    api.evaporate(configMaps, 'n/goes');
    api.evaporate(configMaps, 'n/returns');
    api.seed(configMaps, map('returns'), map('new'));
    touch('stays');
    api.compact();
    down = false;
    await clock.advance(60_000);
    // A recreated object is a different one: handlers see the deletion of the first.
    expect(await take()).to.have.members([
      'changed stays@1 stays@8',
      'removed goes@2',
      'removed returns@3',
      'added returns@6',
      'added new@7',
    ]);
    expect(errors.every((error) => error instanceof ConnectionError)).to.equal(true);
    await stop();
  });

  it('begins anew when the server says so within a watch', async () => {
    const { api, clock, start, take, stop } = world();
    api.seed(configMaps, map('a'));
    const watch = api.watch.bind(api);
    let expire = true;
    api.watch = async (type, how) => {
      if (how.sendInitialEvents || !expire) return watch(type, how);
      expire = false;
      return events([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
    };
    await start();
    api.endWatches(new ConnectionError('broken', false));
    api.seed(configMaps, map('b'));
    await clock.advance(60_000);
    expect(await take()).to.deep.equal(['added a@1', 'added b@2']);
    await stop();
  });

  it('never shows an older state after a newer one, whatever a server sends', async () => {
    const { api, clock, informer, start, take, stop, errors } = world();
    api.seed(configMaps, map('a'), map('a'), map('a'), map('a'), map('a'));
    await start();
    await take();
    const stale: ConfigMap = { ...map('a'), metadata: { ...map('a').metadata, uid: 'uid-1', resourceVersion: '2' } };
    informer.put(stale);
    expect(await take()).to.deep.equal([]);
    expect(() => informer.replace([stale], '2')).to.throw('version 2');
    // A lagging replica answers with an older state: the informer keeps its own and asks again.
    api.compact();
    let lagging = 2;
    const watch = api.watch.bind(api);
    api.watch = (type, how) => {
      if (!how.sendInitialEvents || lagging-- <= 0) return watch(type, how);
      return Promise.resolve(
        events([
          { type: 'ADDED', object: stale },
          { type: 'BOOKMARK', object: { metadata: { resourceVersion: '2', annotations: { 'k8s.io/initial-events-end': 'true' } } } },
        ]),
      );
    };
    api.before = ({ verb }) => {
      if (verb === 'watch' && api.openWatches === 0 && lagging === 2) throw refusal(410, 'Expired');
    };
    api.endWatches(new ConnectionError('broken', false));
    await clock.advance(60_000);
    expect(informer.cache.get('n/a')?.metadata.resourceVersion).to.equal('5');
    expect(await take()).to.deep.equal([]);
    expect(errors.map((error) => (error as Error).message).filter((message) => message.includes('answered with version 2'))).to.have.length(
      2,
    );
    await stop();
  });

  it('waits longer and longer while the server is down, up to half a minute', async () => {
    const { api, clock, start, stop, errors } = world();
    const at: number[] = [];
    api.before = () => {
      at.push(clock.elapsed());
      throw new ConnectionError('down', true);
    };
    await start();
    await clock.advance(150_000);
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(waits.slice(0, 9)).to.deep.equal([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]);
    expect(errors).to.have.length(at.length);
    await stop();
  });

  it('does not ask without pause a server that ends each watch at once', async () => {
    const { api, clock, start, stop } = world();
    await start();
    let watches = 0;
    api.watch = () => {
      watches++;
      return Promise.resolve(events([]));
    };
    api.endWatches();
    await clock.advance(10_000);
    expect(watches).to.be.within(2, 8);
    await stop();
  });

  it('gives up a watch that the server should have ended long ago', async () => {
    const { api, clock, start, asked, stop } = world();
    await start();
    expect(asked[0]?.timeoutSeconds).to.equal(300);
    await clock.advance(659_000);
    expect(asked).to.have.length(1);
    await clock.advance(2_000);
    expect(asked).to.have.length(2);
    expect(api.openWatches).to.equal(1);
    await stop();
  });

  it('tells everything anew from time to time when asked to', async () => {
    const { api, clock, start, take, stop } = world({ resyncMs: 60_000 });
    api.seed(configMaps, map('a'));
    await start();
    await take();
    await clock.advance(59_999);
    expect(await take()).to.deep.equal([]);
    await clock.advance(1);
    expect(await take()).to.deep.equal(['changed a@1 a@1']);
    await stop();
    await clock.advance(600_000);
    expect(await take()).to.deep.equal([]);
  });

  it('keeps indexes, also those that come late', async () => {
    const { api, informer, start, touch, stop } = world();
    api.seed(configMaps, map('a', { labels: { team: 'x' } }), map('b', { labels: { team: 'x' } }), map('c'));
    await start();
    informer.addIndex('team', ({ metadata }) => (metadata.labels?.['team'] ? [metadata.labels['team']] : []));
    const of = (team: string): string[] =>
      informer.cache
        .by('team', team)
        .map(({ metadata }) => metadata.name ?? '')
        .sort();
    expect(of('x')).to.deep.equal(['a', 'b']);
    api.change(configMaps, 'n/a', (object) => ({ ...object, metadata: { ...object.metadata, labels: { team: 'y' } } }));
    api.evaporate(configMaps, 'n/b');
    touch('c');
    await settle();
    expect([of('x'), of('y')]).to.deep.equal([[], ['a']]);
    expect(() => informer.cache.by('none', 'x')).to.throw('there is no index none');
    await stop();
  });

  it('leaves ownership of fields out of its cache, and tells late handlers of what is there', async () => {
    const { api, informer, start, stop } = world();
    api.seed(configMaps, map('a', { managedFields: [{ manager: 'm' }] }));
    await start();
    expect(informer.cache.get('n/a')?.metadata).not.to.have.property('managedFields');
    const late: string[] = [];
    const leave = informer.addHandlers({ added: (object) => late.push(keyTextOf(object)) });
    expect(late).to.deep.equal(['n/a']);
    leave();
    api.seed(configMaps, map('b'));
    await settle();
    expect(late).to.deep.equal(['n/a']);
    await stop();
  });

  it("ends up equal to the server, and tells each object's history in order, whatever happens", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('put a', 'put b', 'put c', 'drop a', 'drop b', 'cut', 'end', 'compact', 'bookmark', 'wait'), {
          maxLength: 40,
          size: 'max',
        }),
        async (steps) => {
          const { api, clock, informer, start, take, stop } = world();
          await start();
          const reported: string[] = [];
          for (const step of steps) {
            const [verb = '', name = ''] = step.split(' ');
            if (verb === 'put' && api.peek(configMaps, `n/${name}`))
              api.change(configMaps, `n/${name}`, (object) => ({ ...object, data: { at: api.version } }));
            else if (verb === 'put') api.seed(configMaps, map(name));
            else if (verb === 'drop') api.evaporate(configMaps, `n/${name}`);
            else if (verb === 'cut') api.endWatches(new ConnectionError('broken', false));
            else if (verb === 'end') api.endWatches();
            else if (verb === 'compact') api.compact();
            else if (verb === 'bookmark') api.bookmark();
            else await clock.advance(500);
            if (api.version.length % 2 === 0) reported.push(...(await take()));
          }
          await clock.advance(120_000);
          reported.push(...(await take()));
          expect(
            informer.cache
              .list()
              .map((object) => `${keyTextOf(object)} ${object.metadata.resourceVersion}`)
              .sort(),
          ).to.deep.equal(api.all(configMaps).map((object) => `${keyTextOf(object)} ${object.metadata.resourceVersion}`));
          const newest = new Map<string, number>();
          for (const line of reported) {
            const [, name = '', version = ''] = /(\w+)@(\d+)$/.exec(line) ?? [];
            expect(Number(version), line).to.be.at.least(newest.get(name) ?? 0);
            newest.set(name, Number(version));
          }
          await stop();
        },
      ),
      { numRuns: 100 },
    ));
});

describe('controllers/client/informers', () => {
  it('keep nobody waiting after the end, not even who begins to wait then', async () => {
    const clock = new FakeClock();
    const api = new MemoryApi({ clock });
    const informers = new Informers({ api, clock, random: () => 0 });
    const stopping = new AbortController();
    const early = informers.of(configMaps);
    informers.start(stopping.signal);
    stopping.abort();
    await early.synced();
    await informers.of({ ...configMaps, resource: 'others' }).synced();
    await informers.stopped();
  });

  it('are one for each type, and start late ones at once', async () => {
    const clock = new FakeClock();
    const api = new MemoryApi({ clock });
    const informers = new Informers({ api, clock, random: () => 0 });
    const stopping = new AbortController();
    const first = informers.of(configMaps);
    informers.start(stopping.signal);
    await informers.synced();
    expect(informers.of(configMaps)).to.equal(first);
    const late = informers.of({ ...configMaps, resource: 'others' });
    await late.synced();
    expect(late.hasSynced).to.equal(true);
    stopping.abort();
    await informers.stopped();
    expect(api.openWatches).to.equal(0);
  });

  it('tell of what goes wrong, by type', async () => {
    const clock = new FakeClock();
    const api = new MemoryApi({ clock });
    api.before = () => {
      throw refusal(403, 'Forbidden', 'you may not');
    };
    const reported: string[] = [];
    const informers = new Informers({
      api,
      clock,
      random: () => 0,
      onError: (type, error) => reported.push(`${type.resource}: ${(error as ApiError).message}`),
    });
    const stopping = new AbortController();
    informers.of(configMaps);
    informers.start(stopping.signal);
    await settle();
    expect(reported).to.deep.equal(['configmaps: you may not']);
    stopping.abort();
    await informers.stopped();
  });
});

/** A watch that sends these events and ends. */
function events<T>(list: readonly WatchEvent<unknown>[]): Watch<T> {
  return {
    close: () => undefined,
    async *[Symbol.asyncIterator]() {
      for (const event of list) yield await Promise.resolve(event as WatchEvent<T>);
    },
  };
}
