import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

const program = `#!/usr/bin/env node
const v8 = require('node:v8');
function calledLater() { return [1, 2, 3].map((each) => each + process.argv.length).join('and'); }
function unknownUntilCalled() { return new Error('here'); }
v8.setFlagsFromString('--no-parallel-scavenge');
const { isMainThread, Worker } = require('node:worker_threads');
console.log(unknownUntilCalled().stack.split('\\n')[1].trim());
if (isMainThread && process.argv.includes('thread')) new Worker(new URL('start.mjs', require('node:url').pathToFileURL(__filename)));
// With linger it ends after the cache is written.
if (process.argv.includes('linger')) {
  calledLater();
  const written = require('node:fs').watch(__dirname, (_, file) => file?.endsWith('.cache') && written.close());
}
$late$('./late.mjs').then(({ late }) => console.log(late));
`;

describe('deploy/codeCache', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryDirectory('code-cache');
    fs.copyFileSync(path.join(packageRoot, 'deploy', 'codeCache.mjs'), path.join(folder, 'codeCache.mjs'));
    fs.writeFileSync(path.join(folder, 'program.cjs'), program);
    fs.writeFileSync(path.join(folder, 'late.mjs'), "export const late = 'late';");
    name('1');
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  /** Writes a module that starts the program with this fingerprint. */
  const name = (fingerprint: string): void => {
    const text = `import { runProgram } from './codeCache.mjs';\nconsole.log(runProgram(import.meta.url, 'program', '${fingerprint}') ? 'known' : 'new');\n`;
    fs.writeFileSync(path.join(folder, 'start.mjs'), text);
  };
  const run = (...args: readonly string[]): string[] =>
    execFileSync(process.execPath, [...args.filter((each) => each.startsWith('--')), path.join(folder, 'start.mjs'), ...args], {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...process.env, NODE_OPTIONS: '' },
    })
      .trim()
      .split('\n');
  const caches = (): string[] => fs.readdirSync(folder).filter((file) => file.includes('.cache'));

  it('runs a program as it stands, and the second time with what is known of it', () => {
    const place = `at unknownUntilCalled (${path.join(folder, 'program.cjs')}:4:40)`;
    expect(run()).to.deep.equal([place, 'new', 'late']);
    expect(caches()).to.have.length(1);
    expect(run()).to.deep.equal([place, 'known', 'late']);
  });

  it('knows it in threads as well, although flags were set meanwhile', () => {
    run();
    expect(run('thread').filter((line) => ['new', 'known'].includes(line))).to.deep.equal(['known', 'known']);
  });

  it('does not take what belongs to another text, to other flags, or is damaged', () => {
    run();
    name('2');
    expect(run()).to.include('new');
    expect(run('--no-lazy')).to.include('new');
    const file = caches().find((each) => each.startsWith('program-1-'));
    const bytes = fs.readFileSync(path.join(folder, file!));
    for (const damaged of [bytes.subarray(0, 40), Buffer.alloc(0), bytes.map((byte, at) => (at === 500 ? byte ^ 1 : byte))]) {
      name('1');
      fs.writeFileSync(path.join(folder, file!), damaged);
      expect([damaged.length, run()[1]]).to.deep.equal([damaged.length, 'new']);
      expect(run()[1]).to.equal('known');
    }
  });

  it('keeps it for each set of flags, so that none replaces that of another', () => {
    run();
    run('--no-lazy');
    expect([run()[1], run('--no-lazy')[1]]).to.deep.equal(['known', 'known']);
    expect(caches()).to.have.length(2);
  });

  it('replaces what was written by a process that ended early, once one has settled', () => {
    run();
    const bytes = (): number => fs.statSync(path.join(folder, caches()[0]!)).size;
    const early = bytes();
    expect(run('linger')).to.include('known');
    expect(bytes()).to.be.greaterThan(early);
  });

  it('starts where nothing can be written', () => {
    run();
    const [file] = caches();
    fs.rmSync(path.join(folder, file!));
    fs.mkdirSync(path.join(folder, file!));
    expect(run()).to.include('new');
    expect(caches()).to.deep.equal([file]);
  });
});
