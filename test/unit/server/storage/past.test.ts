import { expect } from 'chai';
import type { ListResult, Version } from '../../../../server/storage/contract.js';
import { encodeStored } from '../../../../server/storage/encoding.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import type { Operation } from '../../../../raft/store/contract.js';
import { FakeReplica } from './fakeReplica.js';
import { Recorder } from './recorder.js';
import { configMaps, key, listRequest, objectFor, watchRequest } from './suite.js';

const secondMs = 1_000;

describe('the past of the replicated storage', () => {
  let replica: FakeReplica;
  let storage: RaftStorage;
  let now: number;
  let rangesRead: number;

  const put = (name: string): Operation => {
    const at = key(configMaps, 'one', name);
    return { type: 'put', key: `/registry/core/configmaps/one/${name}`, value: encodeStored(at, objectFor(at), null) };
  };
  const exactly = async (version: Version): Promise<unknown> => {
    rangesRead = 0;
    const result: ListResult = await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version } }));
    return result.outcome === 'found' ? result.items.map(({ name }) => name) : result.outcome;
  };

  beforeEach(async () => {
    now = 0;
    replica = new FakeReplica();
    const range = replica.range.bind(replica);
    replica.range = (options) => {
      rangesRead++;
      return range(options);
    };
    storage = createRaftStorage({ replica, now: () => now, history: { changesMax: 1 } });
    await storage.ready();
    for (const name of ['a', 'b', 'c']) replica.apply([put(name)]);
  });
  afterEach(() => {
    storage.close();
  });

  it('keeps the state that a client pages through for 75 s; then the store answers, until that version is compacted', async () => {
    const page = await storage.list(listRequest(configMaps, { limit: 1 }));
    const version = page.outcome === 'found' ? page.version : 0;
    for (const name of ['d', 'e', 'f']) replica.apply([put(name)]);
    now = 74 * secondMs;
    replica.apply([put('g')]);
    expect(await exactly(version)).to.deep.equal(['a', 'b', 'c']);
    expect(rangesRead, 'from the cache').to.equal(0);
    now += 76 * secondMs;
    replica.apply([put('h')]);
    expect(await exactly(version)).to.deep.equal(['a', 'b', 'c']);
    expect(rangesRead, 'from the store').to.be.greaterThan(0);
    await storage.compact(version + 1, secondMs);
    expect(await exactly(version)).to.equal('expired');
  });

  it('gives a kept state up when its version is compacted', async () => {
    const page = await storage.list(listRequest(configMaps, { limit: 1 }));
    const version = page.outcome === 'found' ? page.version : 0;
    replica.apply([put('d')]);
    await storage.compact(version, secondMs);
    expect(await exactly(version)).to.deep.equal(['a', 'b', 'c']);
    replica.apply([put('e')]);
    await storage.compact(version + 1, secondMs);
    expect(await exactly(version)).to.equal('expired');
  });

  it('forgets changes after five minutes, also of a resource in which nothing happens any more', async () => {
    storage.close();
    storage = createRaftStorage({ replica, now: () => now });
    await storage.ready();
    const { version } = storage;
    replica.apply([put('late')]);
    const resumes = async (): Promise<string | undefined> => {
      const sink = new Recorder();
      const watch = storage.watch(watchRequest(configMaps, { start: { at: 'after', version } }), sink);
      const [line] = await sink.count(1);
      watch.stop();
      return line;
    };
    now += 299 * secondMs;
    replica.apply([
      {
        type: 'put',
        key: '/registry/core/secrets/one/s',
        value: encodeStored(key({ group: '', resource: 'secrets' }, 'one', 's'), objectFor(key(configMaps, 'one', 's')), null),
      },
    ]);
    expect(await resumes()).to.equal(`ADDED one/late@${version + 1}`);
    now += 12 * secondMs;
    replica.apply([{ type: 'delete', key: '/registry/core/secrets/one/s' }]);
    expect(await resumes()).to.equal('end expired');
  });
});
