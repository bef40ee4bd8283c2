import { expect } from 'chai';
import { a, append, b, bytes, c, members, TestCluster, TestServer } from './harness.js';

const timing = { heartbeatTicks: 2, electionTicks: 20 };

describe('a core that has nothing to do', () => {
  it('does nothing before the ticks are over for which its owner may sleep, whatever it is', () => {
    const follower = new TestServer(a, members([a, b, c]), { ...timing, random: () => 7 }).receive(b, 1, append({}));
    follower.take();
    expect(follower.core.restTicks).to.equal(28);
    follower.tick(5);
    expect(follower.core.restTicks).to.equal(23);
    follower.tick(22);
    expect(follower.core.restTicks).to.equal(1);
    expect(follower.take()).to.deep.equal([]);
    expect(follower.tick().takeOf('preVote')).to.have.length(2);

    const leader = new TestServer(a, members([a, b]), timing).tick(40);
    leader.receive(b, 1, { type: 'preVoteReply', granted: true }).receive(b, 1, { type: 'voteReply', granted: true });
    leader.take();
    for (let heartbeats = 0; heartbeats < 5; heartbeats += 1) {
      for (let left = leader.core.restTicks; left > 1; left -= 1) expect(leader.tick().take()).to.deep.equal([]);
      expect(leader.tick().takeOf('append')).to.have.length(1);
    }
  });

  it('may sleep for long where it leads nobody, and not at all before it leads', () => {
    const sole = new TestServer(a, members([a]), timing);
    expect(sole.core.restTicks).to.equal(1);
    sole.tick();
    expect(sole.core.role).to.equal('leader');
    expect(sole.core.restTicks).to.equal(40);
  });
});

describe('an idle leader', () => {
  const intervals = (cluster: TestCluster, count: number): number[] => {
    const found: number[] = [];
    for (let ticks = 1, left = count; left > 0; ticks += 1) {
      let spoke = false;
      cluster.tick(1, (message) => {
        spoke ||= message.from === a && message.to === b && message.type === 'append';
        return false;
      });
      if (!spoke) continue;
      found.push(ticks);
      ticks = 0;
      left -= 1;
    }
    return found;
  };
  const led = (): TestCluster => {
    const cluster = new TestCluster([a, b, c], () => timing);
    cluster.tick(60);
    expect(cluster.at(a).core.role).to.equal('leader');
    return cluster;
  };

  it('speaks half as often once its followers have all that there is, and rarely once it has said so', () => {
    const cluster = led();
    expect(intervals(cluster, 4).slice(1)).to.deep.equal([14, 14, 14]);
    cluster.at(a).core.propose([bytes('x')]);
    cluster.settle();
    expect(intervals(cluster, 3)).to.deep.equal([4, 14, 14]);
    expect([b, c].map((id) => cluster.at(id).core.leader)).to.deep.equal([a, a]);
  });

  it('speaks as usual while one of them lacks something or does not answer', () => {
    const cluster = led();
    intervals(cluster, 1);
    cluster.at(a).core.propose([bytes('x')]);
    cluster.settle((message) => message.to === c || message.from === c);
    const heard: number[] = [];
    for (let tick = 1; tick <= 8; tick += 1)
      cluster.tick(1, (message) => {
        if (message.to === c && message.type === 'append') heard.push(tick);
        return message.to === c || message.from === c;
      });
    expect(heard.slice(1).map((tick, at) => tick - (heard[at] ?? 0))).to.deep.equal([2, 2, 2]);
    // After its return all logs are equal, and the leader is idle.
    cluster.tick(12);
    expect(intervals(cluster, 3).slice(1)).to.deep.equal([14, 14]);
  });

  it('counts a message that everybody is sent anyway, but not while somebody has to be probed', () => {
    const ticksToHeartbeat = (cluster: TestCluster): number => cluster.at(a).core.restTicks;
    const cluster = led();
    intervals(cluster, 1);
    cluster.tick(13);
    expect(ticksToHeartbeat(cluster)).to.equal(1);
    cluster.at(a).core.read(1);
    cluster.settle();
    expect(cluster.at(a).reads).to.have.length(1);
    expect(ticksToHeartbeat(cluster)).to.equal(4);

    cluster.at(a).core.reportUnreachable(c);
    expect(ticksToHeartbeat(cluster)).to.equal(2);
    cluster.tick(1, ({ to, from }) => to === c || from === c);
    cluster.at(a).core.read(2);
    cluster.settle(({ to, from }) => to === c || from === c);
    expect(ticksToHeartbeat(cluster)).to.equal(1);
  });

  it('speaks as usual where half as often would be too little for the election timeout, until it has said that nothing is new', () => {
    for (const [ticks, first, calm] of [
      [18, 3, 12],
      [10, 2, 7],
      [4, 2, 2],
    ] as const) {
      const cluster = new TestCluster([a, b, c], () => ({ heartbeatTicks: 2, electionTicks: ticks }));
      cluster.tick(60);
      cluster.at(a).core.propose([bytes('x')]);
      cluster.settle();
      expect(intervals(cluster, 3), `election timeout of ${ticks} ticks`).to.deep.equal([first, calm, calm]);
    }
  });
});
