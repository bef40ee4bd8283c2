/** `npm run torture`: breaks a cluster of real processes and checks `docs/promises.md`. Exits with 1 when a promise is violated. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { storeKinds } from '../../deploy/settings.js';
import type { TortureStore } from './cluster/tortureCluster.js';
import { faultKinds, faultKindsOver, type FaultKind } from './faults/table.js';
import { pointsLine } from './judgement.js';
import { tableOf, tortureSeeds } from './seeds.js';

interface Options {
  readonly seed: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly only: readonly FaultKind[] | undefined;
  readonly threads: number;
  readonly store: TortureStore;
  readonly keep: boolean;
}

const seedMax = 2 ** 31 - 1;
const seedsMax = 10_000;
const minutesMax = 7 * 24 * 60;
/** A shorter time hardly begins a seed's faults. */
const minutesPerSeedMin = 0.05;

const examples = `
Examples:
  npm run torture -- --minutes 60 --seed 7                     an hour of everything
  npm run torture -- --minutes 60 --seeds 20 --seed 100        three minutes each of the seeds 100 to 119, and a table
  npm run torture -- --minutes 0.5                             half a minute, with a seed that is printed
  npm run torture -- --minutes 5 --only partition,replaceWiped members cut off and replaced, nothing else
  npm run torture -- --minutes 10 --only protocolErrors        one kind of attacker alone, for ten minutes
  npm run torture -- --store etcd --minutes 10                 three servers over three members of an etcd, which must be installed

Each seed has a cluster of its own. A seed gives the same faults at the same times; what they meet depends on the machine's own timing. On a finding the data, the logs of all
processes and torture.log, the list of what happened when, stay where the last line says.
`;

function number(from: number, to: number, whole: boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= from && value <= to) || (whole && !Number.isInteger(value)))
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${from} to ${to}.`);
    return value;
  };
}

function kinds(text: string): readonly FaultKind[] {
  const names = text.split(',');
  const unknown = names.filter((name) => !faultKinds.some((kind) => kind === name));
  if (unknown.length > 0) throw new InvalidArgumentError(`No such fault: ${unknown.join(', ')}. There are ${faultKinds.join(', ')}.`);
  return faultKinds.filter((kind) => names.includes(kind));
}

function parse(): Options {
  return new Command('torture')
    .description(
      'Runs three API servers and a balancer, kills, stops, cuts off, restarts and replaces them under traffic, and checks every promise to clients.',
    )
    .option('--minutes <n>', 'how long faults begin', number(minutesPerSeedMin, minutesMax, false), 1)
    .option(
      '--seed <n>',
      'draws faults and traffic; the first of several',
      number(0, seedMax - seedsMax, true),
      Date.now() % (seedMax - seedsMax),
    )
    .option(
      '--seeds <n>',
      'how many seeds share the time, one after the other; ends with the first that finds something',
      number(1, seedsMax, true),
      1,
    )
    .option('--only <faults>', `some of ${faultKinds.join(', ')}`, kinds)
    .option('--threads <n>', 'serving threads of each API server', number(1, 8, true), 1)
    .addOption(
      new Option('--store <kind>', 'where the servers keep their objects: themselves, or an etcd, whose members are broken as well')
        .choices(storeKinds)
        .default('raft'),
    )
    .option('--keep', 'keep data and logs also when nothing is found', false)
    .allowExcessArguments(false)
    .addHelpText('after', examples)
    .parse()
    .opts<Options>();
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function run({ seed, seeds, minutes, only, threads, store, keep }: Options): Promise<void> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'torture-'));
  const reports = await tortureSeeds({
    seed,
    count: seeds,
    faultsMs: minutes * 60_000,
    directory,
    kinds: only,
    threads,
    store,
    keep,
    progress: print,
  });
  const broken = reports.find(({ findings }) => findings.length > 0);
  if (broken === undefined && !keep) fs.rmSync(directory, { recursive: true, force: true });
  if (broken !== undefined) process.exitCode = 1;
  print(`\n${tableOf(reports)}\n`);
  // Fail points exist only in servers that store objects themselves.
  if (store === 'raft') print(`${pointsLine(new Set(reports.flatMap(({ figures }) => [...figures.pointsMet])))}\n`);
  const rounds = reports.reduce((sum, report) => sum + report.rounds, 0);
  print(
    broken === undefined
      ? `seed${seeds === 1 ? ` ${seed}` : `s ${seed} to ${seed + seeds - 1}`}: every promise held in ${rounds} rounds`
      : `BROKEN seed ${broken.seed}, round ${broken.rounds}: ${broken.findings.length} findings; everything is kept in ${directory}`,
  );
}

/** The error of options that are valid alone but not together, or null. */
function contradiction({ minutes, seeds, only = [], store }: Options): string | null {
  if (minutes / seeds < minutesPerSeedMin)
    return `${seeds} seeds in ${minutes} minutes leave less than ${minutesPerSeedMin} minutes for each`;
  const possible = faultKindsOver(store);
  const impossible = only.filter((kind) => !possible.includes(kind));
  return impossible.length === 0 ? null : `with --store ${store} there is no ${impossible.join(', ')}; there are ${possible.join(', ')}`;
}

const options = parse();
const wrong = contradiction(options);
if (wrong !== null) {
  process.stderr.write(`error: ${wrong}\n`);
  process.exitCode = 2;
} else {
  await run(options);
}
