/** `npm run simulate`: runs seeded schedules of the Raft simulator, or replays one. Exits with 1 when a rule is broken. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { brokenModes } from './broken.js';
import type { BrokenName } from './broken.js';
import type { Trace } from './cluster.js';
import { addCounts, formatCounts, noCounts } from './counts.js';
import { defaultSteps, SimulationFailure, simulate } from './simulation.js';

interface Options {
  readonly seed: number;
  readonly count: number;
  readonly steps: number;
  readonly servers: '3' | '5' | undefined;
  readonly broken: BrokenName;
  readonly trace: true | number | undefined;
}

const seedMax = 2 ** 32 - 1;
const progressEvery = 500;

const examples = `
Examples:
  npm run simulate -- --seed 7                              one schedule
  npm run simulate -- --seed 7 --trace 1900                 the same, telling what happens from step 1900 on
  npm run simulate -- --seed 1 --count 20000                as many seeds as there is patience for
  npm run simulate -- --count 2000 --broken commitOlderTerm the simulator at work: this one must fail
`;

function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < from || value > to)
      throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
    return value;
  };
}

function parse(): Options {
  return new Command('simulate')
    .description("Runs Raft servers on a seeded clock, network and disk, breaks all three, and checks Raft's promises after every step.")
    .option('--seed <n>', 'first seed', wholeNumber(0, seedMax), 1)
    .option('--count <n>', 'how many seeds, counted upwards', wholeNumber(1, seedMax), 1)
    .option(
      '--steps <n>',
      'steps with faults in each schedule; the healing afterwards takes more',
      wholeNumber(1, 10_000_000),
      defaultSteps,
    )
    .addOption(new Option('--servers <n>', 'servers at the start; drawn from the seed otherwise').choices(['3', '5']))
    .addOption(
      new Option('--broken <rule>', 'break a rule on purpose, to see it noticed').choices(Object.keys(brokenModes)).default('none'),
    )
    .option('--trace [step]', 'tell what happens, from this step on', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .allowExcessArguments(false)
    .addHelpText('after', examples)
    .parse()
    .opts<Options>();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tracer(option: Options['trace']): Trace | null {
  if (option === undefined) return null;
  const from = option === true ? 0 : option;
  return (step, time, line) => {
    if (step >= from) print(`${String(step).padStart(7)} ${String(time).padStart(7)}  ${line}`);
  };
}

function run(options: Options): void {
  const { seed: first, count, steps, broken } = options;
  const servers = options.servers === undefined ? null : (Number(options.servers) as 3 | 5);
  const total = noCounts();
  for (let at = 0; at < count; at++) {
    addCounts(total, simulate({ seed: first + at, steps, servers, broken }, tracer(options.trace)));
    if ((at + 1) % progressEvery === 0) print(`${at + 1} of ${count} schedules held`);
  }
  print(`${count === 1 ? `seed ${first}` : `seeds ${first} to ${first + count - 1}`}: every rule held\n${formatCounts(total)}`);
}

try {
  run(parse());
} catch (error) {
  if (!(error instanceof SimulationFailure)) throw error;
  print(`BROKEN ${error.message}`);
  process.exitCode = 1;
}
