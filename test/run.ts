/**
 * Runs every compiled test, several files at a time, and ends with the line `N passed, N failed[, N skipped]`.
 *
 *     node dist/test/run.js [--only unit/raft] [--except cluster/] [--grep TEXT] [--jobs N]
 *
 * The status is 1 when a test failed or none ran.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';
import { FileTimes } from './fileTimes.js';
import { inSources } from './sourcePlaces.js';

/** Ends hung tests; slow ones on a busy machine take less. */
const testTimeoutMs = 180_000;

interface Choice {
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly grep: string | undefined;
  /** Files that run at the same time, each in a process; with 1 they run in this process, for debuggers. */
  readonly jobs: number;
}

/** Tests of clusters start processes, so more files than processors would slow each other. */
const usualJobs = Math.max(2, os.availableParallelism());

function parse(args: readonly string[]): Choice {
  const only: string[] = [];
  const except: string[] = [];
  let grep: string | undefined;
  let jobs = usualJobs;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--help' || arg === '-h') {
      process.stdout.write(
        `usage: npm test -- [--grep TEXT] [--except PART] [--jobs N] [FOLDER-OR-FILE-PART...]

  npm test -- unit/raft        tests whose path contains "unit/raft"
  npm test -- --except unit/   tests whose path does not contain "unit/"
  npm test -- --grep election  tests whose title contains "election"
  npm test -- --jobs 1         one file after the other, in one process (${usualJobs} at a time unless set)
`,
      );
      process.exit(0);
    } else if (arg === '--grep' || arg === '-g') grep = args[++i];
    else if (arg === '--jobs' || arg === '-j') jobs = jobsIn(args[++i]);
    else if (arg === '--only') only.push(args[++i] ?? '');
    else if (arg === '--except') except.push(inTests(args[++i] ?? ''));
    else if (arg.startsWith('-')) {
      process.stderr.write(`unknown option ${arg}; see npm test -- --help\n`);
      process.exit(2);
    } else only.push(inTests(arg));
  }
  return { only, except, grep, jobs };
}

function jobsIn(text: string | undefined): number {
  const jobs = Number(text);
  if (Number.isInteger(jobs) && jobs > 0) return jobs;
  process.stderr.write(`--jobs takes a whole number above 0, not ${text ?? 'nothing'}; see npm test -- --help\n`);
  process.exit(2);
}

/** The path of a compiled test. */
const inTests = (file: string): string => file.replace(/^(dist\/)?test\//, '').replace(/\.ts$/, '.js');

function testFiles(folder: string, { only, except }: Choice): string[] {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .sort();
  const chosen = files
    .filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
    .filter((file) => !except.some((part) => file.includes(part)));
  return chosen.map((file) => path.join(folder, file));
}

/** Long ones begin first, to keep processors busy. In one process the order is reversed, so that simple failures show first. */
function order(file: string, jobs: number): number {
  const kinds = ['unit', 'simulation', 'clients', 'attacks', 'fuzz', 'cluster', 'golden'];
  const place = kinds.findIndex((folder) => file.includes(`${path.sep}test${path.sep}${folder}${path.sep}`));
  return jobs > 1 ? -place : place;
}

/** Modules that parallel test processes load. */
const besideOthers = ['ownPorts.js', 'processorTime.js'].map((file) => fileURLToPath(new URL(file, import.meta.url)));

async function main(): Promise<void> {
  const choice = parse(process.argv.slice(2));
  const { grep } = choice;
  const chosen = testFiles(path.dirname(fileURLToPath(import.meta.url)), choice);
  const jobs = Math.min(choice.jobs, chosen.length);
  const mocha = new Mocha({
    reporter: 'spec',
    timeout: testTimeoutMs,
    ...(jobs > 1 ? { parallel: true, jobs, require: besideOthers } : {}),
    ...(grep === undefined ? {} : { grep: new RegExp(grep, 'i') }),
  });
  for (const file of chosen.sort((a, b) => order(a, jobs) - order(b, jobs))) mocha.addFile(file);
  if (jobs <= 1) await mocha.loadFilesAsync();
  const runner = mocha.run(() => {
    process.stdout.write(times.report());
    close(runner.stats);
  });
  const times = FileTimes.of(runner);
  runner.on('fail', (_, error: Error) => {
    if (error.stack !== undefined) error.stack = inSources(error.stack);
  });
}

/** Open handles must not keep the run alive, and the line must be written first. */
function close(stats: Mocha.Stats | undefined): void {
  const { passes = 0, failures = 0, pending = 0 } = stats ?? {};
  if (passes + failures === 0) process.stderr.write('no test ran\n');
  const line = `${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`;
  process.stdout.write(line, () => process.exit(failures > 0 || passes === 0 ? 1 : 0));
}

await main();
