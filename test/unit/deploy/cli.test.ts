import { expect } from 'chai';
import { Command } from 'commander';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { completionScript } from '../../../deploy/cli/completion.js';
import { askLauncher, controlSocket, serveControl } from '../../../deploy/cli/control.js';
import { directoryOf, parseName } from '../../../deploy/cli/home.js';
import { mergeContext, personalKubeconfig, removeContext } from '../../../deploy/cli/kubeconfigFile.js';
import { readUpOptions, withUpOptions, type UpOptions } from '../../../deploy/cli/upOptions.js';
import { kubeconfigText } from '../../../deploy/kubeconfig.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('deploy/cli options', () => {
  const read = (...args: readonly string[]): UpOptions => {
    const command = withUpOptions(new Command('up'))
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    command.parse(args, { from: 'user' });
    return readUpOptions(command);
  };
  const file = (text: string): string => {
    const name = path.join(temporaryDirectory('config'), 'cluster.yaml');
    fs.writeFileSync(name, text);
    return name;
  };

  it('takes settings from a file, and flags before those', () => {
    const config = file('replicas: 1\nnodes: 2\nmanagers: 0\nport: 7000\napiserverFlags: [--v=2]\n');
    expect(read('--config', config)).to.deep.include({ replicas: 1, nodes: 2, managers: 0, port: 7000, apiserverFlag: ['--v=2'] });
    expect(read('--config', config, '--port', '0', '--replicas', '3', '--fake-nodes', '1', '--apiserver-flag=--v=4')).to.deep.include({
      replicas: 3,
      nodes: 1,
      port: 0,
      apiserverFlag: ['--v=2', '--v=4'],
    });
    expect(read()).to.deep.include({ port: 6443, managers: 2, nodes: 0, fresh: false });
  });

  it('says which file it is, and what is wrong with it', () => {
    for (const [text, why] of [
      ['replica: 1', 'it has no setting "replica"'],
      ['replicas: 2', 'Allowed choices are 1, 3, 5'],
      ['- 1', 'it is no mapping'],
      ['a: [', ''],
      ['apiserverFlags: [v=2]', 'is no flag'],
    ] as const) {
      const config = file(text);
      expect(() => read('--config', config), text)
        .to.throw(`${config} cannot be used`)
        .and.to.have.property('message')
        .that.contains(why);
    }
  });

  it('refuses what is no port, no count and no flag', () => {
    for (const args of [
      ['--port', '70000'],
      ['--replicas', '2'],
      ['--managers', '-1'],
      ['--nodes', '101'],
      ['--manager-flag', 'v=1'],
    ])
      expect(() => read(...args), args.join(' ')).to.throw();
  });

  it('keeps clusters under names that are folders and contexts', () => {
    expect(directoryOf('a', { HOME: '/h' })).to.equal('/h/.local/share/raftplane/a');
    expect(directoryOf('a', { HOME: '/h', XDG_DATA_HOME: '/x' })).to.equal('/x/raftplane/a');
    for (const name of ['', '..', 'a/b', 'A', '-a', 'a'.repeat(41)]) expect(() => parseName(name), name).to.throw('is not a name');
    expect(parseName('my-cluster-2')).to.equal('my-cluster-2');
  });

  it('completes commands, and their options', () => {
    const root = new Command('raftplane').addCommand(new Command('up').option('--port <port>')).addCommand(new Command('stop'));
    expect(completionScript(root, 'bash')).to.contain('up) words="--port"').and.to.contain('words="up stop"');
    expect(() => completionScript(root, 'fish')).to.throw('none for fish');
  });
});

describe('deploy/cli kubeconfig', () => {
  const own = kubeconfigText({ server: 'https://127.0.0.1:1', ca: 'ca', user: 'admin', cert: 'cert', key: 'key', name: 'x' });
  interface Written {
    readonly clusters: readonly { readonly name: string }[];
    readonly 'current-context': string;
  }

  it('adds a context beside those of others, renews it, and takes it out again', () => {
    const file = path.join(temporaryDirectory('kube'), 'below', 'config');
    mergeContext(file, 'a', own);
    expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replace('clusters:', '# mine\nclusters:\n  - name: prod\n    cluster: {server: "https://prod"}'),
    );
    mergeContext(file, 'a', own.replace(':1\n', ':2\n'));
    mergeContext(file, 'b', own);
    const text = fs.readFileSync(file, 'utf8');
    expect(text).to.contain('# mine').and.to.contain('https://127.0.0.1:2');
    expect((parse(text) as Written).clusters.map(({ name }) => name)).to.deep.equal(['prod', 'raftplane-a', 'raftplane-b']);
    expect((parse(text) as Written)['current-context']).to.equal('raftplane-b');
    expect([removeContext(file, 'b'), removeContext(file, 'b'), removeContext(file, 'a')]).to.deep.equal([true, false, true]);
    expect((parse(fs.readFileSync(file, 'utf8')) as Written).clusters.map(({ name }) => name)).to.deep.equal(['prod']);
  });

  it('leaves a file alone that it cannot read', () => {
    const file = path.join(temporaryDirectory('kube'), 'config');
    fs.writeFileSync(file, 'a: [');
    expect(() => mergeContext(file, 'a', own)).to.throw(`${file} cannot be read`);
    expect(fs.readFileSync(file, 'utf8')).to.equal('a: [');
    expect(personalKubeconfig({ KUBECONFIG: '/one:/two' })).to.equal('/one');
    expect(personalKubeconfig({ HOME: '/h' })).to.equal('/h/.kube/config');
  });
});

describe('deploy/cli control socket', () => {
  it('carries commands with progress, results and errors, to its owner alone', async () => {
    const directory = temporaryDirectory('control');
    const close = await serveControl(directory, async ({ command, target }, say) => {
      say(`doing ${command}`);
      if (target === 'nobody') throw new Error('there is no nobody here');
      return { target };
    });
    const told: string[] = [];
    expect(await askLauncher(directory, { command: 'kill', target: 'r1' }, (line) => told.push(line))).to.deep.equal({ target: 'r1' });
    expect(told).to.deep.equal(['doing kill']);
    expect(
      await askLauncher(directory, { command: 'kill', target: 'nobody' }).then(
        () => '',
        (error: Error) => error.message,
      ),
    ).to.equal('there is no nobody here');
    expect(fs.statSync(path.dirname(controlSocket(directory))).mode & 0o777).to.equal(0o700);
    expect(fs.statSync(controlSocket(directory)).mode & 0o777).to.equal(0o600);
    await close();
    expect(
      await askLauncher(directory, { command: 'status' }).then(
        () => '',
        (error: Error) => error.message,
      ),
    ).to.contain('no cluster runs in');
  });
});
