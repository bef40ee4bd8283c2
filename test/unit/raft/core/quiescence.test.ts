import { expect } from 'chai';
import type { Message } from '../../../../raft/core/messages.js';
import type { MemberId } from '../../../../raft/types.js';
import { a, append, b, bytes, c, entries, members, TestCluster, TestServer } from './harness.js';

const timing = { heartbeatTicks: 2, electionTicks: 20 };
/** Ticks between messages of an idle leader, and their excess over usual heartbeats. */
const pause = 14;
const patience = pause - timing.heartbeatTicks;
/** The first follower's timeout: the minimum and the share for the others' turns. */
const timeout = timing.electionTicks + 1;

describe('a follower whose leader is idle', () => {
  const word = append({ previous: [1, 1], commit: 1 });
  /** Has one entry of its leader b, knows that it is committed, and has acknowledged it. */
  const follower = (random = 0): TestServer =>
    new TestServer(a, members([a, b, c]), { ...timing, random: () => random })
      .receive(b, 1, append({ entries: entries(1) }))
      .receive(b, 1, append({ previous: [1, 1], commit: 1 }));
  const waits = (server: TestServer): number => {
    let ticks = 0;
    while (server.core.role === 'follower') {
      server.tick();
      ticks += 1;
    }
    return ticks;
  };

  it('waits longer by as much as the leader is quiet, and may sleep as long', () => {
    expect(waits(follower())).to.equal(timeout);
    expect(waits(follower().receive(b, 1, word))).to.equal(timeout + patience);
    expect(follower(5).receive(b, 1, word).core.restTicks).to.equal(timeout + 5 + patience);
  });

  it('waits as usual after a word that tells something: entries, that they are committed, or a round of reads', () => {
    const news = [
      append({ previous: [1, 1], entries: entries(1, 1).slice(1), commit: 1 }),
      append({ previous: [1, 1], commit: 1, round: 1 }),
      append({ previous: [0, 0], commit: 1 }),
    ];
    for (const body of news) expect(waits(follower().receive(b, 1, word).receive(b, 1, body))).to.equal(timeout);
    const reported = follower().receive(b, 1, append({ previous: [1, 1], entries: entries(1, 1).slice(1), commit: 1 }));
    expect(waits(reported.receive(b, 1, append({ previous: [2, 1], commit: 2 })))).to.equal(timeout);
    expect(waits(reported.receive(b, 2, append({ previous: [2, 1], commit: 2 }))), 'the first word of another leader').to.equal(timeout);
  });

  it('waits as usual from when somebody wants something of the leader, who must answer that at once', () => {
    for (const [elapsed, rest] of [
      [0, timeout],
      [2, timeout - 2],
      [10, timeout - 2],
      [14, timeout - 2],
      [30, 3],
    ] as const) {
      const server = follower().receive(b, 1, word).tick(elapsed);
      server.core.expectHeartbeat();
      expect(server.core.restTicks, `after ${elapsed} ticks`).to.equal(rest);
      server.tick();
      // Repeating it changes nothing.
      server.core.expectHeartbeat();
      expect(waits(server) + 1, `after ${elapsed} ticks`).to.equal(rest);
    }
  });

  it('keeps others from disturbing no longer than an election timeout', () => {
    const server = follower().receive(b, 1, word);
    const asked = (): unknown[] =>
      server
        .receive(c, 2, { type: 'preVote', lastIndex: 1 as never, lastTerm: 1 as never, transfer: false })
        .takeOf('preVoteReply')
        .map(({ granted }) => granted);
    server.take();
    server.tick(19);
    expect(asked()).to.deep.equal([false]);
    server.tick();
    expect(asked()).to.deep.equal([true]);
  });

  it('learns of what the leader was late beyond that, whether somebody waited or not', () => {
    const learnt = (silence: number, wantsAt: number | null): number => {
      const server = follower().receive(b, 1, word);
      for (let ticks = 0; ticks < silence; ticks += 1) {
        if (ticks === wantsAt) server.core.expectHeartbeat();
        server.tick();
      }
      return server.receive(b, 1, word).core.electionTimeoutTicks;
    };
    expect(learnt(pause, null)).to.equal(20);
    expect(learnt(patience + 15, null)).to.equal(30);
    expect(learnt(13, 12)).to.equal(20);
    expect(learnt(25, 12)).to.equal(2 * (25 - 10));
  });
});

