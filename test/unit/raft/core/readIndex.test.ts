import { expect } from 'chai';
import { limits } from '../../../../raft/core/limits.js';
import { logIndex } from '../../../../raft/types.js';
import { electionTicks, TestCluster, TestServer, a, append, b, c, d, e, entries, members } from './harness.js';

describe('reads at a leader', () => {
  const leader = (): TestServer => {
    const server = new TestServer(a, members([a, b, c])).elect(b).accept(b, 1);
    server.take();
    return server;
  };

  it('are answered once a quorum confirms a round that began after them (dissertation, section 6.4)', () => {
    const server = leader();
    server.core.read(1);
    server.settle();
    const [round] = server.takeOf('append', b);
    expect(round).to.include({ round: 1 });
    server.accept(b, 1, 0);
    expect(server.reads, 'an answer to what was sent before').to.deep.equal([]);
    server.accept(b, 1, 1);
    expect(server.reads).to.deep.equal([{ id: 1, index: 1 }]);
  });

  it('are confirmed by refusals as well: they come from the same term', () => {
    const server = leader();
    server.core.read(1);
    server.settle();
    server.receive(c, 1, {
      type: 'appendReply',
      round: 1,
      result: { accepted: false, rejected: logIndex(1), hintIndex: logIndex(0), hintTerm: 0 as never },
    });
    expect(server.reads).to.have.length(1);
  });

  it('share rounds when they are many', () => {
    const server = leader();
    for (let id = 1; id <= 100; id++) server.core.read(id);
    server.settle();
    expect(server.takeOf('append', b)).to.have.length(1);
    for (let id = 101; id <= 200; id++) {
      server.core.read(id);
      server.settle();
    }
    expect(server.takeOf('append', b)).to.have.length(limits.readRoundsMax - 1);
    server.accept(b, 1, limits.readRoundsMax);
    server.accept(b, 1, limits.readRoundsMax + 1);
    expect(server.reads.map(({ id }) => id)).to.deep.equal(Array.from({ length: 200 }, (_, at) => at + 1));
  });

  it('wait until an entry of its own term is committed', () => {
    const server = new TestServer(a, members([a, b, c]), { stored: entries(1, 1), hard: { commit: logIndex(2) } }).elect(b);
    server.core.read(1);
    server.settle();
    server.accept(b, 2, 9);
    expect(server.reads).to.deep.equal([]);
    server.accept(b, 3, 0).accept(b, 3, 1);
    expect(server.reads).to.deep.equal([{ id: 1, index: 3 }]);
  });

  it('fail, definitely, when it stops leading', () => {
    const server = leader();
    server.core.read(1);
    server.settle();
    server.receive(c, 9, append({}));
    expect(server.failedReads).to.deep.equal([1]);
    expect(server.reads).to.deep.equal([]);
  });

  it('are never confirmed by learners', () => {
    const server = new TestServer(a, members([a, b, c], [d])).elect(b).accept(b, 1);
    server.core.read(1);
    server.settle();
    server.accept(d, 1, 1);
    expect(server.reads).to.deep.equal([]);
  });

  it('are repeated with the next heartbeat when their round was lost', () => {
    const server = leader();
    server.core.read(1);
    server.settle();
    server.take();
    expect(server.tick(2).takeOf('append', b)[0]).to.include({ round: 1 });
  });

  it('are answered at once by a sole voter', () => {
    const server = new TestServer(a, members([a], [d])).tick();
    server.core.read(1);
    server.settle();
    expect(server.reads).to.deep.equal([{ id: 1, index: 1 }]);
  });

  it('beyond the bound fail at once', () => {
    const server = new TestServer(a, members([a, b, c]));
    for (let id = 0; id <= limits.localReadsMax; id++) server.core.read(id);
    server.settle();
    expect(server.failedReads).to.deep.equal([limits.localReadsMax]);
  });
});

