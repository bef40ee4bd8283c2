import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { torture } from '../torture/torture.js';

/** The time of faults, and their seed. `npm run torture` runs longer. */
const seconds = Number(process.env['TORTURE_SECONDS'] ?? 180);
const seed = Number(process.env['TORTURE_SEED'] ?? 1);
/** The limit for start, repair and checks on a busy machine. */
const overheadMs = 600_000;

describe('torture', function () {
  this.timeout(seconds * 1000 * 2 + overheadMs);

  it('keeps every promise while members are killed, stopped, cut off, restarted and replaced under traffic', async function () {
    if (!fs.existsSync('/proc/net/tcp')) this.skip();
    const directory = path.join(temporaryDirectory('torture'), 'run');
    const { findings } = await torture({
      seed,
      faultsMs: seconds * 1000,
      directory,
      progress: (line) => {
        process.stdout.write(`      ${line}\n`);
      },
    });
    const log = findings.length === 0 ? '' : fs.readFileSync(path.join(directory, 'torture.log'), 'utf8');
    expect(
      findings,
      `seed ${seed}; what happened:\n${log}\n${findings.map(({ details }) => lastWords(directory, details)).join('')}`,
    ).to.deep.equal([]);
  });
});

/** The end of the log of a server that ended unexpectedly, before its folder is deleted. */
function lastWords(directory: string, details: string): string {
  const [, name] = /^a server ended by itself: (\w+):/.exec(details) ?? [];
  const file = path.join(directory, 'logs', `${name ?? ''}.log`);
  return name === undefined || !fs.existsSync(file)
    ? ''
    : `the last lines of ${name}:\n${fs.readFileSync(file, 'utf8').split('\n').slice(-lastLines).join('\n')}\n`;
}
const lastLines = 15;
