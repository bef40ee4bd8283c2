import type { Prng } from './prng.js';

export const faultKinds = ['crash', 'crashLeader', 'powerFailure', 'partition', 'oneWayPartition', 'stall'] as const;
/** Operations on a running cluster. */
export const operationKinds = ['compact', 'membership', 'transfer', 'unreachable', 'campaignSoon', 'stopped', 'expectWord'] as const;
export type FaultKind = (typeof faultKinds)[number];
export type OperationKind = (typeof operationKinds)[number];

/** The parameters of one schedule. Times are instants; a server ticks about every `tickInstants`. */
export interface Profile {
  readonly servers: number;
  readonly tickInstants: number;
  readonly heartbeatTicks: number;
  readonly electionTicks: number;
  readonly delayMax: number;
  readonly drop: number;
  readonly duplicate: number;
  readonly longDelay: number;
  /** Per mille of Readys that run in stages, interleaved with other events. */
  readonly staged: number;
  readonly stageDelayMax: number;
  /** Per mille of messages about durable data after which the sender crashes at once. */
  readonly crashAfterPromise: number;
  /** Per mille of new leaders that crash after a few message delays. */
  readonly crashAfterElection: number;
  /** Mean time between faults. */
  readonly faultEvery: number;
  readonly faults: readonly [FaultKind, ...FaultKind[]];
  /** Mean time between operations. */
  readonly operationEvery: number;
  readonly operations: readonly [OperationKind, ...OperationKind[]];
  readonly downMax: number;
  readonly cutMax: number;
  readonly clientEvery: number;
  readonly reads: number;
  readonly sizes: {
    readonly appendBytesMax: number;
    readonly inflightMax: number;
    readonly uncommittedBytesMax: number;
    readonly committedBytesMax: number;
    readonly tailBytesMax: number;
  };
}

/**
 * Elections follow one another without pause: candidates of one term meet, voters crash right after voting, and leaders crash with unreplicated entries. The
 * rules on votes and older terms rarely matter otherwise.
 */
function drawElectionStorm(prng: Prng, { sizes }: Profile): Partial<Profile> {
  return {
    electionTicks: 4,
    delayMax: prng.pick([12, 20, 30]),
    staged: 0,
    crashAfterPromise: prng.pick([30, 80]),
    crashAfterElection: prng.pick([300, 700]),
    downMax: prng.pick([3, 20, 60]),
    faults: ['crash', 'oneWayPartition', 'partition'],
    clientEvery: prng.pick([4, 10]),
    reads: 100,
    sizes: { ...sizes, appendBytesMax: 1, inflightMax: 1, uncommittedBytesMax: 2_000 },
  };
}

/** Servers join and leave continuously, also during leader changes, to test the limits on membership changes. */
function drawMembershipStorm(prng: Prng): Partial<Profile> {
  return {
    electionTicks: prng.pick([4, 6]),
    operationEvery: prng.pick([5, 15]),
    operations: ['membership', 'membership', 'membership', 'compact', 'transfer'],
    faults: ['crashLeader', 'partition', 'oneWayPartition'],
    faultEvery: prng.pick([60, 150]),
    cutMax: 150,
    downMax: prng.pick([20, 100]),
    crashAfterPromise: 0,
  };
}

/** Each schedule omits some faults and makes others frequent, so that rare combinations occur ("swarm testing"). */
export function drawProfile(prng: Prng, servers: number | null): Profile {
  const profile = drawCalm(prng, servers);
  const storm = prng.pick([null, null, drawElectionStorm, drawElectionStorm, drawMembershipStorm]);
  return storm === null ? profile : { ...profile, ...storm(prng, profile) };
}

function drawCalm(prng: Prng, servers: number | null): Profile {
  const faults = faultKinds.filter(() => prng.chance(500));
  return {
    servers: servers ?? prng.pick([3, 5]),
    tickInstants: 10,
    heartbeatTicks: prng.pick([1, 2]),
    // With 12, an idle leader first sends half as often; with all values it then quiesces.
    electionTicks: prng.pick([4, 6, 8, 12]),
    delayMax: prng.pick([1, 5, 12, 30]),
    drop: prng.pick([0, 10, 50, 150]),
    duplicate: prng.pick([0, 20, 100]),
    longDelay: prng.pick([0, 0, 10, 50]),
    staged: prng.pick([0, 200, 1000]),
    stageDelayMax: prng.pick([1, 5, 20]),
    crashAfterPromise: prng.pick([0, 0, 4, 30]),
    crashAfterElection: prng.pick([0, 0, 150, 500]),
    faultEvery: prng.pick([100, 200, 400, 1000]),
    faults: [prng.pick(['crash', 'crashLeader']), ...faults],
    operationEvery: prng.pick([20, 60, 200]),
    operations: ['compact', ...operationKinds.filter(() => prng.chance(500))],
    downMax: prng.pick([3, 30, 150, 400]),
    cutMax: prng.pick([40, 150, 400]),
    clientEvery: prng.pick([4, 10, 30]),
    reads: prng.pick([100, 300, 600]),
    sizes: {
      appendBytesMax: prng.pick([1, 200, 1 << 16]),
      inflightMax: prng.pick([1, 3, 16]),
      uncommittedBytesMax: prng.pick([200, 2_000, 8_000]),
      committedBytesMax: prng.pick([1, 300, 1 << 20]),
      tailBytesMax: prng.pick([1, 500, 1 << 20]),
    },
  };
}

/** A working network and machines, on which the cluster must recover. */
export function healed(profile: Profile): Profile {
  return {
    ...profile,
    delayMax: 3,
    drop: 0,
    duplicate: 0,
    longDelay: 0,
    staged: 0,
    crashAfterPromise: 0,
    crashAfterElection: 0,
    clientEvery: 0,
  };
}
