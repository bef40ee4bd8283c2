import { execFile } from 'node:child_process';
import { expect } from 'chai';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';

const program = path.join(packageRoot, 'dist/test/differential/main.js');
const nobody = 'https://127.0.0.1:1';

interface Ended {
  readonly status: unknown;
  readonly stderr: string;
}
const run = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, _, stderr) => resolve({ status: error?.code ?? 0, stderr }));
  });

const refused: readonly (readonly [about: string, args: readonly string[], message: RegExp])[] = [
  ['an unknown option', ['--report', 'x'], /'--report'/],
  ['no server', [], /--against is missing/],
  ['a number that is none', ['--against', nobody, '--seed', 'a'], /--seed is a number above 0, not a/],
  ['an unknown area', ['--against', nobody, '--area', 'nope'], /no area nope/],
  ['a case without its area', ['--against', nobody, '--case', '7:1'], /--case needs --area/],
  ['a server that does not answer', ['--against', nobody, '--token', 'x'], /does not answer: .*ECONNREFUSED/],
];

describe('the command line of npm run differential', function () {
  this.timeout(60_000);

  for (const [about, args, message] of refused)
    it(`refuses ${about} in one line that names the help`, async () => {
      const { status, stderr } = await run(...args);
      expect(status).to.equal(2);
      expect(stderr).to.match(message);
      expect(stderr).to.match(/^[^\n]*see npm run differential -- --help\n$/);
    });
});
