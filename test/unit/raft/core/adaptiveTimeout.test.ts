import { expect } from 'chai';
import type { MemberId } from '../../../../raft/types.js';
import { limits } from '../../../../raft/core/limits.js';
import { AdaptiveTimeout } from '../../../../raft/core/adaptiveTimeout.js';
import type { MessageBody } from '../../../../raft/core/messages.js';
import { TestServer, a, append, b, bytes, c, d, e, electionTicks, members } from './harness.js';

const span = limits.adaptiveSpanTimeouts * electionTicks;
const most = limits.adaptiveTimeoutsMax * electionTicks;

const refusal: MessageBody = { type: 'preVoteReply', granted: false };
const granted: MessageBody = { type: 'preVoteReply', granted: true };

const follower = (): TestServer => new TestServer(a, members([a, b, c])).receive(b, 1, append({}));

describe('adaptive timeout', () => {
  const table: readonly (readonly [what: string, silences: readonly number[], timeout: number])[] = [
    ['nothing yet', [], electionTicks],
    ['heartbeats in time', [2, 2, 3, 2], electionTicks],
    ['half an election timeout', [5], electionTicks],
    ['a bit more than half', [6], 12],
    ['the longest of several', [3, 8, 2, 7], 16],
    ['a whole election timeout', [10], 20],
    ['one that lasted for days: no more than double', [1e9], 20],
    ['twice very late', [1e9, 1e9], 40],
    ['as late as was learnt', [10, 20], 40],
    ['again and again', [1e9, 1e9, 1e9, 1e9, 1e9, 1e9], most],
  ];
  for (const [what, silences, timeout] of table) {
    it(`after ${what} is ${timeout} ticks, where the election timeout is ${electionTicks}`, () => {
      const adaptive = new AdaptiveTimeout(electionTicks, limits.adaptiveTimeoutsMax);
      for (const silence of silences) adaptive.learn(silence);
      expect(adaptive.ticks).to.equal(timeout);
    });
  }

  it('is forgotten by half in each span without a silence as long, down to the election timeout', () => {
    const adaptive = new AdaptiveTimeout(electionTicks, limits.adaptiveTimeoutsMax);
    for (let sights = 0; sights < 3; sights++) adaptive.learn(1e9);
    const seen: number[] = [];
    for (let now = 1; now <= 5 * span; now++) {
      adaptive.tick(now);
      if (seen.at(-1) !== adaptive.ticks) seen.push(adaptive.ticks);
    }
    expect(seen).to.deep.equal([80, 40, 20, 10]);
  });

  it('is not forgotten while leaders are as late as they were', () => {
    const adaptive = new AdaptiveTimeout(electionTicks, limits.adaptiveTimeoutsMax);
    for (let now = 1; now <= 5 * span; now++) {
      if (now % (span / 2) === 0) adaptive.learn(10);
      adaptive.tick(now);
    }
    expect(adaptive.ticks).to.equal(20);
  });
});

