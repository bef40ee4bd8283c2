import { brokenModes } from './broken.js';
import type { BrokenName } from './broken.js';
import { Cluster } from './cluster.js';
import type { Trace } from './cluster.js';
import type { Counts } from './counts.js';
import { Prng } from './prng.js';
import { drawProfile } from './profile.js';
import type { SimulatedServer } from './server.js';

/** The default number of steps with faults: enough for several elections between crashes. */
export const defaultSteps = 5_000;

export interface SimulationOptions {
  readonly seed: number;
  /** Events with faults; recovery follows. */
  readonly steps: number;
  readonly servers: 3 | 5 | null;
  readonly broken: BrokenName;
}

/** After the faults, a leader must exist, commit, and bring all members up to date within this many election timeouts ... */
const livenessElectionTimeouts = 30;
/** ... and this time for each missing entry: some schedules send one entry a message, one at a time. */
const instantsPerEntry = 20;

/** A schedule that broke a rule. The message says how to repeat it. */
export class SimulationFailure extends Error {
  constructor(
    readonly options: SimulationOptions,
    readonly step: number,
    cause: unknown,
  ) {
    super(
      `seed ${options.seed}, step ${step}: ${cause instanceof Error ? cause.message : String(cause)}\nreplay: ${replayCommand(options)}`,
      { cause },
    );
  }
}

export function replayCommand({ seed, steps, servers, broken }: SimulationOptions): string {
  const extra = (servers === null ? '' : ` --servers ${servers}`) + (broken === 'none' ? '' : ` --broken ${broken}`);
  return `npm run simulate -- --seed ${seed} --steps ${steps}${extra}`;
}

/** Runs one schedule: faults, then recovery. Throws a SimulationFailure; equal options have equal results. */
export function simulate(options: SimulationOptions, trace: Trace | null = null): Counts {
  const prng = new Prng(options.seed);
  const cluster = new Cluster(prng, drawProfile(prng, options.servers), brokenModes[options.broken], trace);
  try {
    while (cluster.counts.steps < options.steps) cluster.step();
    comesToLife(cluster);
  } catch (cause) {
    throw new SimulationFailure(options, cluster.counts.steps, cause);
  }
  return cluster.counts;
}

function comesToLife(cluster: Cluster): void {
  cluster.heal();
  const { timeline, profile } = cluster;
  const lag =
    Math.max(...cluster.servers.map((server) => server.disk.lastIndex)) - Math.min(...cluster.servers.map((server) => server.store.index));
  const deadline = timeline.now + livenessElectionTimeouts * profile.electionTicks * profile.tickInstants + lag * instantsPerEntry;
  const target: Target = { index: 0, nextWrite: 0 };
  while (!isAlive(cluster, target)) {
    if (timeline.now > deadline)
      throw new Error(`liveness: ${livenessElectionTimeouts} election timeouts after all faults ended, ${describe(cluster)}`);
    cluster.step();
  }
}

interface Target {
  index: number;
  nextWrite: number;
}

/** A leader must have committed something new, and all members must have applied as much. */
function isAlive(cluster: Cluster, target: Target): boolean {
  const [leader] = cluster.leaders();
  if (leader?.core == null) return false;
  target.index ||= cluster.checker.chosenIndex + 1;
  if (cluster.checker.chosenIndex < target.index) {
    // Clients retry: a leader refuses when it hands over or is full.
    if (cluster.timeline.now < target.nextWrite) return false;
    target.nextWrite = cluster.timeline.now + cluster.profile.tickInstants;
    cluster.write(leader);
    return false;
  }
  const members = leader.core.membership.members.map((member) => cluster.servers.find((server) => server.id === member.id));
  return members.every((server) => server !== undefined && server.store.index >= target.index);
}

function describe(cluster: Cluster): string {
  const show = (server: SimulatedServer): string =>
    `${server.id} ${server.core?.role ?? 'down'} term ${server.term} commit ${server.core?.commit ?? 0} applied ${server.store.index} last ${server.disk.lastIndex}`;
  return cluster.servers.map(show).join('; ');
}
