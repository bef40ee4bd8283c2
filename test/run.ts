/**
 * Runs every compiled test in one mocha process and ends with the line `N passed, N failed[, N skipped]`.
 *
 *     node dist/test/run.js [--only unit/raft] [--except cluster/] [--grep TEXT]
 *
 * The status is 1 when a test failed, and also when none ran: an empty run proves nothing.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';

/** Ends what hangs, so that the run ends; whatever a busy machine makes slow takes less. */
const testTimeoutMs = 180_000;

interface Choice {
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly grep: string | undefined;
}

function parse(args: readonly string[]): Choice {
  const only: string[] = [];
  const except: string[] = [];
  let grep: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--help' || arg === '-h') {
      process.stdout.write(
        'usage: npm test -- [--grep TEXT] [--except PART] [FOLDER-OR-FILE-PART...]\n\n  npm test -- unit/raft        tests whose path contains "unit/raft"\n  npm test -- --except unit/   tests whose path does not contain "unit/"\n  npm test -- --grep election  tests whose title contains "election"\n',
      );
      process.exit(0);
    } else if (arg === '--grep' || arg === '-g') grep = args[++i];
    else if (arg === '--only') only.push(args[++i] ?? '');
    else if (arg === '--except') except.push(inTests(args[++i] ?? ''));
    else if (arg.startsWith('-')) {
      process.stderr.write(`unknown option ${arg}; see npm test -- --help\n`);
      process.exit(2);
    } else only.push(inTests(arg));
  }
  return { only, except, grep };
}

/** A path as those of compiled tests are written. */
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

/** Unit tests first: whoever waits learns of the plainest failures soonest. */
function order(file: string): number {
  return ['unit', 'simulation', 'clients', 'attacks', 'fuzz', 'cluster', 'golden'].findIndex((folder) =>
    file.includes(`${path.sep}test${path.sep}${folder}${path.sep}`),
  );
}

async function main(): Promise<void> {
  const choice = parse(process.argv.slice(2));
  const { grep } = choice;
  const files = testFiles(path.dirname(fileURLToPath(import.meta.url)), choice).sort((a, b) => order(a) - order(b));
  const mocha = new Mocha({ reporter: 'spec', timeout: testTimeoutMs, ...(grep === undefined ? {} : { grep: new RegExp(grep, 'i') }) });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const runner = mocha.run(() => close(runner.stats));
}

/** A test that leaves a handle open must not keep the run alive, and the line must be out before the process ends. */
function close(stats: Mocha.Stats | undefined): void {
  const { passes = 0, failures = 0, pending = 0 } = stats ?? {};
  if (passes + failures === 0) process.stderr.write('no test ran\n');
  const line = `${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`;
  process.stdout.write(line, () => process.exit(failures > 0 || passes === 0 ? 1 : 0));
}

await main();
