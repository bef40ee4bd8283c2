import fs from 'node:fs';
import path from 'node:path';
import { Prng } from '../simulation/prng.js';
import type { Finding } from './checks/finding.js';
import { TortureCluster, type TortureStore } from './cluster/tortureCluster.js';
import { dealKinds } from './faults/plan.js';
import { faultKindsOver, type FaultKind } from './faults/table.js';
import { addFigures, describeFigures, type Figures } from './judgement.js';
import { runRound } from './round.js';

export interface TortureOptions {
  readonly seed: number;
  /** The time of faults over all rounds. */
  readonly faultsMs: number;
  /** The folder for data, certificates and logs. */
  readonly directory: string;
  readonly kinds?: readonly FaultKind[] | undefined;
  readonly threads?: number;
  /** Default: in the servers. */
  readonly store?: TortureStore;
  /** Receives progress lines. `torture.log` in the directory has all lines. */
  readonly progress: (line: string) => void;
}

export interface TortureReport {
  readonly rounds: number;
  readonly findings: readonly Finding[];
  /** Totals of all rounds. */
  readonly figures: Figures;
}

/** Checks follow each round, so memory and the time to a finding are bounded. */
const roundMsMax = 60_000;
const startMs = 120_000;

/** Tests one cluster in rounds; ends after the first round with findings. */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const { seed, directory, progress, threads = 1, store = 'raft' } = options;
  const started = performance.now();
  fs.mkdirSync(directory, { recursive: true });
  const file = fs.openSync(path.join(directory, 'torture.log'), 'a');
  const log = (line: string): void => {
    fs.writeSync(file, `${((performance.now() - started) / 1000).toFixed(3).padStart(9)} ${line}\n`);
  };
  const say = (line: string): void => {
    log(line);
    progress(line);
  };
  const network = new Prng(seed);
  const cluster = await TortureCluster.start(directory, network.below, { threads, store });
  try {
    if (!(await cluster.whole(startMs))) throw new Error(`the cluster did not start; see ${directory}/logs`);
    return await rounds(cluster, options, log, say);
  } finally {
    await cluster.stop();
    fs.closeSync(file);
  }
}

async function rounds(
  cluster: TortureCluster,
  { seed, faultsMs, store = 'raft', kinds = faultKindsOver(store) }: TortureOptions,
  log: (line: string) => void,
  say: (line: string) => void,
): Promise<TortureReport> {
  const seeds = new Prng(seed);
  const dealt = dealKinds(seeds.below(2 ** 31), Math.ceil(faultsMs / roundMsMax), kinds);
  let left = faultsMs;
  let total: Figures | null = null;
  for (let round = 1; ; round++) {
    const roundMs = Math.min(left, roundMsMax);
    left -= roundMs;
    const { findings, figures } = await runRound(cluster, {
      seed: seeds.below(2 ** 31),
      namespace: `torture-${round}`,
      faultsMs: roundMs,
      kinds,
      first: dealt[round - 1],
      log,
    });
    total = total === null ? figures : addFigures(total, figures);
    say(`round ${round}: ${describeFigures(figures)}`);
    for (const { promise, details } of findings) say(`FOUND ${promise}: ${details}`);
    if (findings.length > 0 || left <= 0) return { rounds: round, findings, figures: total };
  }
}
