import { expect } from 'chai';
import { decodeMembership } from '../../../../raft/core/membership.js';
import { logIndex } from '../../../../raft/types.js';
import { electionTicks, TestCluster, TestServer, a, append, b, bytes, c, d, members } from './harness.js';

const learner = (id: typeof a) => ({ type: 'addLearner', member: { id, role: 'learner', address: `${id}:1` } }) as const;

/** A leader of two voters that has committed its first entry. */
const leader = (): TestServer => {
  const server = new TestServer(a, members([a, b])).elect(b).accept(b, 1);
  server.take();
  return server;
};

describe('changing the membership', () => {
  it('takes effect when the entry is appended, not when it is committed (dissertation, section 4.1)', () => {
    const server = leader();
    expect(server.core.changeMembership(learner(c))).to.deep.equal({ outcome: 'appended', first: 2, term: 1 });
    expect(server.core.membership).to.deep.equal(members([a, b], [c]));
    server.settle();
    expect(server.takeOf('append', c)).not.to.deep.equal([]);
    expect(decodeMembership(server.disk.stored[1]?.data ?? new Uint8Array())).to.deep.equal(members([a, b], [c]));
  });

  it('is refused while an earlier change is uncommitted', () => {
    const server = leader();
    server.core.changeMembership(learner(c));
    expect(server.core.changeMembership(learner(d)))
      .to.have.property('reason')
      .that.matches(/earlier membership change/);
    server.settle();
    server.accept(b, 2);
    expect(server.core.changeMembership(learner(d))).to.include({ outcome: 'appended' });
  });

  it('is refused before the leader has committed an entry of its term', () => {
    const server = new TestServer(a, members([a, b])).elect(b);
    expect(server.core.changeMembership(learner(c)))
      .to.have.property('reason')
      .that.matches(/entry of its term/);
  });

  it('is refused by servers that do not lead', () => {
    expect(new TestServer(a, members([a, b])).core.changeMembership(learner(c))).to.deep.equal({ outcome: 'notLeader', leader: null });
  });

  it('promotes a learner only once it has caught up', () => {
    const server = leader();
    server.core.changeMembership(learner(c));
    server.settle();
    server.accept(b, 2);
    expect(server.core.changeMembership({ type: 'promote', id: c }))
      .to.have.property('reason')
      .that.matches(/caught up/);
    server.accept(c, 2);
    expect(server.core.changeMembership({ type: 'promote', id: c })).to.include({ outcome: 'appended' });
    expect(server.core.membership).to.deep.equal(members([a, b, c]));
  });

  it('counts a learner for nothing until then', () => {
    const server = leader();
    server.core.changeMembership(learner(c));
    server.settle();
    server.accept(c, 2);
    expect(server.core.commit).to.equal(1);
  });

  it('is undone when its entry is overwritten', () => {
    const server = leader();
    server.core.changeMembership(learner(c));
    server.settle();
    server.receive(
      b,
      2,
      append({ previous: [1, 1], entries: [{ index: logIndex(2), term: 2 as never, kind: 'noop', data: new Uint8Array() }] }),
    );
    expect(server.core.membership).to.deep.equal(members([a, b]));
  });

  it('makes a leader step down that removed itself, after the commit, and hand over', () => {
    const server = leader();
    server.core.changeMembership({ type: 'remove', id: a });
    server.settle();
    expect(server.core.role).to.equal('leader');
    server.take();
    server.accept(b, 2);
    expect(server.core.commit, 'its own copy does not count').to.equal(2);
    expect(server.core).to.include({ role: 'follower', leader: null });
    const farewell = server.take().filter(({ to }) => to === b);
    expect(farewell.map(({ type }) => type)).to.deep.equal(['append', 'timeoutNow']);
    expect(farewell[0]).to.include({ commit: 2 });
    expect(server.tick(10 * electionTicks).take(), 'and it stays quiet').to.deep.equal([]);
  });

  it('leaves a cluster that lives when one of two leaves, even if the leaver crashed with the only copy of the change', () => {
    const cluster = new TestCluster([a, b]);
    cluster.tick(30);
    cluster.at(a).core.changeMembership({ type: 'remove', id: a });
    cluster.settle(() => true);
    const { disk, hardState } = cluster.at(a);
    const survivor = cluster.at(b);
    const returned = new TestServer(a, members([a, b]), { log: disk, hard: hardState, appliedIndex: logIndex(1) });
    for (let i = 0; i < 10 * electionTicks; i++) {
      returned.tick();
      survivor.tick();
      for (let sent = [...returned.take(), ...survivor.take()]; sent.length > 0; sent = [...returned.take(), ...survivor.take()]) {
        for (const message of sent) (message.to === a ? returned : survivor).receive(message.from, message.term, message);
      }
    }
    expect(survivor.core.role).to.equal('leader');
    expect(survivor.core.membership).to.deep.include({ removed: [a] });
  });

  it('lets a server join with an empty log', () => {
    const cluster = new TestCluster([a]);
    cluster.tick(3);
    cluster.at(a).core.changeMembership(learner(b));
    const joining = new TestServer(b, members([]));
    for (let i = 0; i < 6; i++) {
      cluster.at(a).tick();
      for (const message of cluster.at(a).take()) joining.receive(a, message.term, message);
      for (const message of joining.take()) cluster.at(a).receive(b, message.term, message);
    }
    expect(joining.core.membership).to.deep.equal(members([a], [b]));
    expect(joining.applied).to.deep.equal(cluster.at(a).applied);
  });
});

