import { expect } from 'chai';
import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { commandLineTests } from './commandLineTests.js';
import { userCommandTests } from './userCommand.js';

/** .ci/run installs them; they are no development dependencies. */
const tools = ['node24', 'postject'].map((name) => path.join(packageRoot, '.ci', 'tools', 'node_modules', name));

/** The executable on a machine without Node. */
describe('cluster/binary (with the tools of .ci/tools)', () => {
  let folder = '';
  let home = '';
  const environment = (): NodeJS.ProcessEnv => ({ HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', NO_COLOR: '1' });
  const binary = (name: string): string => path.join(folder, name);
  const cache = (of = home): string => path.join(of, '.cache', 'raftplane', 'programs');
  const run = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = environment()): SpawnSyncReturns<string> =>
    spawnSync(binary(name), args, { encoding: 'utf8', env });

  before(function () {
    if (!tools.every((tool) => fs.existsSync(tool))) this.skip();
    this.timeout(300_000);
    folder = temporaryDirectory('binary');
    home = temporaryDirectory('home');
    const { status, stderr } = spawnSync(
      process.execPath,
      [path.join(packageRoot, 'deploy', 'bootstrap.mjs'), 'binary', '--output', folder],
      {
        encoding: 'utf8',
      },
    );
    expect(status, stderr).to.equal(0);
  });

  userCommandTests({ file: () => binary('raftplane'), home: () => home, environment });
  commandLineTests(() => ['env', `HOME=${home}`, binary('apiserver')]);

  it('is the program of its name, and under another name that of its first word', () => {
    fs.copyFileSync(binary('raftplane'), binary('control-plane'));
    const help = (name: string, ...args: readonly string[]): string => run(name, [...args, '--help']).stdout;
    expect(help('apiserver'))
      .to.match(/--secure-port/)
      .and.to.match(/--raft-data-dir/);
    expect(help('controller-manager')).to.match(/--leader-elect/);
    expect(help('raftplane')).to.match(/raftplane \[options\] \[command\]/);
    for (const name of ['raftplane', 'control-plane']) {
      expect(help(name, 'apiserver')).to.equal(help('apiserver'));
      expect(help(name, 'controller-manager')).to.equal(help('controller-manager'));
      expect(help(name, 'raftplane')).to.equal(help('raftplane'));
    }
  });

  it('takes the places of the programs of envtest', () => {
    fs.symlinkSync('raftplane', binary('kube-apiserver'));
    fs.symlinkSync('raftplane', binary('etcd'));
    expect(run('kube-apiserver', ['--version']).stdout).to.match(/^Kubernetes v1\./);
    expect(run('etcd', ['--listen-client-urls=https://127.0.0.1:1']).stderr).to.contain('http:// alone');
  });

  it('is unpacked once, whoever starts it first', async () => {
    const fresh = { ...environment(), HOME: temporaryDirectory('home') };
    const started = ['1', '2', '3'].map(() => spawn(binary('apiserver'), ['--version'], { env: fresh, stdio: 'ignore' }));
    expect(await Promise.all(started.map(async (child) => (await once(child, 'exit'))[0] as number))).to.deep.equal([0, 0, 0]);
    expect(fs.readdirSync(cache(fresh.HOME))).to.have.length(1);
  });

  it('runs nothing that another user could have changed, and says where it cannot be unpacked', () => {
    const open = temporaryDirectory('open');
    fs.mkdirSync(cache(open), { recursive: true });
    fs.chmodSync(cache(open), 0o777);
    const elsewhere = run('apiserver', ['--version'], { HOME: open, TMPDIR: open });
    expect(elsewhere.status, elsewhere.stderr).to.equal(0);
    expect(fs.readdirSync(open)).to.include(`raftplane-${process.getuid?.()}`);
    fs.writeFileSync(path.join(open, 'file'), '');
    const nowhere = run('apiserver', ['--version'], { HOME: open, TMPDIR: path.join(open, 'file') });
    expect(nowhere.status).to.equal(1);
    expect(nowhere.stderr).to.contain(cache(open)).and.to.contain('another user can write to it').and.to.contain('XDG_CACHE_HOME');
    expect(fs.readdirSync(cache(open))).to.deep.equal([]);
  });

  it('goes with the terms of everything inside', () => {
    const terms = fs.readFileSync(binary('LICENSES.txt'), 'utf8');
    for (const part of ['Apache License', 'express', 'Node.js is licensed', 'OpenSSL', 'James M Snell']) expect(terms).to.contain(part);
  });
});