describe('a follower', () => {
  it('waits twice as long as its leader was silent, from then on', () => {
    const server = follower()
      .tick(electionTicks - 2)
      .receive(b, 1, append({ round: 1 }));
    expect(server.core.electionTimeoutTicks).to.equal(16);
    server.tick(15);
    expect(server.core.role).to.equal('follower');
    server.tick();
    expect(server.core.role).to.equal('preCandidate');
  });

  it('draws from one to two times that when it was not elected, and waits its turn of that before', () => {
    const patient = (id: MemberId, draw: number): TestServer =>
      new TestServer(id, members([a, b, c]), { random: (below) => Math.min(draw, below - 1) })
        .receive(b, 1, append({}))
        .tick(electionTicks - 1)
        .receive(b, 1, append({ round: 1 }));
    /** Ticks until it campaigns. */
    const ticksOf = (server: TestServer): number => {
      server.take();
      let ticks = 1;
      while (server.tick().takeOf('preVote').length === 0) ticks += 1;
      return ticks;
    };
    expect([a, c].map((id) => ticksOf(patient(id, 0)))).to.deep.equal([18, 21]);
    const waits = Array.from({ length: electionTicks }, (_, draw) => {
      const server = patient(a, draw);
      ticksOf(server);
      return ticksOf(server);
    });
    expect(waits).to.deep.equal([18, 19, 21, 23, 25, 27, 28, 30, 32, 34]);
  });

  it('learns of silences longer than its timeout, because pre-votes leave the leader in office', () => {
    const server = follower().tick(3 * electionTicks);
    expect(server.core.role).to.equal('preCandidate');
    server.receive(b, 1, append({}));
    expect(server.core).to.include({ role: 'follower', leader: b, electionTimeoutTicks: 20 });
  });

  it("learns from the leader's own refusal of a pre-vote, not from that of others", () => {
    const server = follower().tick(electionTicks);
    expect(server.receive(c, 1, refusal).core.electionTimeoutTicks).to.equal(10);
    expect(server.receive(b, 1, refusal).core.electionTimeoutTicks).to.equal(20);
  });

  it('that voted learns how long it takes until somebody leads', () => {
    const server = new TestServer(a, members([a, b, c]));
    server
      .receive(b, 1, { type: 'vote', lastIndex: 0 as never, lastTerm: 0 as never, transfer: false })
      .tick(8)
      .receive(b, 1, append({}));
    expect(server.core.electionTimeoutTicks).to.equal(16);
  });

  it('learns nothing from the time between its start and the first word of a leader', () => {
    const server = new TestServer(a, members([a, b, c]), { hard: { term: 1 as never } }).tick(electionTicks - 1).receive(b, 1, append({}));
    expect(server.core.electionTimeoutTicks).to.equal(electionTicks);
  });

  it('learns nothing from the time between the leaders of two terms', () => {
    const server = follower()
      .tick(electionTicks - 1)
      .receive(c, 2, append({}));
    expect(server.core.electionTimeoutTicks).to.equal(electionTicks);
  });

  it('refuses votes no longer than the shortest timeout, however patient it became: others may know better', () => {
    const server = follower()
      .tick(electionTicks - 1)
      .receive(b, 1, append({}));
    const ask: MessageBody = { type: 'preVote', lastIndex: 0 as never, lastTerm: 0 as never, transfer: false };
    server.tick(electionTicks - 1).take();
    expect(server.receive(c, 2, ask).takeOf('preVoteReply')[0]).to.include({ granted: false });
    expect(server.tick().receive(c, 2, ask).takeOf('preVoteReply')[0]).to.include({ granted: true });
    expect(server.core.electionTimeoutTicks).to.be.greaterThan(electionTicks);
  });
});

describe('a follower whose owner knows that the leader is gone', () => {
  const turn = electionTicks / 5;
  const of = (id: MemberId, voters: readonly MemberId[], leader: MemberId): TestServer =>
    new TestServer(id, members(voters), { random: (below) => below - 1 }).receive(leader, 1, append({}));
  /** Ticks from the news until the server campaigns. */
  const waitOf = (server: TestServer): number => {
    server.core.campaignSoon();
    let ticks = 0;
    while (server.core.role === 'follower') {
      server.tick();
      ticks += 1;
    }
    return ticks;
  };

  it('campaigns in its turn: the first voter left after a tick, each further one a turn later, whatever was drawn', () => {
    expect([a, b, d, e].map((id) => waitOf(of(id, [a, b, c, d, e], c)))).to.deep.equal([1, 1 + turn, 1 + 2 * turn, 1 + 3 * turn]);
    expect([b, c].map((id) => waitOf(of(id, [a, b, c], a)))).to.deep.equal([1, 1 + turn]);
  });

  it('grants the pre-vote of another at once, while it waits for its own turn', () => {
    const server = of(c, [a, b, c], a);
    const ask: MessageBody = { type: 'preVote', lastIndex: 0 as never, lastTerm: 0 as never, transfer: false };
    expect(server.receive(b, 2, ask).takeOf('preVoteReply')[0], 'before the news').to.include({ granted: false });
    server.core.campaignSoon();
    expect(server.receive(b, 2, ask).takeOf('preVoteReply')[0]).to.include({ granted: true });
  });

  it('waits in turn, and learns nothing, however patient it became', () => {
    const server = follower()
      .tick(electionTicks - 1)
      .receive(b, 1, append({}));
    const timeout = server.core.electionTimeoutTicks;
    expect(timeout).to.be.greaterThan(electionTicks);
    expect(waitOf(server)).to.equal(1);
    expect(server.core.electionTimeoutTicks).to.equal(timeout);
  });

  it('waits at random again when it was refused', () => {
    const server = of(b, [a, b, c], a);
    waitOf(server);
    server.receive(a, 1, refusal).receive(c, 1, refusal);
    expect(server.tick(electionTicks).core.role).to.equal('follower');
  });
});

