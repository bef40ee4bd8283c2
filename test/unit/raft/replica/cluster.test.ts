import { connect } from 'node:net';
import { expect } from 'chai';
import { memberId, revision } from '../../../../raft/types.js';
import { TestCluster, contents, create, created, eventually, timeoutMs } from './testCluster.js';
import type { Running } from './testCluster.js';

const everyone = (cluster: TestCluster): Running[] => [...cluster.running.values()];

describe('raft/replica, three replicas', function () {
  let cluster: TestCluster;

  beforeEach(async () => {
    cluster = new TestCluster();
    await cluster.prepare('a', 'b', 'c');
  });
  afterEach(() => cluster.end());

  const startAll = (...args: Parameters<TestCluster['start']> extends [string, ...infer Rest] ? Rest : never): Promise<Running[]> =>
    Promise.all(cluster.members.map(({ id }) => cluster.start(id, ...args)));

  it('takes writes on every replica and gives every replica the same changes in the same order', async () => {
    const replicas = await startAll();
    await cluster.leader();
    await Promise.all(Array.from({ length: 90 }, (_, number) => created(replicas[number % 3] as Running, `/key/${number}`, `${number}`)));
    const all = await Promise.all(replicas.map(contents));
    expect(Object.keys(all[0] ?? {})).to.have.length(90);
    expect(all[1]).to.deep.equal(all[0]);
    expect(all[2]).to.deep.equal(all[0]);
    const orders = replicas.map(({ changes }) => changes.map(({ revision: at, key }) => `${at} ${key}`));
    expect(orders[1]).to.deep.equal(orders[0]);
    expect(orders[2]).to.deep.equal(orders[0]);
    expect(replicas[0]?.changes.map((change) => change.revision)).to.deep.equal(Array.from({ length: 90 }, (_, at) => at + 1));
  });

  it("answers a write through a follower with the leader's decision, after the follower has called its listeners", async () => {
    await startAll();
    const follower = await cluster.follower();
    const written = await create(follower, '/x', 'one');
    expect(follower.changes.map(({ key }) => key)).to.deep.equal(['/x']);
    expect(written).to.deep.include({ outcome: 'applied', revision: follower.changes[0]?.revision });
    const again = await create(await cluster.leader(), '/x', 'two');
    if (again.outcome !== 'conflict') throw new Error(again.outcome);
    expect(Buffer.from(again.current[0]?.value ?? []).toString()).to.equal('one');
  });

  it('reaches a barrier on one replica only after what another one has seen', async () => {
    const replicas = await startAll();
    for (let round = 0; round < 30; round += 1) {
      const [writer, reader] = [replicas[round % 3] as Running, replicas[(round + 1) % 3] as Running];
      await created(writer, `/round/${round}`);
      expect(await reader.replica.barrier(timeoutMs)).to.include({ outcome: 'reached' });
      expect(reader.changes.at(-1)?.key).to.equal(`/round/${round}`);
    }
  });

  it('goes on without its leader, loses nothing that was acknowledged, and takes it back', async () => {
    await startAll();
    const leader = await cluster.leader();
    await created(leader, '/before');
    const others = everyone(cluster).filter((running) => running !== leader);
    const during = others.flatMap((running, which) =>
      Array.from({ length: 20 }, (_, number) => create(running, `/during/${which}/${number}`)),
    );
    await cluster.stop(leader.id);
    expect((await Promise.all(during)).map(({ outcome }) => outcome)).to.satisfy((outcomes: string[]) =>
      outcomes.every((outcome) => outcome === 'applied'),
    );
    await created(others[0] as Running, '/after');
    const back = await cluster.start(leader.id);
    const expected = await contents(others[1] as Running);
    expect(Object.keys(expected)).to.have.length(42);
    expect(await contents(back)).to.deep.equal(expected);
  });

  it('tells how well it is: syncs, peers and how far they are, and changes of leadership', async () => {
    await startAll();
    const leader = await cluster.leader();
    await created(leader, '/x');
    const status = await eventually(async () => {
      const seen = await leader.replica.status();
      return seen.peers.length === 2 &&
        seen.peers.every(({ connected, roundTripMs }) => connected && roundTripMs !== null && roundTripMs > 0)
        ? seen
        : null;
    });
    const { counts, sumMs, longestMs } = status.figures.logSync;
    expect(counts.reduce((sum, count) => sum + count)).to.be.greaterThan(0);
    expect(sumMs).to.be.at.least(longestMs).and.greaterThan(0);
    expect(status.figures).to.include({ proposalsRefused: 0, proposalsGivenUp: 0, leaderChanges: 0 });
    const follower = await cluster.follower();
    await leader.replica.transferLeadership(timeoutMs);
    await created(await cluster.leader(), '/y');
    await eventually(async () => ((await follower.replica.status()).figures.leaderChanges === 1 ? true : null));
    await cluster.stop(leader.id);
    const silent = await eventually(async () => (await follower.replica.status()).peers.find(({ connected }) => !connected) ?? null);
    expect(silent.id).to.equal(leader.id);
  });

  it('keeps everything when all replicas stop and start again', async () => {
    const replicas = await startAll();
    await Promise.all(replicas.map((running, which) => created(running, `/key/${which}`)));
    const before = await contents(replicas[0] as Running);
    for (const { id } of replicas) await cluster.stop(id);
    const again = await startAll();
    expect(await contents(again[2] as Running)).to.deep.equal(before);
    await created(again[1] as Running, '/more');
  });

  it('hands leadership over on request', async () => {
    await startAll();
    const leader = await cluster.leader();
    await leader.replica.transferLeadership(timeoutMs);
    expect((await leader.replica.status()).role).to.equal('follower');
    await created(leader, '/still');
  });

  it('without a majority: says that writes are not done, or not known to be, and that reads cannot be served', async () => {
    await startAll();
    const leader = await cluster.leader();
    const [first, second] = everyone(cluster).filter((running) => running !== leader) as [Running, Running];
    await created(second, '/before');
    await cluster.stop(leader.id);
    await cluster.stop(first.id);
    const transaction = { comparisons: [], operations: [{ type: 'put' as const, key: '/after', value: Buffer.of(1) }] };
    const [written, read] = await Promise.all([second.replica.write(transaction, { timeoutMs: 2000 }), second.replica.barrier(2000)]);
    expect(written.outcome).to.be.oneOf(['unavailable', 'unknown']);
    expect(read.outcome).to.equal('unavailable');
    expect((await second.replica.range({ start: '', end: null, revision: null, limit: null })).outcome).to.equal('found');
    await cluster.start(first.id);
    // Reads may be refused until there is a leader.
    await eventually(async () => ((await second.replica.barrier(timeoutMs)).outcome === 'reached' ? true : null));
    const all = await contents(second);
    if (written.outcome === 'unavailable') expect(Object.keys(all)).to.deep.equal(['/before']);
  });

  it('without a majority: reads are refused as soon as no leader is known for long, whatever time they are given', async () => {
    await startAll();
    const leader = await cluster.leader();
    const [first, second] = everyone(cluster).filter((running) => running !== leader) as [Running, Running];
    await created(second, '/before');
    await cluster.stop(leader.id);
    await cluster.stop(first.id);
    expect(await second.replica.barrier(3_600_000)).to.deep.include({
      outcome: 'unavailable',
      reason: 'no leader is known: a majority of the members is not there',
    });
    await cluster.start(first.id);
    await cluster.leader();
    expect(await second.replica.barrier(timeoutMs)).to.include({ outcome: 'reached' });
  });

  it('without a majority: the log and the memory of a replica stay bounded, however much is offered', async () => {
    const limits = { proposalsMax: 50 };
    for (const name of ['a', 'b', 'c']) await cluster.start(name, {}, limits);
    const leader = await cluster.leader();
    await created(leader, '/before');
    await Promise.all(
      everyone(cluster)
        .filter((running) => running !== leader)
        .map(({ id }) => cluster.stop(id)),
    );
    const { lastIndex } = await leader.replica.status();
    const value = Buffer.alloc(10_000);
    const offered = Array.from({ length: 500 }, (_, each) =>
      leader.replica.write(
        { comparisons: [], operations: [{ type: 'put' as const, key: `/offered/${each}`, value }] },
        { timeoutMs: 1500 },
      ),
    );
    const outcomes = (await Promise.all(offered)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'unavailable').length, 'refused at once').to.be.at.least(400);
    expect(outcomes).not.to.include('applied');
    expect((await leader.replica.status()).lastIndex - lastIndex, 'entries that nobody confirmed').to.be.at.most(limits.proposalsMax + 2);
  });

  it('brings a replica that was away too long up to date by a snapshot, and tells its listeners every change', async () => {
    const limits = { checkpointEntries: 50 };
    await startAll({ logEntriesKept: 10 }, limits);
    await cluster.leader();
    await created(cluster.get('c'), '/first');
    await cluster.stop('c');
    const writer = await cluster.leader();
    for (let batch = 0; batch < 5; batch += 1)
      await Promise.all(Array.from({ length: 60 }, (_, number) => created(writer, `/key/${batch}/${number}`, 'x'.repeat(1000))));
    // On both, because either may lead when the third returns and needs a snapshot.
    for (const name of ['a', 'b']) await eventually(async () => ((await cluster.get(name).replica.status()).firstIndex > 50 ? true : null));
    const back = await cluster.start('c', { logEntriesKept: 10 }, limits);
    expect(await contents(back)).to.deep.equal(await contents(writer));
    expect(back.lines.some(({ message }) => message === 'installed a snapshot')).to.equal(true);
    expect(back.changes.map((change) => change.revision)).to.deep.equal(Array.from({ length: 300 }, (_, at) => at + 2));
    await created(back, '/last');
  });

  it('goes on when it was away for longer than history is kept: it says that changes are missing, and tells all that come later', async () => {
    const limits = { checkpointEntries: 50 };
    await startAll({ logEntriesKept: 10 }, limits);
    await created(await cluster.leader(), '/first');
    await cluster.stop('c');
    const writer = await cluster.leader();
    await Promise.all(Array.from({ length: 100 }, (_, number) => created(writer, `/key/${number}`)));
    expect(await writer.replica.compact(revision(60), timeoutMs)).to.include({ outcome: 'applied' });
    await Promise.all(Array.from({ length: 100 }, (_, number) => created(writer, `/later/${number}`)));
    for (const name of ['a', 'b']) await eventually(async () => ((await cluster.get(name).replica.status()).firstIndex > 50 ? true : null));
    const back = await cluster.start('c', { logEntriesKept: 10 }, limits);
    expect(await contents(back)).to.deep.equal(await contents(writer));
    const [gap] = await eventually(async () => (back.gaps.length > 0 ? back.gaps : null));
    expect(gap).to.include({ compacted: 60 });
    await created(writer, '/last');
    await back.replica.barrier(timeoutMs);
    expect(back.gaps).to.have.lengthOf(1);
    const { revision: last } = await writer.replica.status();
    expect(back.changes.map((change) => change.revision)).to.deep.equal(
      Array.from({ length: last - (gap?.revision ?? 0) }, (_, at) => (gap?.revision ?? 0) + 1 + at),
    );
    await created(back, '/own');
  });

  it('refuses a wiped replica under its old name, which ends with the reason; a new member takes its place', async () => {
    await startAll();
    await cluster.leader();
    await created(cluster.get('a'), '/kept');
    await cluster.stop('c');
    cluster.wipe('c');
    const wiped = await cluster.start('c');
    const failure = await wiped.failure;
    expect(failure).to.include({ code: 'REFUSED_BY_PEER' });
    expect(failure.message).to.contain('added as a new member');
    expect(await wiped.replica.barrier(1000)).to.include({ outcome: 'unavailable' });
    await cluster.stop('c');

    const leader = await cluster.leader();
    expect(await leader.replica.changeMembership({ type: 'remove', id: memberId('c') }, timeoutMs)).to.deep.equal({
      outcome: 'applied',
    });
    const member = await cluster.member('d', 'learner');
    expect(await leader.replica.changeMembership({ type: 'addLearner', member }, timeoutMs)).to.deep.equal({ outcome: 'applied' });
    cluster.members = [...cluster.members.filter(({ id }) => id !== 'c'), member];
    const joined = await cluster.start('d');
    await eventually(async () => {
      const change = await leader.replica.changeMembership({ type: 'promote', id: member.id }, timeoutMs);
      return change.outcome === 'applied' ? true : null;
    });
    expect(Object.keys(await contents(joined))).to.deep.equal(['/kept']);
    expect((await joined.replica.status()).members.map(({ id, role }) => `${id} ${role}`)).to.deep.equal(['a voter', 'b voter', 'd voter']);
  });

  it('ends a replica that is removed while it runs, and one that missed its removal when it returns', async () => {
    await startAll();
    const leader = await cluster.leader();
    const [first, second] = everyone(cluster).filter((running) => running !== leader) as [Running, Running];
    await cluster.stop(second.id);
    const remove = (id: Running['id']): Promise<{ outcome: string }> => leader.replica.changeMembership({ type: 'remove', id }, timeoutMs);
    await eventually(async () => ((await remove(second.id)).outcome === 'applied' ? true : null));
    const returned = await cluster.start(second.id);
    expect(await returned.failure)
      .to.have.property('code')
      .that.is.oneOf(['REFUSED_BY_PEER', 'REMOVED']);
    await eventually(async () => ((await remove(first.id)).outcome === 'applied' ? true : null));
    expect(await first.failure)
      .to.have.property('code')
      .that.is.oneOf(['REFUSED_BY_PEER', 'REMOVED']);
    await created(leader, '/alone');
    expect(await leader.replica.changeMembership({ type: 'remove', id: leader.id }, timeoutMs))
      .to.have.property('reason')
      .that.contains('the last voter');
  });

  it('refuses membership changes that make no sense, and on a follower', async () => {
    await startAll();
    const leader = await cluster.leader();
    const follower = await cluster.follower();
    const change = { type: 'promote', id: memberId('nobody') } as const;
    const refused = await leader.replica.changeMembership(change, timeoutMs);
    expect(refused).to.include({ outcome: 'refused' });
    const silent = await cluster.member('d', 'learner');
    expect(await leader.replica.changeMembership({ type: 'addLearner', member: silent }, timeoutMs)).to.deep.equal({
      outcome: 'applied',
    });
    await eventually(async () => {
      const promotion = await leader.replica.changeMembership({ type: 'promote', id: silent.id }, timeoutMs);
      expect(promotion).to.have.property('reason').that.contains('has not caught up');
      return 'reason' in promotion && promotion.reason.includes('d does not answer') ? true : null;
    });
    const taken = cluster.members.find(({ id }) => id === follower.id)!.address;
    for (const [address, why] of [
      ['nonsense', 'host:port'],
      ['127.0.0.1:0', 'no port'],
      ['127.0.0.1:65536', 'host:port'],
      [taken, `where ${follower.id} listens`],
    ] as const) {
      const outcome = await leader.replica.changeMembership(
        { type: 'addLearner', member: { id: memberId('e'), role: 'learner', address } },
        timeoutMs,
      );
      expect(outcome, address).to.include({ outcome: 'refused' });
      expect('reason' in outcome && outcome.reason).to.contain(why);
    }
    expect(await follower.replica.changeMembership(change, timeoutMs)).to.deep.equal({ outcome: 'notLeader', leader: leader.id });
  });

  it('does not take in a replica that began a cluster of its own by mistake, and is not disturbed by it', async () => {
    await startAll();
    await created(await cluster.leader(), '/x');
    const own = await cluster.member('d');
    const founder = { initialMembers: [own], listenAddress: own.address };
    await created(await cluster.start('d', founder), '/own');
    await cluster.stop('d');
    const mistaken = await cluster.start('d', founder);
    await created(mistaken, '/own-too');
    const leader = await cluster.leader();
    const { term } = await leader.replica.status();
    expect((await mistaken.replica.status()).term, 'a term from which the others would have to follow').to.be.greaterThan(1);
    expect(await leader.replica.changeMembership({ type: 'addLearner', member: { ...own, role: 'learner' } }, timeoutMs)).to.deep.equal({
      outcome: 'applied',
    });
    await eventually(() =>
      Promise.resolve(leader.lines.find(({ fields }) => String(fields['reason']).includes('a cluster of its own')) ?? null),
    );
    const promotion = await leader.replica.changeMembership({ type: 'promote', id: own.id }, timeoutMs);
    expect('reason' in promotion && promotion.reason).to.contain('has not caught up');
    await created(leader, '/y');
    expect((await leader.replica.status()).term).to.equal(term);
    expect(Object.keys(await contents(mistaken))).to.deep.equal(['/own', '/own-too']);
    expect(Object.keys(await contents(await cluster.follower()))).to.deep.equal(['/x', '/y']);
  });

  it('refuses to start with a certificate that no peer would take', async () => {
    const tls = await cluster.authority.issuePeer('b');
    const client = await cluster.authority.issueClient('a');
    const rejection = async (overrides: Parameters<TestCluster['start']>[1]): Promise<string> =>
      cluster.start('a', overrides).then(
        () => 'it started',
        (error: unknown) => (error as Error).message,
      );
    expect(await rejection({ tls })).to.contain(`${tls.certFile} is not one of a`);
    expect(await rejection({ tls: client })).to.contain('the DNS name a.raft');
    expect(await rejection({ tls: { ...tls, keyFile: client.keyFile } })).to.contain(`${client.keyFile} does not belong`);
    expect(await rejection({ tls: { ...tls, certFile: tls.keyFile } })).to.contain(`${tls.keyFile} cannot be used`);
    expect(await rejection({ tls: { ...tls, certFile: '/nowhere.crt' } })).to.contain('/nowhere.crt');
  });

  it('keeps replicas of another cluster token out, on the same addresses', async () => {
    const [a, b] = await Promise.all([cluster.start('a'), cluster.start('b')]);
    const stranger = await cluster.start('c', { clusterToken: 'other' });
    await cluster.leader();
    await created(a, '/x');
    await eventually(() =>
      Promise.resolve(stranger.lines.find(({ fields }) => String(fields['reason']).includes('another cluster')) ?? null),
    );
    expect((await stranger.replica.status()).leaderId).to.equal(null);
    expect(Object.keys(await contents(b))).to.deep.equal(['/x']);
  });

  it('is not disturbed by garbage on the peer port', async () => {
    const replicas = await startAll();
    await cluster.leader();
    for (const { address } of cluster.members) {
      for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(100_000, 0xff)]) {
        const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.resume();
        socket.end(bytes);
        await new Promise((resolve) => socket.once('close', resolve));
      }
    }
    await Promise.all(replicas.map((running) => created(running, `/${running.id}`)));
    for (const { lines } of replicas) expect(lines.filter(({ message }) => message === 'connection to peer lost')).to.deep.equal([]);
  });

  it('forgets old revisions everywhere when asked to, through any replica', async () => {
    const replicas = await startAll();
    const follower = await cluster.follower();
    await created(follower, '/x', 'old');
    await follower.replica.write({ comparisons: [], operations: [{ type: 'put', key: '/x', value: Buffer.from('new') }] }, { timeoutMs });
    expect(await follower.replica.compact(revision(2), timeoutMs)).to.include({ outcome: 'applied' });
    for (const { replica } of replicas) {
      await replica.barrier(timeoutMs);
      expect(await replica.range({ start: '', end: null, revision: revision(1), limit: null })).to.deep.equal({
        outcome: 'compacted',
        compacted: 2,
      });
    }
  });
});