describe('an idle leader', () => {
  const led = (): TestCluster => {
    const cluster = new TestCluster([a, b, c], () => timing);
    cluster.tick(80);
    expect(cluster.at(a).core.role).to.equal('leader');
    return cluster;
  };
  const hung =
    (id: MemberId) =>
    ({ from, to }: Message): boolean =>
      from === id || to === id;
  /** Ticks until another server leads; `each` runs at each tick. */
  const replacedAfter = (cluster: TestCluster, each: () => void = () => undefined): number => {
    for (let ticks = 1; ; ticks += 1) {
      cluster.tick(1, hung(a));
      if ([b, c].some((id) => cluster.at(id).core.role === 'leader')) return ticks;
      each();
    }
  };
  /** Ticks until just after a message. */
  const toWord = (cluster: TestCluster): void => {
    for (let spoke = false; !spoke;)
      cluster.tick(1, ({ from, type }) => {
        spoke ||= from === a && type === 'append';
        return false;
      });
  };

  it('stays, though every other word to one of its followers is lost', () => {
    const cluster = led();
    let words = 0;
    for (let ticks = 0; ticks < 2_000; ticks += 1)
      cluster.tick(1, ({ from, to, type }) => from === a && to === b && type === 'append' && (words += 1) % 2 === 0);
    expect([a, b, c].map((id) => cluster.at(id).core.term)).to.deep.equal([1, 1, 1]);
    expect(words).to.be.lessThan(2_000 / (pause - 1));
  });

  it('speaks soon after it has answered reads of a follower, which waits for it as for a busy one since', () => {
    const cluster = led();
    toWord(cluster);
    cluster.at(b).core.read(1);
    cluster.settle();
    expect(cluster.at(b).reads).to.have.length(1);
    let ticks = 0;
    for (let spoke = false; !spoke; ticks += 1)
      cluster.tick(1, ({ from, to, type }) => {
        spoke ||= from === a && to === b && type === 'append';
        return false;
      });
    expect(ticks).to.be.at.most(2 * timing.heartbeatTicks);
  });

  it('that hangs is replaced a pause later than a busy one while nobody wants anything, and as soon once somebody does', () => {
    const idle = led();
    toWord(idle);
    const late = replacedAfter(idle);

    const wanted = led();
    toWord(wanted);
    const soon = replacedAfter(wanted, () => wanted.at(b).core.expectHeartbeat());
    expect(late - soon).to.equal(patience);
  });

  it('that is cut off steps down as much later, and as soon as ever after somebody wants something of it', () => {
    const stepsDown = (wantsAt: number | null): number => {
      const cluster = led();
      toWord(cluster);
      const leader = cluster.at(a);
      for (let ticks = 0; ; ticks += 1) {
        if (leader.core.role !== 'leader') return ticks;
        if (ticks === wantsAt) {
          leader.core.propose([bytes('x')]);
          leader.settle();
        }
        leader.tick();
        leader.take();
      }
    };
    expect(stepsDown(null)).to.equal(20 + patience);
    expect(stepsDown(0)).to.equal(20);
    expect(stepsDown(10)).to.equal(10 + 18);
  });

  it('wakes up in time to step down', () => {
    const leader = led();
    toWord(leader);
    const { core } = leader.at(a);
    let ticks = 0;
    while (core.role === 'leader') {
      for (let quiet = core.restTicks; quiet > 1; quiet -= 1, ticks += 1) {
        core.tick();
        expect(core.role).to.equal('leader');
      }
      leader.at(a).tick().take();
      ticks += 1;
    }
    expect(ticks).to.equal(20 + patience);
  });

  it('learns nothing from answers that come with its words', () => {
    const cluster = led();
    for (let words = 0; words < 20; words += 1) {
      toWord(cluster);
      expect(cluster.at(a).core.electionTimeoutTicks).to.equal(20);
    }
  });
});