describe('reads that another server asks a leader for', () => {
  const leader = (voters = [a, b, c], learners: (typeof a)[] = []): TestServer => {
    const server = new TestServer(a, members(voters, learners)).elect(...voters.slice(1));
    for (const voter of voters.slice(1)) server.accept(voter, 1);
    server.take();
    return server;
  };

  it('are answered at once where both are a quorum: the question shows that its sender knew of no later term', () => {
    const sent = leader().receive(b, 1, { type: 'readIndex', id: 4 }).take();
    expect(sent.map(({ to, type }) => [to, type])).to.deep.equal([[b, 'readIndexReply']]);
    expect(sent[0]).to.include({ id: 4, index: 1 });
  });

  for (const [what, voters, from] of [
    ['of five voters', [a, b, c, d, e], b],
    ['and a learner', [a, b, c], d],
  ] as const)
    it(`wait for a round where both are none: ${what}`, () => {
      const server = leader([...voters], from === d ? [d] : []).receive(from, 1, { type: 'readIndex', id: 4 });
      const sent = server.take();
      expect(sent.filter(({ type }) => type === 'readIndexReply')).to.deep.equal([]);
      expect(sent.map(({ type }) => type)).to.include('append');
      for (const voter of voters.slice(1)) server.accept(voter, 1, 1);
      expect(server.takeOf('readIndexReply', from)[0]).to.include({ id: 4, index: 1 });
    });

  it('wait until an entry of its own term is committed', () => {
    const server = new TestServer(a, members([a, b, c]), { stored: entries(1, 1), hard: { commit: logIndex(2) } }).elect(b);
    server.receive(b, 2, { type: 'readIndex', id: 4 });
    expect(server.takeOf('readIndexReply')).to.deep.equal([]);
    server.accept(b, 3, 0).accept(b, 3, 1);
    expect(server.takeOf('readIndexReply', b)[0]).to.include({ id: 4, index: 3 });
  });

  it('are refused when they come from an older term', () => {
    const server = new TestServer(a, members([a, b, c]), { stored: entries(1) }).elect(b).accept(b, 2);
    server.take();
    server.receive(b, 1, { type: 'readIndex', id: 4 });
    expect(server.takeOf('readIndexReply')[0]).to.include({ to: b, id: 4, index: null });
  });
});

describe('reads at a follower', () => {
  const follower = (): TestServer => {
    const server = new TestServer(a, members([a, b, c])).receive(b, 1, append({}));
    server.take();
    return server;
  };

  it('are asked of the leader, many in one message', () => {
    const server = follower();
    for (const id of [1, 2, 3]) server.core.read(id);
    server.settle();
    const [asked, ...more] = server.takeOf('readIndex', b);
    expect(more).to.deep.equal([]);
    server.receive(b, 1, { type: 'readIndexReply', id: asked?.id ?? 0, index: logIndex(5) });
    expect(server.reads).to.deep.equal([1, 2, 3].map((id) => ({ id, index: 5 })));
  });

  it('fail after an election timeout without an answer, and late answers are ignored', () => {
    const server = follower();
    server.core.read(1);
    server.settle();
    const [asked] = server.takeOf('readIndex');
    server.tick(electionTicks - 1);
    expect(server.failedReads).to.deep.equal([]);
    server.tick();
    expect(server.failedReads).to.deep.equal([1]);
    server.receive(b, 1, { type: 'readIndexReply', id: asked?.id ?? 0, index: logIndex(5) });
    expect(server.reads).to.deep.equal([]);
  });

  it('fail when the server asked does not lead', () => {
    const server = follower();
    server.core.read(1);
    server.settle();
    server.receive(b, 1, { type: 'readIndexReply', id: server.takeOf('readIndex')[0]?.id ?? 0, index: null });
    expect(server.failedReads).to.deep.equal([1]);
  });

  it('keep it from campaigning while the leader answers them', () => {
    const server = follower();
    for (let times = 0; times < 5; times++) {
      server.core.read(times);
      server.tick(electionTicks - 1);
      server.receive(b, 1, { type: 'readIndexReply', id: server.takeOf('readIndex')[0]?.id ?? 0, index: logIndex(1) });
    }
    expect(server.core.role).to.equal('follower');
    expect(server.tick(2 * electionTicks).core.role).to.equal('preCandidate');
  });

  it('wait for a leader to be known, and go to the new one when it changes', () => {
    const server = new TestServer(a, members([a, b, c]));
    server.core.read(1);
    server.settle();
    expect(server.take()).to.deep.equal([]);
    server.receive(b, 1, append({}));
    expect(server.takeOf('readIndex').map(({ to }) => to)).to.deep.equal([b]);
    server.receive(c, 2, append({}));
    expect(server.takeOf('readIndex').map(({ to }) => to)).to.deep.equal([c]);
  });

  it('cannot be answered by what was meant for an earlier life of the server', () => {
    const draw = (start: number): TestServer =>
      new TestServer(a, members([a, b, c]), { random: (below) => start % below }).receive(b, 1, append({}));
    const [before, after] = [draw(123_456), draw(654_321)];
    for (const server of [before, after]) {
      server.core.read(1);
      server.settle();
    }
    after.receive(b, 1, { type: 'readIndexReply', id: before.takeOf('readIndex')[0]?.id ?? 0, index: logIndex(1) });
    expect(after.reads).to.deep.equal([]);
  });

  it('are answered through the whole cluster', () => {
    const cluster = new TestCluster([a, b, c]);
    cluster.tick(30);
    for (const server of cluster.servers.values()) server.core.read(7);
    cluster.settle();
    for (const server of cluster.servers.values()) expect(server.reads).to.deep.equal([{ id: 7, index: 1 }]);
  });

  it('asked of a server that does not lead are refused at once', () => {
    const server = new TestServer(a, members([a, b, c]));
    server.receive(b, 0, { type: 'readIndex', id: 4 });
    expect(server.takeOf('readIndexReply')[0]).to.include({ to: b, id: 4, index: null });
  });
});
