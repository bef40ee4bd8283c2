import { expect } from 'chai';
import type { SpaceUse, WriteOutcome } from '../../../../raft/replicaApi.js';
import { revision } from '../../../../raft/types.js';
import { contents, created, eventually, TestCluster, timeoutMs } from './testCluster.js';
import type { Running } from './testCluster.js';

const mebibyte = 1024 * 1024;

/** A disk with settable free space. */
class PretendedDisk {
  freeMebibytes = 10_000;
  readonly read = () => ({ freeBytes: this.freeMebibytes * mebibyte, fileSystemBytes: 100_000 * mebibyte });
}

const put = ({ replica }: Running, key: string, use: SpaceUse, value = 'value'): Promise<WriteOutcome> =>
  replica.write({ comparisons: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] }, { timeoutMs, use });
const remove = ({ replica }: Running, key: string): Promise<WriteOutcome> =>
  replica.write({ comparisons: [], operations: [{ type: 'delete', key }] }, { timeoutMs, use: 'freeing' });

describe('raft/replica, where space runs out', function () {
  let cluster: TestCluster;
  const disks = new Map<string, PretendedDisk>();
  beforeEach(() => {
    cluster = new TestCluster();
    disks.clear();
  });
  afterEach(() => cluster.end());

  const diskOf = (name: string): PretendedDisk => {
    const disk = disks.get(name) ?? new PretendedDisk();
    disks.set(name, disk);
    return disk;
  };
  const start = (name: string, quotaBytes = 0): Promise<Running> => cluster.start(name, { quotaBytes }, {}, diskOf(name).read);
  const startAll = async (...names: string[]): Promise<Running[]> => {
    await cluster.prepare(...names);
    const running = await Promise.all(names.map((name) => start(name)));
    await cluster.leader();
    return running;
  };
  const alarmIs = async (running: Running, alarm: 'disk' | 'quota' | null): Promise<void> => {
    await eventually(async () => ((await running.replica.status()).space.alarm === alarm ? true : null));
  };
  const knowsShort = async (running: Running, ...members: string[]): Promise<void> => {
    await eventually(async () => ((await running.replica.status()).space.shortMembers.join() === members.join() ? true : null));
  };

  it('refuses what grows below the reserve, and takes it again once there is room', async () => {
    const [only] = (await startAll('a')) as [Running];
    await created(only, '/before');
    diskOf('a').freeMebibytes = 60;
    await alarmIs(only, 'disk');
    const refused = await put(only, '/more', 'growing');
    expect(refused).to.have.property('outcome', 'noSpace');
    expect(refused)
      .to.have.property('reason')
      .that.matches(/too little space is left on the disk of a/);
    expect(await put(only, '/lease', 'essential')).to.have.property('outcome', 'applied');
    expect(await remove(only, '/before')).to.have.property('outcome', 'applied');
    expect(await contents(only)).to.deep.equal({ '/lease': 'value' });
    diskOf('a').freeMebibytes = 15;
    await eventually(async () => ((await only.replica.status()).space.level === 'scarce' ? true : null));
    expect(await put(only, '/lease', 'essential')).to.have.property('outcome', 'noSpace');
    expect(await remove(only, '/lease')).to.have.property('outcome', 'applied');
    expect((await only.replica.compact(revision(2), timeoutMs)).outcome).to.equal('applied');
    diskOf('a').freeMebibytes = 1_000;
    await alarmIs(only, null);
    await created(only, '/after');
    const messages = only.lines.map(({ message }) => message);
    expect(messages.filter((message) => message === 'creates and updates are refused')).to.have.length(1);
    expect(messages.filter((message) => message.startsWith('there is room again'))).to.have.length(1);
  });

  it('goes on with two members while a third has no room, which follows on and catches up', async () => {
    const all = await startAll('a', 'b', 'c');
    const leader = await cluster.leader();
    const full = all.find((running) => running !== leader) as Running;
    diskOf(full.id).freeMebibytes = 1;
    for (const running of all) await knowsShort(running, full.id);
    const { lastIndex } = await full.replica.status();
    for (let number = 0; number < 20; number += 1) await created(leader, `/key/${number}`);
    const status = await full.replica.status();
    expect(status.lastIndex, 'it takes no entries').to.equal(lastIndex);
    expect(status.leaderId, 'and knows who leads').to.equal(leader.id);
    expect((await put(full, '/by-the-full-one', 'growing')).outcome, 'its clients should ask another one').to.equal('unavailable');
    expect(await leader.replica.status()).to.have.nested.property('space.alarm', null);
    diskOf(full.id).freeMebibytes = 1_000;
    expect(await contents(full)).to.deep.equal(await contents(leader));
  });

  it('moves leadership to a member with room', async () => {
    const all = await startAll('a', 'b', 'c');
    const former = await cluster.leader();
    diskOf(former.id).freeMebibytes = 60;
    const next = await eventually(async () => {
      const { leaderId } = await former.replica.status();
      return leaderId !== null && leaderId !== former.id ? leaderId : null;
    });
    await created(cluster.get(next), '/after');
    for (const running of all) expect(await contents(running)).to.deep.equal({ '/after': 'value' });
  });

  it('refuses what grows on every member once no majority has room', async () => {
    const all = await startAll('a', 'b', 'c');
    await created(all[0] as Running, '/before');
    for (const name of ['b', 'c']) diskOf(name).freeMebibytes = 60;
    for (const running of all) {
      await alarmIs(running, 'disk');
      expect(await put(running, '/more', 'growing')).to.have.property('outcome', 'noSpace');
      expect(await put(running, '/lease', 'essential')).to.have.property('outcome', 'applied');
    }
    expect(await remove(all[0] as Running, '/before')).to.have.property('outcome', 'applied');
    diskOf('b').freeMebibytes = 1_000;
    for (const running of all) await alarmIs(running, null);
    await created(all[2] as Running, '/after');
    for (const running of all) expect(await contents(running)).to.deep.equal({ '/lease': 'value', '/after': 'value' });
  });

  it('refuses what grows above the quota, until enough was removed and compacted', async () => {
    await cluster.prepare('a');
    const only = await start('a', 4 * mebibyte);
    await cluster.leader();
    const value = 'x'.repeat(mebibyte / 4);
    let written = 0;
    for (let outcome = ''; outcome !== 'noSpace'; written += 1) {
      expect(written, 'objects of a quarter of a mebibyte').to.be.below(40);
      ({ outcome } = await put(only, `/key/${written}`, 'growing', value));
    }
    await alarmIs(only, 'quota');
    for (let number = 0; number < written; number += 1) await remove(only, `/key/${number}`);
    const { revision: newest } = await only.replica.status();
    await only.replica.compact(newest, timeoutMs);
    await alarmIs(only, null);
    await created(only, '/after');
  });
});
