import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ReplicaCount } from '../../../deploy/settings.js';
import { withBenchCluster } from '../benchCluster.js';
import { count, milliseconds, printTable } from '../table.js';
import { measures, prepare, type Load, type Measure } from './measures.js';
import { chart, ratios, summary, type Line, type Report, type Turn } from './report.js';
import { otherSubject, residentBytesOf, type OtherServer, type Subject } from './subject.js';
import { oneTurn } from './turn.js';

/** The first seconds with cold code do not count. */
const warmUpSeconds = 4;

/** Options of the comparison. */
export interface ComparisonOptions {
  readonly seconds: number;
  readonly turns: number;
  readonly connections: number;
  /** Parts of the names of measures; empty for all. */
  readonly only: string;
  /** Folder for `bench.json` and `bench.svg`. */
  readonly output: string;
}

export interface AgainstOptions extends ComparisonOptions {
  readonly replicas: ReplicaCount;
  readonly other: OtherServer | null;
}

/** Measures a cluster of this build, optionally against another API server. */
export async function benchAgainst(options: AgainstOptions): Promise<void> {
  const other = options.other ? otherSubject(options.other) : null;
  await withBenchCluster(options.replicas, async ({ endpoints, cluster }) => {
    const pids = cluster.members.map(({ process }) => process.pid ?? 0);
    const subjects = [{ name: `this build, ${options.replicas} replica(s)`, endpoints, pids }, ...(other ? [other] : [])];
    if (other?.pids.length === 0)
      console.error(`  no process of ${other.name} is visible here: its processor time and memory are left out`);
    await compareSubjects(subjects, options);
  });
}

/** Loads all subjects alike, in turns of some seconds. Prints a table that compares the first with each other one, and writes the files. */
export async function compareSubjects(subjects: readonly Subject[], options: ComparisonOptions): Promise<void> {
  const chosen = measures.filter(({ name }) => name.includes(options.only));
  if (chosen.length === 0)
    throw new Error(`no measure has ${JSON.stringify(options.only)} in its name: ${measures.map(({ name }) => name).join('; ')}`);
  const report = await measured(subjects, chosen, options);
  print(report);
  write(report, options.output);
}

async function measured(subjects: readonly Subject[], chosen: readonly Measure[], options: ComparisonOptions): Promise<Report> {
  const { seconds, turns, connections } = options;
  const load: Load = { collection: `/api/v1/namespaces/bench-${Date.now().toString(36)}/configmaps`, connections, seconds };
  const began = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const steps = chosen.length * turns * subjects.length;
  const lines: Line[] = [];
  const cleanings: (() => Promise<void>)[] = [];
  try {
    for (const subject of subjects) cleanings.push(await prepare(subject, load));
    console.error('  warming up');
    for (const subject of subjects) await measures[0]?.run(subject, { ...load, seconds: warmUpSeconds }, turns);
    for (const [at, measure] of chosen.entries()) {
      const found = subjects.map((): Turn[] => []);
      for (let turn = 0; turn < turns; turn++)
        // The order rotates.
        for (let each = 0; each < subjects.length; each++) {
          const index = (each + turn) % subjects.length;
          const subject = subjects[index] as Subject;
          console.error(
            `  ${at * turns * subjects.length + turn * subjects.length + each + 1} of ${steps}: ${measure.name}, ${subject.name}`,
          );
          found[index]?.push(await oneTurn(subject, measure, load, turn));
        }
      lines.push(
        ...subjects.map(({ name }, index) => ({
          measure: measure.name,
          unit: measure.unit,
          subject: name,
          ...summary(found[index] ?? []),
        })),
      );
    }
    const residentBytes = Object.fromEntries(subjects.map((subject) => [subject.name, residentBytesOf(subject)]));
    return { machine: machine(), began, seconds, turns, connections, lines, residentBytes };
  } finally {
    for (const clean of cleanings) await clean();
  }
}

/** The machine, in a line. */
export const machine = (): string =>
  `${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}, Node ${process.versions.node}, load average ${os.loadavg()[0]?.toFixed(1) ?? '?'}`;

const known = (value: number, text: string): string => (Number.isNaN(value) ? '' : text);

function print(report: Report): void {
  const { lines, residentBytes } = report;
  printTable(
    ['measure', 'server', '1/s', 'p50 ms', 'p99 ms', 'server µs', 'generator µs', 'rate ratio', 'µs ratio'],
    lines.map((line) => {
      const found = ratios(lines, line);
      return [
        line.measure,
        line.subject,
        count(line.perSecond),
        milliseconds(line.p50Ms),
        milliseconds(line.p99Ms),
        known(line.serverUs, count(line.serverUs)),
        count(line.generatorUs),
        found ? known(found.rate, found.rate.toFixed(2)) : '',
        found ? known(found.processor, found.processor.toFixed(2)) : '',
      ];
    }),
  );
  for (const [name, bytes] of Object.entries(residentBytes))
    if (!Number.isNaN(bytes)) console.log(`${name}: ${(bytes / 2 ** 20).toFixed(0)} MiB resident after the run`);
  console.log(report.machine);
}

function write(report: Report, folder: string): void {
  fs.mkdirSync(folder, { recursive: true });
  const [json, svg] = [path.join(folder, 'bench.json'), path.join(folder, 'bench.svg')];
  fs.writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  fs.writeFileSync(svg, chart(report));
  console.log(`written: ${json}, ${svg}`);
}
