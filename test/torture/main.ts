/** `npm run torture`: breaks a cluster of real processes in every way it knows, and checks what `docs/promises.md` says. Exit status 1 when a promise did not hold. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { faultKinds, type FaultKind } from './faults/table.js';
import { torture } from './torture.js';

interface Options {
  readonly seed: number;
  readonly minutes: number;
  readonly only: readonly FaultKind[] | undefined;
  readonly keep: boolean;
}

const seedMax = 2 ** 31 - 1;
const minutesMax = 7 * 24 * 60;

const examples = `
Examples:
  npm run torture -- --minutes 60 --seed 7                     an hour of everything
  npm run torture -- --minutes 0.5                             half a minute, with a seed that is told
  npm run torture -- --minutes 5 --only partition,replaceWiped members cut off and replaced, nothing else

A seed gives the same faults at the same times; what they meet depends on the machine's own timing. On a finding the data, the logs of all
processes and torture.log, the list of what happened when, stay where the last line says.
`;

function number(from: number, to: number, whole: boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= from && value <= to) || (whole && !Number.isInteger(value))) throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${from} to ${to}.`);
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
    .description('Runs three API servers and a balancer, kills, stops, cuts off, restarts and replaces them under traffic, and checks every promise to clients.')
    .option('--minutes <n>', 'how long faults begin', number(0.05, minutesMax, false), 1)
    .option('--seed <n>', 'draws faults and traffic', number(0, seedMax, true), Date.now() % seedMax)
    .option('--only <faults>', `some of ${faultKinds.join(', ')}`, kinds)
    .option('--keep', 'keep data and logs also when nothing is found', false)
    .allowExcessArguments(false)
    .addHelpText('after', examples)
    .parse()
    .opts<Options>();
}

const print = (line: string): void => { process.stdout.write(`${line}\n`); };

async function run({ seed, minutes, only, keep }: Options): Promise<void> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'torture-'));
  const faultsMs = minutes * 60_000;
  print(`seed ${seed}: faults for ${minutes} minutes; log: ${directory}/torture.log`);
  const { findings, rounds } = await torture({ seed, faultsMs, directory, kinds: only, progress: print });
  if (findings.length === 0 && !keep) fs.rmSync(directory, { recursive: true, force: true });
  if (findings.length > 0) process.exitCode = 1;
  print(findings.length === 0 ? `seed ${seed}: every promise held in ${rounds} rounds` : `BROKEN seed ${seed}, round ${rounds}: ${findings.length} findings; everything is kept in ${directory}`);
}

await run(parse());