describe('a leader that was stopped', () => {
  it('stands down without a word, and teaches nobody to wait', () => {
    const leader = follower().tick(electionTicks).receive(c, 2, granted).receive(c, 2, { type: 'voteReply', granted: true });
    expect(leader.core.role).to.equal('leader');
    leader.take();
    leader.core.stopped();
    expect(leader.core).to.include({ role: 'follower', leader: null, term: 2 });
    expect(leader.take()).to.deep.equal([]);
    expect(leader.receive(c, 3, append({})).core).to.include({ role: 'follower', leader: c, term: 3, electionTimeoutTicks: electionTicks });
  });

  it('goes on where nobody can have replaced it, and is nothing to a follower', () => {
    const sole = new TestServer(a, members([a])).tick();
    expect(sole.core.role).to.equal('leader');
    sole.core.stopped();
    expect(sole.core.role).to.equal('leader');
    const one = follower();
    one.core.stopped();
    expect(one.core).to.include({ role: 'follower', leader: b });
  });
});

describe('a leader that was deposed and is alive', () => {
  /** Follows b in term 1, then campaigns in term 2. */
  const candidate = (): TestServer => follower().tick(electionTicks).receive(c, 2, granted);

  it('is known by an append of its term: one sight doubles the timeout', () => {
    const server = candidate();
    expect(server.core).to.include({ role: 'candidate', term: 2 });
    for (let more = 0; more < 5; more++) server.receive(b, 1, append({}));
    expect(server.core.electionTimeoutTicks).to.equal(2 * electionTicks);
  });

  it('is known by its refusal of the pre-vote, which it reads before it learns of its successor', () => {
    const server = candidate().receive(c, 2, { type: 'voteReply', granted: true });
    expect(server.receive(b, 1, refusal).core).to.include({ role: 'leader', electionTimeoutTicks: 2 * electionTicks });
  });

  it('is known to those who only voted, as well', () => {
    const server = follower().tick(electionTicks);
    server.receive(c, 2, { type: 'vote', lastIndex: 0 as never, lastTerm: 0 as never, transfer: false }).receive(b, 1, append({}));
    expect(server.core.electionTimeoutTicks).to.equal(2 * electionTicks);
  });

  it('teaches little when its last words were under way for long', () => {
    const server = candidate().tick(1_000);
    expect(server.receive(b, 1, append({})).core.electionTimeoutTicks).to.equal(2 * electionTicks);
  });

  it('teaches nothing when it was heard of just before: it handed over', () => {
    const server = follower().tick().receive(b, 1, { type: 'timeoutNow' });
    expect(server.core).to.include({ role: 'candidate', term: 2 });
    expect(server.receive(b, 1, append({})).core.electionTimeoutTicks).to.equal(electionTicks);
  });

  it('is not taken for another server of that term', () => {
    const server = candidate().receive(c, 1, refusal).receive(b, 0, append({}));
    expect(server.core.electionTimeoutTicks).to.equal(electionTicks);
  });
});

describe('a candidate', () => {
  it('whose votes come when it has given up waits longer the next time', () => {
    const server = new TestServer(a, members([a, b, c])).tick(electionTicks).receive(b, 1, granted);
    expect(server.core.role).to.equal('candidate');
    server.tick(electionTicks);
    expect(server.core.role).to.equal('preCandidate');
    expect(server.receive(b, 1, { type: 'voteReply', granted: true }).core.electionTimeoutTicks).to.equal(2 * electionTicks);
  });
});

describe('check-quorum', () => {
  const leader = (): TestServer => new TestServer(a, members([a, b, c])).elect(b).accept(b, 1);

  it('waits twice as long as answers of a quorum were late', () => {
    const server = leader()
      .tick(electionTicks - 1)
      .accept(c, 1);
    expect(server.core.electionTimeoutTicks).to.equal(18);
    server.core.propose([bytes('somebody waits for it')]);
    expect(server.tick(17).core.role).to.equal('leader');
    expect(server.tick().core.role).to.equal('follower');
  });

  it('cares for the quorum, not for the slowest', () => {
    const server = leader();
    for (let i = 0; i < 50; i++) server.tick(2).accept(b, 1);
    expect(server.accept(c, 1).core.electionTimeoutTicks).to.equal(electionTicks);
  });

  it('learns from answers that come when the leader has just stepped down', () => {
    const server = leader().tick(electionTicks);
    expect(server.core.role).to.equal('follower');
    expect(server.accept(b, 1).accept(c, 1).core).to.include({ role: 'follower', electionTimeoutTicks: 2 * electionTicks });
  });

  it('ends the leadership of a server that is cut off within a bounded time, whatever was learnt', () => {
    const server = leader();
    for (let i = 1; i <= 20; i++) server.tick(Math.min(server.core.electionTimeoutTicks, most) - 1).accept(b, 1);
    expect(server.core).to.include({ role: 'leader', electionTimeoutTicks: most });
    expect(server.tick(most).core.role).to.equal('follower');
  });
});
