import { expect } from 'chai';
import path from 'node:path';
import { openSqlite } from '../../raft/sqlite/driver.js';
import { revisionOf, type ChangeRow } from '../../raft/store/rows.js';
import type { WatchEvent } from '../fixtures/apiClient.js';
import { Changer } from './changer.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';
import { Follower } from './follower.js';
import { ChosenBuild } from './previousBuild.js';
import { asSeen, RecordingInformer, type Seen } from './recordingInformer.js';

const stopGraceMs = 20_000;
const writesBetween = 30;
const namespace = 'rolling';
const keyPrefix = `/registry/core/configmaps/${namespace}/`;

const versionOf = ({ object }: WatchEvent): number => Number(object.metadata.resourceVersion);

/** Events of the namespace after a version, from a stopped replica's database. */
function historyOf(dataDirectory: string, after: number): Seen[] {
  const database = openSqlite(path.join(dataDirectory, 'store.db'), { readOnly: true });
  try {
    const rows = database
      .prepare<[string, string], ChangeRow>('SELECT * FROM changes WHERE key > ? AND key < ? ORDER BY id')
      .all(keyPrefix, `${keyPrefix}\u{10ffff}`);
    return rows
      .filter(({ id }) => revisionOf(id) > after)
      .map(({ id, key, version }) => [
        version === 0 ? 'DELETED' : version === 1 ? 'ADDED' : 'MODIFIED',
        key.slice(keyPrefix.length),
        String(revisionOf(id)),
      ]);
  } finally {
    database.close();
  }
}

/**
 * Three replicas restart in turn, and the leader is killed, during writes. Then watches and informers are compared with the stores. With PREVIOUS_BUILD=FOLDER
 * they start with another build; each is upgraded, the leader downgraded, and upgraded again.
 */
describe('cluster/rollingRestarts', function () {
  let test: ClusterUnderTest;
  let start: number;
  let histories: Seen[][];
  let endingsOfRestarts: string[];
  const build = new ChosenBuild();
  const followers: Follower[] = [];
  const informers: RecordingInformer[] = [];
  const changers: Changer[] = [];

  const someWrites = (): Promise<unknown> => Promise.all(changers.map((changer) => changer.until(changer.written.size + writesBetween)));

  before(async () => {
    test = await ClusterUnderTest.start({ apiserverFlags: ['--etcd-compaction-interval=0'], apiserverProgram: build.program });
    const collection = await test.namespace(namespace);
    const servers = test.members.map((member) => test.at(member));
    await openClients(collection, [[test.client], [test.client], servers, [...servers].reverse()]);
    for (const name of ['x', 'y', 'z']) changers.push(new Changer(test, collection, name));
    await someWrites();
    await restartOneByOne();
    endingsOfRestarts = followers.flatMap(({ endings }) => endings);
    await killTheLeader();
    await Promise.all(changers.map((changer) => changer.stop()));
    const last = await test.client.expect(201, 'POST', collection, { body: configMap('last', { left: 'last', right: 'last' }) });
    await Promise.all([
      ...followers.map((follower) => follower.until('last')),
      ...informers.map((informer) => informer.until((seen) => seen.some(([, name]) => name === 'last'))),
    ]);
    for (const member of test.members)
      while (
        Number((await test.at(member).expect(200, 'GET', collection)).metadata.resourceVersion) < Number(last.metadata.resourceVersion)
      );
    await stopClients();
    for (const member of test.members) await member.process.stop(stopGraceMs);
    histories = test.members.map(({ dataDirectory }) => historyOf(dataDirectory, start));
  });
  after(async () => {
    await stopClients();
    await test?.stop();
  });

  async function openClients(collection: string, ways: readonly ConstructorParameters<typeof Follower>[0][]): Promise<void> {
    const listed = await test.client.expect(200, 'GET', collection);
    start = Number(listed.metadata.resourceVersion);
    for (const [index, servers] of ways.entries()) followers.push(new Follower(servers, collection, String(start), index));
    for (let each = 0; each < 2; each++) informers.push(new RecordingInformer(test.cluster.kubeconfig, namespace));
    await Promise.all([...followers.map((follower) => follower.reconnected(1)), ...informers.map((informer) => informer.start())]);
  }

  async function restartOneByOne(): Promise<void> {
    build.current();
    for (const member of test.members) {
      expect(await member.process.stop(stopGraceMs), `${member.id} stops by itself`).to.equal(true);
      await someWrites();
      await member.restart();
      await someWrites();
    }
  }

  async function killTheLeader(): Promise<void> {
    const leader = await test.leader();
    await test.kill(leader);
    await someWrites();
    build.earlier();
    await leader.restart();
    await someWrites();
    if (build.program === undefined) return;
    build.current();
    await leader.process.stop(stopGraceMs);
    await leader.restart();
    await someWrites();
  }

  async function stopClients(): Promise<void> {
    await Promise.all([...followers.map((follower) => follower.stop()), ...informers.map((informer) => informer.stop())]);
  }

  it('every replica holds the same history', () => {
    const [one, ...others] = histories;
    expect(one?.length).to.be.greaterThan(8 * writesBetween);
    for (const other of others) expect(other).to.deep.equal(one);
  });

  it('ordered: versions only grow', () => {
    for (const { events } of followers)
      for (const [index, event] of events.entries())
        if (index > 0) expect(versionOf(event)).to.be.greaterThan(versionOf(events[index - 1] as WatchEvent));
    for (const { seen } of informers)
      expect(seen.map(([, , version]) => Number(version))).to.deep.equal(
        seen.map(([, , version]) => Number(version)).sort((a, b) => a - b),
      );
  });

  it('unique: nothing is shown twice', () => {
    for (const lines of [...followers.map(({ events }) => events.map(asSeen)), ...informers.map(({ seen }) => seen)])
      expect(new Set(lines.map((line) => line.join())).size).to.equal(lines.length);
  });

  it('atomic: an event shows all of one write and nothing of another', () => {
    for (const { object } of followers.flatMap(({ events }) => events)) expect(object.data?.['left']).to.equal(object.data?.['right']);
  });

  it('reliable: everybody has seen all that the stores hold, and the stores hold all that was acknowledged', () => {
    const [history = []] = histories;
    for (const { events } of followers) expect(events.map(asSeen)).to.deep.equal(history);
    for (const { seen } of informers) expect(seen.filter(([, , version]) => Number(version) > start)).to.deep.equal(history);
    const written = new Set(history.filter(([type]) => type !== 'DELETED').map(([, , version]) => Number(version)));
    expect(changers.flatMap((changer) => [...changer.written.keys()]).filter((version) => !written.has(version))).to.deep.equal([]);
  });

  it('resumable: who was cut off went on from where it was, without a new list', () => {
    for (const { expired, connections } of followers) {
      expect(expired).to.deep.equal([]);
      expect(connections).to.be.greaterThan(2);
    }
    for (const { lists } of informers) expect(lists).to.equal(1);
  });

  it('bookmarkable: a bookmark stands behind everything up to its version, and before everything after it', () => {
    for (const { bookmarks, events } of followers)
      for (const { version, after } of bookmarks) expect(events.filter((event) => versionOf(event) <= version).length).to.equal(after);
    expect(followers.flatMap(({ bookmarks }) => bookmarks).length).to.be.greaterThan(0);
  });

  it('a replica that stops ends its watches in order', () => {
    expect(endingsOfRestarts.length).to.be.greaterThan(test.members.length);
    expect(new Set(endingsOfRestarts)).to.deep.equal(new Set(['the server ended it']));
  });
});
