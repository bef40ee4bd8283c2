import { expect } from 'chai';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { kubectlRunsHere, program } from '../fixtures/kubectl.js';

/** The command `raftplane` for users. Functions are called in tests. */
export interface UserCommand {
  readonly file: () => string;
  readonly home: () => string;
  readonly environment: () => NodeJS.ProcessEnv;
}

/** Tests of the command in any form. */
export function userCommandTests({ file, home, environment }: UserCommand): void {
  const ended = (command: string, args: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync(command, args, { cwd: home(), encoding: 'utf8', env: environment() });
  const run = (command: string, args: readonly string[]): string => {
    const { status, stdout, stderr } = ended(command, args);
    expect(status, `${args.join(' ')}\n${stdout}${stderr}`).to.equal(0);
    return stdout;
  };
  const raftplane = (...args: readonly string[]): string => run(file(), args);

  it('starts a cluster by itself, shows it to kubectl, breaks it, and leaves nothing', function () {
    this.timeout(180_000);
    const data = path.join(home(), '.local', 'share', 'raftplane', 'default');
    try {
      expect(raftplane('up', '--detach', '--replicas', '3', '--managers', '1', '--port', '0')).to.contain(
        `export KUBECONFIG=${data}/admin.kubeconfig`,
      );
      for (const again of [['--detach'], []]) {
        const refused = ended(file(), ['up', ...again]);
        expect(refused.status, refused.stderr).to.equal(3);
        expect(refused.stderr).to.contain('runs already').and.to.contain('raftplane stop --name default');
      }
      raftplane('kubeconfig', '--merge');
      if (kubectlRunsHere)
        expect(run(program('kubectl'), ['--context', 'raftplane-default', 'get', 'namespaces', '-o', 'name'])).to.contain(
          'namespace/default',
        );
      const state = JSON.parse(raftplane('kill', 'r1', '--json')) as {
        readonly programs: readonly { readonly name: string; readonly state: string }[];
      };
      expect(state.programs.find(({ name }) => name === 'r1')).to.have.property('state', 'down');
      raftplane('restart', 'r1');
      expect(raftplane('status'))
        .to.match(/^r1 +apiserver +running/m)
        .and.to.match(/leads/);
      expect(raftplane('logs', 'r1')).to.contain('ready');
      expect(fs.statSync(path.join(data, 'run', 'control.sock')).mode & 0o777).to.equal(0o600);
    } finally {
      raftplane('stop', '--delete');
    }
    expect(fs.existsSync(data)).to.equal(false);
    expect(fs.readFileSync(path.join(home(), '.kube', 'config'), 'utf8')).not.to.contain('raftplane');
  });

  it('says what to do when there is no cluster, and tells refusals from mistakes by the exit code', () => {
    const status = (...args: readonly string[]): SpawnSyncReturns<string> => ended(file(), args);
    expect(status('status')).to.deep.include({ status: 3 }).and.to.have.property('stderr').that.contains('start it with "raftplane up"');
    expect(status('kubeconfig')).to.deep.include({ status: 3 });
    expect(status('up', '--replicas', '2')).to.deep.include({ status: 2 });
    expect(status('up', '--apiserver-flag', 'v=4')).to.deep.include({ status: 2 });
    expect(status('upp')).to.deep.include({ status: 2 });
    expect(status('doctor').status).to.equal(0);
  });
}
