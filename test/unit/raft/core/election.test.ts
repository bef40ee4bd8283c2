import { expect } from 'chai';
import { memberId, type MemberId } from '../../../../raft/types.js';
import { electionTicks, TestCluster, TestServer, a, append, b, bytes, c, d, e, entries, members } from './harness.js';

describe('elections', () => {
  it('start as follower, whatever came before (Raft, section 5.2)', () => {
    const server = new TestServer(a, members([a, b, c]), { stored: entries(1, 1), hard: { vote: a } });
    expect(server.core.role).to.equal('follower');
    expect(server.core.leader).to.equal(null);
  });

  it('happen after one to two election timeouts without a leader, at a moment drawn anew each time (section 5.2)', () => {
    const waits = new Set<number>();
    for (let draw = 0; draw < electionTicks; draw++) {
      const server = new TestServer(a, members([a, b, c]), { random: (below) => Math.min(draw, below - 1) });
      let ticks = 0;
      while (server.core.role === 'follower') ticks += server.tick() ? 1 : 0;
      waits.add(ticks);
    }
    expect([...waits]).to.deep.equal(Array.from({ length: electionTicks }, (_, at) => electionTicks + at));
  });

  it('are begun in turn by those who miss the same leader, so that no two are candidates at once, whatever chance says', () => {
    const many = { electionTicks: 100, heartbeatTicks: 10 };
    /** The minimum and maximum wait of a voter beyond the shortest timeout. */
    const range = (id: MemberId, voters: readonly MemberId[], leader: MemberId): number[] =>
      [() => 0, (below: number) => below - 1].map((random) => {
        const server = new TestServer(id, members(voters), { ...many, random }).receive(leader, 1, append({}));
        server.tick(many.electionTicks);
        let ticks = 0;
        for (; server.core.role === 'follower'; ticks += 1) server.tick();
        return ticks;
      });
    expect([a, c].map((id) => range(id, [a, b, c], b))).to.deep.equal([
      [5, 14],
      [25, 34],
    ]);
    const five = [a, b, c, d, e];
    const turns = [b, c, d, e].map((id) => range(id, five, a)) as [number, number][];
    for (const [at, [first]] of turns.entries()) expect(first).to.be.greaterThan(at === 0 ? 0 : turns[at - 1]![1]);
    expect(turns.at(-1)![1]).to.be.lessThan(many.electionTicks);
  });

  it('are held off by a leader that is heard of', () => {
    const server = new TestServer(a, members([a, b, c]));
    for (let i = 0; i < 5; i++) server.receive(b, 1, append({})).tick(electionTicks - 1);
    expect(server.core.role).to.equal('follower');
    expect(server.core.leader).to.equal(b);
  });

  it('ask first whether they could be won, in no new term (dissertation, section 9.6)', () => {
    const server = new TestServer(a, members([a, b, c])).tick(2 * electionTicks);
    expect(server.core.role).to.equal('preCandidate');
    expect(server.core.term).to.equal(0);
    expect(server.hardState.term).to.equal(0);
    expect(server.takeOf('preVote', b)[0]).to.include({ term: 1, lastIndex: 0, transfer: false });
  });

  it('raise the term, vote for themselves and ask all voters once a quorum would vote for them', () => {
    const server = new TestServer(a, members([a, b, c, d, e])).tick(2 * electionTicks);
    server.receive(b, 1, { type: 'preVoteReply', granted: true });
    expect(server.core.role).to.equal('preCandidate');
    server.receive(c, 1, { type: 'preVoteReply', granted: true });
    expect(server.core).to.include({ role: 'candidate', term: 1 });
    expect(server.hardState).to.include({ term: 1, vote: a });
    expect(server.takeOf('vote').map(({ to }) => to)).to.deep.equal([b, c, d, e]);
  });

  it('do not count pre-votes that were meant for another term', () => {
    const server = new TestServer(a, members([a, b, c]), { hard: { term: 4 as never } }).tick(2 * electionTicks);
    server.receive(b, 4, { type: 'preVoteReply', granted: true });
    expect(server.core.role).to.equal('preCandidate');
    server.receive(b, 5, { type: 'preVoteReply', granted: true });
    expect(server.core.role).to.equal('candidate');
  });

  it('are won with a majority, and open with an entry of the new term (section 8)', () => {
    const server = new TestServer(a, members([a, b, c]), { stored: entries(1) }).elect(b);
    expect(server.core).to.include({ role: 'leader', term: 2, leader: a });
    expect(server.disk.stored.at(-1)).to.include({ index: 2, term: 2, kind: 'noop' });
  });

  it('end when a quorum refuses', () => {
    const server = new TestServer(a, members([a, b, c])).tick(2 * electionTicks);
    server.receive(b, 1, { type: 'preVoteReply', granted: true });
    server.receive(b, 1, { type: 'voteReply', granted: false }).receive(c, 1, { type: 'voteReply', granted: false });
    expect(server.core).to.include({ role: 'follower', term: 1, leader: null });
  });

  it('end when a leader of the term appears (section 5.2)', () => {
    const server = new TestServer(a, members([a, b, c])).tick(2 * electionTicks);
    server.receive(b, 1, { type: 'preVoteReply', granted: true }).receive(c, 1, append({}));
    expect(server.core).to.include({ role: 'follower', term: 1, leader: c });
  });

  it('count the own vote only once it is durable: a sole voter leads after the disk, not before', () => {
    const server = new TestServer(a, members([a]));
    server.core.tick();
    const ready = server.core.ready();
    expect(server.core.role).to.equal('candidate');
    expect(ready?.persist?.hardState).to.include({ term: 1, vote: a });
    server.core.persisted();
    expect(server.core.role).to.equal('leader');
  });

  it('are immediate for a sole voter, which then commits alone', () => {
    const server = new TestServer(a, members([a])).tick();
    expect(server.core.propose([bytes('x')])).to.include({ outcome: 'appended', first: 2, term: 1 });
    server.settle();
    expect(server.applied.map(({ index }) => index)).to.deep.equal([1, 2]);
  });

  it('are not started by learners, nor by servers that know of no members', () => {
    for (const membership of [members([b, c], [a]), members([])]) {
      const server = new TestServer(a, membership).tick(10 * electionTicks);
      expect(server.core).to.include({ role: 'follower', term: 0 });
      expect(server.take()).to.deep.equal([]);
    }
  });

  it('of three servers give one leader, which stays', () => {
    const cluster = new TestCluster([a, b, c]);
    cluster.tick(200);
    const roles = [a, b, c].map((id) => cluster.at(id).core.role);
    expect(roles.filter((role) => role === 'leader')).to.have.length(1);
    expect([a, b, c].map((id) => cluster.at(id).core.term)).to.deep.equal([1, 1, 1]);
  });
});

