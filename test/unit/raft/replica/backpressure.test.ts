import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Inbox } from '../../../../raft/replica/inbox.js';
import type { PeerMessage } from '../../../../raft/transport/contract.js';
import { logIndex, memberId, term } from '../../../../raft/types.js';
import { TestCluster, contents, created, timeoutMs, type Running } from './testCluster.js';

/** Tests slow processes, peers and clients of a replica. */
describe('raft/replica, back-pressure', function () {
  let cluster: TestCluster;

  beforeEach(async () => {
    cluster = new TestCluster();
    await cluster.prepare('a', 'b', 'c');
  });
  afterEach(() => cluster.end());

  const unreadBytesMax = 100_000;
  const value = 'x'.repeat(10_000);
  const writes = 60;
  const startAll = (limits: Parameters<TestCluster['start']>[2]): Promise<Running[]> =>
    Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name, {}, limits)));
  const filesOf = (name: string): number => {
    const sizes = (directory: string): number[] =>
      readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? sizes(join(directory, entry.name)) : [statSync(join(directory, entry.name)).size],
      );
    return sizes(join(cluster.directory, name)).reduce((sum, size) => sum + size, 0);
  };
  const put = (key: string, bytes: Buffer): Parameters<Running['replica']['write']>[0] => ({
    comparisons: [],
    operations: [{ type: 'put', key, value: bytes }],
  });

  for (const who of ['leader', 'follower'] as const) {
    it(`a ${who} whose process takes nothing pauses with bounded memory, the others go on under a leader of theirs, and it goes on when it is read again`, async () => {
      await startAll({ unreadBytesMax });
      const leader = await cluster.leader();
      const busy = who === 'leader' ? leader : await cluster.follower();
      const other = [...cluster.running.values()].find((running) => running !== busy && running !== leader) as Running;
      const before = (await other.replica.status()).term;
      busy.process.hold();
      for (let each = 0; each < writes; each += 1) await created(other, `/busy/${each}`, value);
      expect(busy.process.unreadBytes, 'it was sent something, and then no more')
        .to.be.above(unreadBytesMax)
        .and.below(2 * unreadBytesMax);
      const after = await other.replica.status();
      if (who === 'leader') expect(after.leaderId, 'leadership went to one that is read').not.to.equal(busy.id);
      else expect([after.leaderId, after.term], 'nobody was elected').to.deep.equal([leader.id, before]);
      busy.process.release();
      const expected = await contents(other);
      expect(Object.keys(expected)).to.have.length(writes);
      expect(await contents(busy)).to.deep.equal(expected);
      expect(busy.changes.map(({ key }) => key)).to.deep.equal(Array.from({ length: writes }, (_, each) => `/busy/${each}`));
      await created(busy, '/after');
    });
  }

  it('a follower whose process reads again keeps its heartbeats and its leader', async () => {
    await startAll({ unreadBytesMax });
    const busy = await cluster.follower();
    const { term: before } = await busy.replica.status();
    for (let round = 0; round < 3; round += 1) {
      // It is called first: a held process does not answer.
      const leader = await cluster.leader();
      busy.process.hold();
      for (let each = 0; each < 15; each += 1) await created(leader, `/${round}/${each}`, value);
      busy.process.release();
      await contents(busy);
    }
    expect((await busy.replica.status()).term).to.equal(before);
  });

  it('more writes than it takes are refused by count and by bytes, and what is committed is applied before more is taken', async () => {
    const limits = { proposalsMax: 40, proposalBytesMax: 150_000 };
    await startAll(limits);
    const leader = await cluster.leader();
    for (const [bytes, most] of [
      [10, limits.proposalsMax],
      [10_000, Math.floor(limits.proposalBytesMax / 10_000)],
    ] as const) {
      const offered = Array.from({ length: 400 }, (_, each) =>
        leader.replica.write(put(`/${bytes}/${each}`, Buffer.alloc(bytes)), { timeoutMs }),
      );
      const { commitIndex, appliedIndex, lastIndex } = await leader.replica.status();
      expect(commitIndex - appliedIndex, 'committed, not applied').to.equal(0);
      expect(lastIndex - appliedIndex, 'under way').to.be.at.most(most);
      const outcomes = (await Promise.all(offered)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'applied').length, `applied, of ${bytes} bytes each`)
        .to.be.above(0)
        .and.at.most(most);
      expect(new Set(outcomes)).to.deep.equal(new Set(['applied', 'unavailable']));
    }
  });

  it('without a majority neither the log nor the files grow, however long clients go on', async () => {
    const limits = { proposalsMax: 1_000, proposalBytesMax: 200_000 };
    await startAll(limits);
    const leader = await cluster.leader();
    await created(leader, '/before');
    for (const running of [...cluster.running.values()]) if (running !== leader) await cluster.stop(running.id);
    const offer = (round: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: 100 }, (_, each) => leader.replica.write(put(`/${round}/${each}`, Buffer.alloc(10_000)), { timeoutMs: 300 })),
      );
    // A leader without followers notices within two election timeouts, and appends up to `uncommittedBytesMax` until then.
    let round = 0;
    do await offer((round += 1));
    while ((await leader.replica.status()).role === 'leader');
    const { lastIndex } = await leader.replica.status();
    const size = filesOf(leader.id);
    for (const end = round + 6; round < end;) await offer((round += 1));
    expect((await leader.replica.status()).lastIndex - lastIndex, 'further entries').to.equal(0);
    expect(filesOf(leader.id) - size, 'further bytes on disk, of 6,000,000 offered').to.be.below(100_000);
  });

  it('messages that nobody takes are dropped beyond a number of bytes, small ones beyond a number', () => {
    const peer = memberId('b');
    const append = (bytes: number): PeerMessage => ({
      channel: 'raft',
      message: {
        type: 'append',
        from: peer,
        to: memberId('a'),
        term: term(1),
        previousIndex: logIndex(0),
        previousTerm: term(0),
        commit: logIndex(0),
        round: 0,
        entries: bytes === 0 ? [] : [{ index: logIndex(1), term: term(1), kind: 'command', data: Buffer.alloc(bytes) }],
      },
    });
    const inbox = new Inbox(10, 10_000);
    for (let each = 0; each < 5; each += 1) inbox.onMessage(peer, append(4_000));
    expect(inbox.take(), 'of 4,000 bytes each').to.have.length(2);
    inbox.onMessage(peer, append(50_000));
    expect(inbox.take(), 'one that is larger than the bound by itself').to.have.length(1);
    for (let each = 0; each < 50; each += 1) inbox.onMessage(peer, append(0));
    expect(inbox.take(), 'heartbeats').to.have.length(10);
  });
});
