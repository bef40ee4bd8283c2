import { expect } from 'chai';
import { raftRules } from '../../raft/core/core.js';
import { limits } from '../../raft/core/limits.js';
import { Machine } from '../../raft/core/machine.js';
import { brokenModes } from './broken.js';
import type { BrokenMode } from './broken.js';
import { Cluster } from './cluster.js';
import { Prng } from './prng.js';
import { drawProfile } from './profile.js';
import type { Profile } from './profile.js';

// Reliable machines and networks on which everything is late. A leader must become stable, unlike with fixed timeouts.

const seedCount = 6;
const electionInstants = 40;
/** Half to adapt, half to measure. */
const duration = 400 * electionInstants;

interface Outcome {
  readonly elections: number;
  readonly writes: number;
  readonly silence: number;
}

/** An own profile, independent of other schedules. */
const quiet = (seed: number): Profile => ({
  ...drawProfile(new Prng(seed), 3),
  tickInstants: 10,
  heartbeatTicks: 1,
  electionTicks: 4,
  delayMax: 1,
  drop: 0,
  duplicate: 0,
  longDelay: 0,
  staged: 0,
  crashAfterPromise: 0,
  crashAfterElection: 0,
  operationEvery: 1_000_000,
  faultEvery: 1_000_000,
  clientEvery: 10,
  reads: 0,
  sizes: { appendBytesMax: 1 << 16, inflightMax: 16, uncommittedBytesMax: 8_000, committedBytesMax: 1 << 20, tailBytesMax: 1 << 20 },
});

const starvedThreads: Partial<Profile> = { faults: ['stall'], faultEvery: 60, cutMax: 3 * electionInstants };
const slowNetwork: Partial<Profile> = { delayMax: 4 * electionInstants };

const withTimeoutsUpTo = (adaptiveTimeoutsMax: number): BrokenMode => ({
  ...brokenModes.none,
  makeCore: (options) => new Machine(options, { ...raftRules, adaptiveTimeoutsMax }),
});

function lateCluster(seed: number, around: Partial<Profile>, mode: BrokenMode): Cluster {
  return new Cluster(new Prng(seed), { ...quiet(seed), ...around }, mode, null);
}

function runTo(cluster: Cluster, end: number, watch: () => void = () => undefined): void {
  while (cluster.timeline.now < end) {
    cluster.step();
    watch();
  }
}

function run(seed: number, around: Partial<Profile>, mode: BrokenMode): Outcome {
  const cluster = lateCluster(seed, around, mode);
  runTo(cluster, duration / 2);
  const { elections, writesAcknowledged } = cluster.counts;
  let silence = 0;
  let chosen = { index: cluster.checker.chosenIndex, at: cluster.timeline.now };
  runTo(cluster, duration, () => {
    silence = Math.max(silence, cluster.timeline.now - chosen.at);
    if (cluster.checker.chosenIndex > chosen.index) chosen = { index: cluster.checker.chosenIndex, at: cluster.timeline.now };
  });
  return { elections: cluster.counts.elections - elections, writes: cluster.counts.writesAcknowledged - writesAcknowledged, silence };
}

describe('simulation of machines that are late', function () {
  const learnt = withTimeoutsUpTo(limits.adaptiveTimeoutsMax);
  const fixed = withTimeoutsUpTo(1);
  const seeds = Array.from({ length: seedCount }, (_, at) => at + 1);
  const elections = (outcomes: readonly Outcome[]): number => outcomes.reduce((sum, outcome) => sum + outcome.elections, 0);

  it('threads that get no processor for up to three election timeouts: leaders stay, which fixed timeouts depose without end', () => {
    expect(elections(seeds.map((seed) => run(seed, starvedThreads, learnt))), 'in all schedules together').to.be.at.most(seedCount);
    for (const seed of seeds) expect(run(seed, starvedThreads, fixed).elections, `seed ${seed}, fixed`).to.be.at.least(10);
  });

  it('messages that are up to four election timeouts late: a leader is found and works, which with fixed timeouts hardly ever happens', () => {
    for (const seed of seeds) {
      const { writes, silence } = run(seed, slowNetwork, learnt);
      expect(writes, `writes, seed ${seed}`).to.be.greaterThan(1_000);
      expect(silence, `the longest silence, seed ${seed}`).to.be.lessThan(10 * electionInstants);
      expect(run(seed, slowNetwork, fixed).writes, `writes, seed ${seed}, fixed`).to.be.at.most(writes / 20);
    }
  });

  it('is forgotten when the machines are well again: the next leader is found as soon as ever', () => {
    for (const seed of seeds) {
      const cluster = lateCluster(seed, starvedThreads, learnt);
      runTo(cluster, duration / 2);
      cluster.heal();
      runTo(cluster, duration);
      const timeouts = cluster.running().map(({ core }) => core?.electionTimeoutTicks);
      expect(timeouts, `seed ${seed}`).to.deep.equal([4, 4, 4]);
    }
  });
});

describe('simulation of clusters in which nobody wants anything', () => {
  const timing = { heartbeatTicks: 2, electionTicks: 20 };
  const electionTime = timing.electionTicks * 10;
  const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
  /** Long after the first election; the seed varies the moment in the leader's pause. */
  const idle = (seed: number): Cluster => {
    const cluster = lateCluster(seed, { ...timing, clientEvery: 0 }, brokenModes.none);
    runTo(cluster, 10 * electionTime + 17 * seed);
    return cluster;
  };
  const hang = (cluster: Cluster): void => {
    const [leader] = cluster.leaders();
    if (leader !== undefined) leader.stalledUntil = Infinity;
  };
  const hasAnother = (cluster: Cluster): boolean => cluster.leaders().some(({ stalledUntil }) => stalledUntil === 0);
  const replacedAfter = (cluster: Cluster, watch: () => void): number => {
    const begun = cluster.timeline.now;
    hang(cluster);
    while (!hasAnother(cluster)) {
      cluster.step();
      watch();
    }
    return cluster.timeline.now - begun;
  };

  it('has one leader for good, who says so with few messages, and nobody learns to wait longer', () => {
    for (const seed of seeds) {
      const cluster = idle(seed);
      const { elections, messagesDelivered } = cluster.counts;
      runTo(cluster, cluster.timeline.now + 200 * electionTime);
      expect(cluster.counts.elections - elections, `seed ${seed}`).to.equal(0);
      // Two messages and two answers in each pause of 0.7 election timeouts.
      expect(cluster.counts.messagesDelivered - messagesDelivered, `seed ${seed}`).to.be.within(1_000, 1_250);
      expect(
        cluster.running().map(({ core }) => core?.electionTimeoutTicks),
        `seed ${seed}`,
      ).to.deep.equal([20, 20, 20]);
    }
  });

  it('replaces a leader that hangs within two election timeouts of when somebody wants something, and within another pause in any case', () => {
    const few = electionTime / 5;
    for (const seed of seeds) {
      const wanted = idle(seed);
      const impatient = (): void => {
        for (const { core } of wanted.running()) core?.expectHeartbeat();
      };
      expect(replacedAfter(wanted, impatient), `seed ${seed}, wanted`).to.be.at.most(2 * electionTime + few);
      expect(
        replacedAfter(idle(seed), () => undefined),
        `seed ${seed}, not wanted`,
      ).to.be.at.most(2.7 * electionTime + few);
    }
  });
});