describe('votes', () => {
  const ask = { type: 'vote', lastIndex: 2 as never, lastTerm: 1 as never, transfer: false } as const;
  const voter = (): TestServer => new TestServer(a, members([a, b, c]), { stored: entries(1, 1) });

  it('go to one candidate a term, first come first served, and are durable before they are sent (section 5.2)', () => {
    const server = voter();
    server.core.step({ from: b, to: a, term: 2 as never, ...ask });
    const ready = server.core.ready();
    expect(ready?.immediate).to.deep.equal([]);
    expect(ready?.persist?.hardState).to.include({ term: 2, vote: b });
    expect(ready?.afterSync[0]).to.include({ type: 'voteReply', to: b, granted: true });
    server.core.persisted();
    expect(server.receive(c, 2, ask).takeOf('voteReply')[0]).to.include({ to: c, granted: false });
    expect(server.receive(b, 2, ask).takeOf('voteReply')[0], 'asked again').to.include({ to: b, granted: true });
  });

  it('are remembered across a restart', () => {
    const server = new TestServer(a, members([a, b, c]), { stored: entries(1, 1), hard: { term: 2 as never, vote: b } });
    expect(server.receive(c, 2, ask).takeOf('voteReply')[0]).to.include({ granted: false });
  });

  it('are refused to candidates whose log is older: by the last term first, then by length (section 5.4.1)', () => {
    const cases = [
      { mine: [1, 2], lastIndex: 9, lastTerm: 1, granted: false },
      { mine: [1, 2], lastIndex: 1, lastTerm: 3, granted: true },
      { mine: [1, 2], lastIndex: 1, lastTerm: 2, granted: false },
      { mine: [1, 2], lastIndex: 2, lastTerm: 2, granted: true },
      { mine: [], lastIndex: 0, lastTerm: 0, granted: true },
    ];
    for (const { mine, lastIndex, lastTerm, granted } of cases) {
      for (const type of ['vote', 'preVote'] as const) {
        const server = new TestServer(a, members([a, b, c]), { stored: entries(...mine) });
        server.receive(b, 5, { type, lastIndex: lastIndex as never, lastTerm: lastTerm as never, transfer: false });
        expect(server.take()[0], `${type} of ${lastIndex}/${lastTerm} against ${mine.join()}`).to.include({
          type: `${type}Reply`,
          granted,
        });
      }
    }
  });

  it('are refused for an older term, with the newer one', () => {
    const server = new TestServer(a, members([a, b, c]), { hard: { term: 7 as never } });
    expect(server.receive(b, 3, ask).takeOf('voteReply')[0]).to.include({ granted: false, term: 7 });
    expect(server.receive(b, 3, { ...ask, type: 'preVote' }).takeOf('preVoteReply')[0]).to.include({ granted: false, term: 7 });
  });

  it('are not given while a leader is heard of, and the term stays: a removed server cannot disturb (dissertation, section 4.2.3)', () => {
    const server = voter().receive(c, 1, append({ previous: [2, 1] }));
    server.take();
    expect(server.receive(b, 9, ask).take()).to.deep.equal([]);
    expect(server.receive(b, 9, { ...ask, type: 'preVote' }).takeOf('preVoteReply')[0]).to.include({ granted: false });
    expect(server.core).to.include({ term: 1, leader: c });
  });

  it('are given in spite of that if the leader itself hands over', () => {
    const server = voter().receive(c, 1, append({ previous: [2, 1] }));
    server.take();
    expect(server.receive(b, 2, { ...ask, transfer: true }).takeOf('voteReply')[0]).to.include({ granted: true, term: 2 });
  });

  it('of a pre-vote promise nothing: several candidates may have them, and nothing is written', () => {
    const server = voter();
    for (const from of [b, c])
      expect(server.receive(from, 2, { ...ask, type: 'preVote' }).takeOf('preVoteReply')[0]).to.include({ granted: true, term: 2 });
    expect(server.hardState).to.include({ term: 1, vote: null });
  });
});

