import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { programFile } from '../../deploy/programs.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

describe('cluster/npm start', function () {
  this.timeout(120_000);
  const folder = temporaryDirectory('npm-start');
  const place = ['--data-dir', path.join(folder, 'data')];
  const run = (file: string, args: readonly string[]): { readonly status: number | null; readonly text: string } => {
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: packageRoot, encoding: 'utf8', env: { ...process.env, HOME: folder } });
    return { status, text: stdout + stderr };
  };
  const start = (): ReturnType<typeof run> =>
    run('npm', ['start', '--silent', '--', '--detach', '--replicas', '1', '--managers', '0', '--port', '0', ...place]);
  const raftplane = (...args: readonly string[]): ReturnType<typeof run> =>
    run(process.execPath, [programFile('raftplane'), ...args, ...place]);

  after(() => {
    raftplane('stop', '--delete');
  });

  it('takes --detach: it ends, and the cluster goes on', () => {
    const started = start();
    expect(started, started.text).to.include({ status: 0 });
    const { status, text } = raftplane('status', '--json');
    expect(status, text).to.equal(0);
    const { programs } = JSON.parse(text) as { readonly programs: readonly { readonly name: string; readonly state: string }[] };
    expect(programs.map(({ name, state }) => `${name} ${state}`)).to.include('r1 running');
  });

  it('refuses a second start with the remedy, and ends with 3', () => {
    const { status, text } = start();
    expect(status, text).to.equal(3);
    expect(text).to.contain('raftplane stop');
  });
});