describe('handing leadership over', () => {
  it('tells the target to campaign at once, behind the last entries that it lacks', () => {
    const server = leader();
    server.accept(b, 1).take();
    server.core.propose([bytes('x')]);
    server.core.transferLeadership(b);
    server.settle();
    const reported = server.take().filter(({ to }) => to === b);
    expect(reported.map(({ type }) => type)).to.deep.equal(['append', 'timeoutNow']);
    expect(reported[0]).to.deep.include({ previousIndex: 1 });
  });

  it('one sync of the target makes the last entries and its vote durable', () => {
    const cluster = new TestCluster([a, b, c]);
    cluster.tick(30);
    cluster.at(a).core.propose([bytes('x')]);
    cluster.at(a).core.transferLeadership(b);
    for (const message of cluster.at(a).core.ready()!.immediate) if (message.to === b) cluster.at(b).core.step(message);
    const { persist } = cluster.at(b).core.ready()!;
    expect(persist?.entries.map(({ data }) => Buffer.from(data).toString())).to.deep.equal(['x']);
    expect(persist?.hardState).to.include({ term: 2, vote: b });
  });

  it('brings a target up to date first whose log is not known yet', () => {
    const server = leader();
    server.core.reportUnreachable(b);
    server.core.propose([bytes('x')]);
    server.core.transferLeadership(b);
    server.settle();
    expect(server.takeOf('timeoutNow')).to.deep.equal([]);
    server.accept(b, 2);
    expect(server.takeOf('timeoutNow').map(({ to }) => to)).to.deep.equal([b]);
  });

  it('refuses proposals meanwhile, definitely, and gives up after an election timeout', () => {
    const server = leader();
    server.core.transferLeadership(b);
    expect(server.core.propose([bytes('x')])).to.deep.equal({ outcome: 'notLeader', leader: null });
    server
      .tick(electionTicks - 1)
      .accept(b, 1)
      .tick();
    expect(server.core.propose([bytes('x')])).to.include({ outcome: 'appended' });
  });

  it('needs no election timeout and no pre-vote', () => {
    const cluster = new TestCluster([a, b, c]);
    cluster.tick(30);
    cluster.at(a).core.transferLeadership(null);
    cluster.settle();
    expect([a, b, c].map((id) => cluster.at(id).core.role).filter((role) => role === 'leader')).to.have.length(1);
    expect(cluster.at(a).core).to.include({ role: 'follower', term: 2 });
  });

  it('does nothing for learners, strangers and servers that do not lead', () => {
    const server = leader();
    server.core.changeMembership(learner(c));
    server.settle();
    server.accept(b, 2).accept(c, 2);
    server.take();
    for (const to of [a, c, d]) server.core.transferLeadership(to);
    expect(server.core.propose([bytes('x')])).to.include({ outcome: 'appended' });
    const follower = new TestServer(b, members([a, b]));
    follower.core.transferLeadership(a);
    expect(follower.core.ready()?.immediate).to.deep.equal([]);
  });

  it('is believed of the leader only', () => {
    const server = new TestServer(a, members([a, b, c])).receive(b, 1, append({}));
    server.receive(c, 1, { type: 'timeoutNow' });
    expect(server.core.role).to.equal('follower');
    server.receive(b, 1, { type: 'timeoutNow' });
    expect(server.core).to.include({ role: 'candidate', term: 2 });
    expect(server.takeOf('vote')[0]).to.include({ transfer: true });
  });
});

describe('the order of a Ready', () => {
  it('must be kept: the next one is not given before the last is durable', () => {
    const server = new TestServer(a, members([a]));
    server.core.tick();
    server.core.ready();
    expect(() => server.core.ready()).to.throw('a Ready is carried out before the next one is asked for');
  });

  it('holds for what arrives in between: it goes into the next one', () => {
    const server = new TestServer(a, members([a, b])).receive(b, 1, append({}));
    server.core.step({
      from: b,
      to: a,
      term: 1 as never,
      ...append({ entries: [{ index: logIndex(1), term: 1 as never, kind: 'noop', data: new Uint8Array() }] }),
    });
    const ready = server.core.ready();
    server.core.step({
      from: b,
      to: a,
      term: 1 as never,
      ...append({ previous: [1, 1], entries: [{ index: logIndex(2), term: 1 as never, kind: 'noop', data: new Uint8Array() }] }),
    });
    expect(ready?.afterSync).to.have.length(1);
    expect(ready?.persist?.entries).to.have.length(1);
    if (ready !== null) server.carryOut(ready);
    expect(server.settle()[0]?.persist?.entries.map(({ index }) => index)).to.deep.equal([2]);
  });

  it('is empty when there is nothing to do', () => {
    const server = new TestServer(a, members([a, b]));
    expect(server.core.ready()?.state).to.deep.equal({ role: 'follower', term: 0, leader: null });
    expect(server.core.ready()).to.equal(null);
  });
});
