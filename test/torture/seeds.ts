import fs from 'node:fs';
import path from 'node:path';
import { faultsLine } from './judgement.js';
import { torture, type TortureOptions, type TortureReport } from './torture.js';

export interface SeedsOptions extends Omit<TortureOptions, 'faultsMs'> {
  /** Number of seeds from `seed` on. */
  readonly count: number;
  /** The time of faults over all seeds. */
  readonly faultsMs: number;
  /** Keeps data and logs also of seeds without findings. */
  readonly keep: boolean;
}

export interface SeedReport extends TortureReport {
  readonly seed: number;
}

/** Runs the seeds, each with its own cluster and an equal share of the time, until the first with findings. */
export async function tortureSeeds({
  seed,
  count,
  faultsMs,
  directory,
  keep,
  progress,
  ...options
}: SeedsOptions): Promise<readonly SeedReport[]> {
  const reports: SeedReport[] = [];
  for (let n = 0; n < count; n++) {
    const place = path.join(directory, `seed-${seed + n}`);
    progress(
      `seed ${seed + n} (${n + 1} of ${count}): faults for ${(faultsMs / count / 60_000).toFixed(1)} minutes; log: ${place}/torture.log`,
    );
    const report = await torture({
      ...options,
      seed: seed + n,
      faultsMs: faultsMs / count,
      directory: place,
      progress: (line) => {
        progress(`  ${line}`);
      },
    });
    reports.push({ ...report, seed: seed + n });
    if (report.findings.length > 0) break;
    if (!keep) fs.rmSync(place, { recursive: true, force: true });
  }
  return reports;
}

const columns: readonly (readonly [title: string, cell: (report: SeedReport) => string])[] = [
  ['seed', ({ seed }) => String(seed)],
  ['rounds', ({ rounds }) => String(rounds)],
  ['requests', ({ figures }) => String(figures.requests)],
  ['writes', ({ figures }) => String(figures.writes)],
  ['unknown', ({ figures }) => String(figures.unknown)],
  ['expired', ({ figures }) => String(figures.expired)],
  ['silence s', ({ figures }) => (figures.longestSilenceMs / 1000).toFixed(1)],
  ['with a majority s', ({ figures }) => (figures.workingSilenceMs / 1000).toFixed(1)],
  ['memory MiB', ({ figures }) => String(Math.round(figures.residentBytes / (1 << 20)))],
  ['files MiB', ({ figures }) => String(Math.round(figures.fileBytes / (1 << 20)))],
  ['undecided', ({ figures }) => String(figures.undecided.length)],
  ['findings', ({ findings }) => String(findings.length)],
  ['faults', ({ figures }) => faultsLine(figures.faults)],
];

/** One line for each seed: operations, faults and peaks. Pure. */
export function tableOf(reports: readonly SeedReport[]): string {
  const rows = [columns.map(([title]) => title), ...reports.map((report) => columns.map(([, cell]) => cell(report)))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) => row.map((cell, at) => (at === columns.length - 1 ? cell : cell.padStart(widths[at]!))).join('  ')).join('\n');
}