describe('terms', () => {
  it('that are newer turn leaders and candidates into followers (section 5.1)', () => {
    const leader = new TestServer(a, members([a, b, c])).elect(b);
    leader.receive(c, 5, {
      type: 'appendReply',
      round: 0,
      result: { accepted: false, rejected: 0 as never, hintIndex: 0 as never, hintTerm: 0 as never },
    });
    expect(leader.core).to.include({ role: 'follower', term: 5, leader: null });
    expect(leader.hardState).to.include({ term: 5, vote: null });
  });

  it('that are older make a deposed leader learn of the present', () => {
    const server = new TestServer(a, members([a, b, c]), { hard: { term: 7 as never } });
    expect(server.receive(b, 3, append({})).takeOf('appendReply')[0]).to.deep.include({ term: 7, to: b });
    expect(server.core.leader).to.equal(null);
  });

  it('with two leaders stop the server', () => {
    const server = new TestServer(a, members([a, b, c])).receive(b, 1, append({}));
    expect(() => server.receive(c, 1, append({}))).to.throw('a term has at most one leader');
  });

  it('never reach a server that a message is not for', () => {
    const server = new TestServer(a, members([a, b, c]));
    expect(() => server.core.step({ from: b, to: memberId('x'), term: 1 as never, type: 'timeoutNow' })).to.throw(
      'a message reaches the server that it is for',
    );
  });
});

describe('check-quorum', () => {
  it('makes a leader step down that hears from no quorum within an election timeout', () => {
    const server = new TestServer(a, members([a, b, c])).elect(b).tick(electionTicks - 1);
    expect(server.core.role).to.equal('leader');
    server.tick();
    expect(server.core).to.include({ role: 'follower', term: 1, leader: null });
  });

  it('is content with a quorum, itself included', () => {
    const server = new TestServer(a, members([a, b, c])).elect(b);
    for (let i = 0; i < 10; i++) server.tick(electionTicks - 1).accept(b, 1);
    expect(server.core.role).to.equal('leader');
  });

  it('lets the connected majority go on while one server is cut off, and that server does not disturb when it returns', () => {
    const cluster = new TestCluster([a, b, c]);
    cluster.tick(30);
    const { term } = cluster.at(a).core;
    cluster.tick(100, ({ from, to }) => from === c || to === c);
    cluster.tick(30);
    expect([a, b, c].map((id) => cluster.at(id).core.term)).to.deep.equal([term, term, term]);
    expect(cluster.at(c).core.leader).to.equal(a);
  });

  it('replaces a leader that is cut off', () => {
    const cluster = new TestCluster([a, b, c]);
    cluster.tick(30);
    expect(cluster.at(a).core.role).to.equal('leader');
    cluster.tick(60, ({ from, to }) => from === a || to === a);
    expect(cluster.at(a).core.role).not.to.equal('leader');
    expect([b, c].map((id) => cluster.at(id).core.role)).to.include('leader');
  });
});
