import { join } from 'node:path';
import { expect } from 'chai';
import type { ReplicaOptions } from '../../../../raft/replicaApi.js';
import { SmallDisk } from '../../../fixtures/smallDisk.js';
import { contents, create, created, eventually, TestCluster, timeoutMs } from './testCluster.js';
import type { Running } from './testCluster.js';

/** Real full file systems, without reserved space, so that every byte is used. */
describe('raft/replica, on disks that are full', function () {
  let cluster: TestCluster;
  let disks: SmallDisk[];
  beforeEach(() => {
    cluster = new TestCluster();
    disks = [];
  });
  afterEach(async () => {
    await cluster.end();
    for (const disk of disks) disk.unmount();
  });

  const mount = (context: Mocha.Context, mebibytes = 32): SmallDisk => {
    const disk = SmallDisk.mount(mebibytes);
    if (disk === null) return context.skip();
    disks.push(disk);
    return disk;
  };
  const on = (disk: SmallDisk, diskReserveBytes: number): Partial<ReplicaOptions> => ({
    dataDirectory: join(disk.directory, 'data'),
    diskReserveBytes,
  });
  const value = 'x'.repeat(100_000);

  /** Writes until the disk is full; returns the acknowledged keys. */
  const fill = async (running: Running, prefix: string): Promise<string[]> => {
    const acknowledged: string[] = [];
    for (let number = 0; ; number += 1) {
      const { outcome } = await create(running, `${prefix}${number}`, value);
      if (outcome === 'applied') acknowledged.push(`${prefix}${number}`);
      else if (outcome !== 'unknown') return acknowledged;
    }
  };
  const goesOn = async (running: Running, key: string): Promise<void> => {
    await eventually(async () => ((await create(running, key)).outcome === 'applied' ? true : null));
  };

  it('serves reads meanwhile, and goes on by itself with all that was acknowledged', async function () {
    const disk = mount(this);
    await cluster.prepare('a');
    const only = await cluster.start('a', on(disk, 1));
    await cluster.leader();
    const acknowledged = await fill(only, '/key/');
    expect(acknowledged).to.not.have.length(0);
    expect(only.lines.map(({ message }) => message)).to.include(
      'the disk is full: the replica takes no part until there is room, and only its store is read',
    );
    expect(await only.replica.barrier(timeoutMs), 'nobody else can have written').to.have.property('outcome', 'reached');
    expect((await only.replica.status()).space.alarm).to.equal('disk');
    disk.resize(200);
    await goesOn(only, '/after');
    expect(Object.keys(await contents(only))).to.include.members([...acknowledged, '/after']);
    const reported = only.changes.map(({ key }) => key);
    expect(new Set(reported).size, 'each change once').to.equal(reported.length);
    expect(reported).to.include.members([...acknowledged, '/after']);
  });

  it('starts on a disk without a free byte, reads, and takes part once there is room', async function () {
    const disk = mount(this);
    await cluster.prepare('a');
    const before = await cluster.start('a', on(disk, 1));
    await created(before, '/before');
    await cluster.stop('a');
    disk.fill();
    const only = await cluster.start('a', on(disk, 1));
    const read = await only.replica.range({ start: '', end: null, revision: null, limit: null });
    expect(read).to.have.property('items').with.length(1);
    expect(await only.replica.barrier(timeoutMs), 'what the log has beyond the store is not known').to.have.property(
      'outcome',
      'unavailable',
    );
    expect(await create(only, '/refused')).to.have.property('outcome', 'noSpace');
    disk.empty();
    await goesOn(only, '/after');
    expect(Object.keys(await contents(only))).to.have.members(['/before', '/after']);
    expect(only.changes.map(({ key }) => key)).to.deep.equal(['/after']);
  });

  it('loses nothing where three disks fill at the same time, with a reserve and without', async function () {
    for (const reserveBytes of [1, 4 * 1024 * 1024]) {
      const three = [mount(this), mount(this), mount(this)];
      const names = ['a', 'b', 'c'];
      await cluster.prepare(...names);
      const all = await Promise.all(names.map((name, index) => cluster.start(name, on(three[index] as SmallDisk, reserveBytes))));
      await cluster.leader();
      const acknowledged = (await Promise.all(all.map((running) => fill(running, `/${running.id}/`)))).flat();
      expect(acknowledged).to.not.have.length(0);
      for (const disk of three) disk.resize(200);
      for (const running of all) await goesOn(running, `/${running.id}/after`);
      const [first, ...others] = await Promise.all(all.map((running) => contents(running)));
      expect(Object.keys(first ?? {})).to.include.members(acknowledged);
      for (const other of others) expect(other).to.deep.equal(first);
      for (const { changes } of all) expect(new Set(changes.map(({ key }) => key)).size).to.equal(changes.length);
      for (const name of names) await cluster.stop(name);
      cluster.members = [];
    }
  });

  it('goes on with two disks while a third is full, whoever leads', async function () {
    const small = mount(this);
    const names = ['a', 'b', 'c'];
    await cluster.prepare(...names);
    const all = await Promise.all(names.map((name) => cluster.start(name, name === 'a' ? on(small, 1) : {})));
    const acknowledged: string[] = [];
    for (let number = 0; number < 400; number += 1) {
      const { outcome } = await create(all[1 + (number % 2)] as Running, `/key/${number}`, value);
      if (outcome === 'applied') acknowledged.push(`/key/${number}`);
    }
    expect(acknowledged.length, '40 MB fill the small disk').to.be.above(350);
    small.resize(300);
    const full = all[0] as Running;
    await eventually(async () => ((await full.replica.barrier(timeoutMs)).outcome === 'reached' ? true : null));
    for (const running of all) expect(Object.keys(await contents(running))).to.include.members(acknowledged);
  });
});
