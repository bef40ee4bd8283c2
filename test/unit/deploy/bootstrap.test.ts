import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';

const run = (...args: string[]): { status: number | null; text: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(packageRoot, 'deploy', 'bootstrap.mjs'), ...args], {
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
};

describe('deploy/bootstrap', () => {
  const scripts = (JSON.parse(fs.readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
    .scripts;
  const commands = Object.values(scripts).flatMap((script) => /deploy\/bootstrap\.mjs (\S+)/.exec(script)?.[1] ?? []);

  it('explains every command that package.json uses', () => {
    const { status, text } = run('--help');
    expect(status).to.equal(0);
    expect(commands).to.include.members(['start', 'test', 'build']);
    for (const command of commands) expect(text).to.match(new RegExp(`^  ${command} `, 'm'));
  });

  it('refuses an unknown or missing command before it does anything', () => {
    expect(run('strat')).to.deep.include({ status: 2 }).and.to.have.property('text').that.includes('"strat"');
    expect(run().status).to.equal(2);
    expect(run('toString').status).to.equal(2);
  });

  it('starts with the options of "raftplane up"', () => {
    const { status, text } = run('start', '--help');
    expect(status, text).to.equal(0);
    for (const option of ['--detach', '--open', '--json', '--name', '--restore']) expect(text).to.contain(option);
    // `npm test` has bundled them, and servers of other tests use that copy.
    expect(text).to.not.contain('bundling the programs');
  });
});
