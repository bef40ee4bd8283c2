import { expect } from 'chai';
import { Command } from 'commander';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { program } from '../../../../deploy/cli/commands.js';
import { completionScript } from '../../../../deploy/cli/completion.js';
import { askLauncher, CommandRefused, controlSocket, serveControl } from '../../../../deploy/cli/control.js';
import { directoryOf, parseName } from '../../../../deploy/cli/home.js';
import { mergeContext, personalKubeconfig, removeContext } from '../../../../deploy/cli/kubeconfigFile.js';
import { showLogs } from '../../../../deploy/cli/logs.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import { electionOf, flagsFor } from '../../../../deploy/cli/foreground.js';
import type { ProgramFlags } from '../../../../deploy/settings.js';
import { readUpOptions, withUpOptions, type UpOptions } from '../../../../deploy/cli/upOptions.js';
import { programFile } from '../../../../deploy/programs.js';
import { kubeconfigText } from '../../../../deploy/kubeconfig.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

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

  it('have the flags of the start before where none are given, and say so', () => {
    const directory = temporaryDirectory('flags');
    const said: string[] = [];
    const flags = (...args: readonly string[]): ProgramFlags => flagsFor(directory, read(...args), (line) => said.push(line));
    expect(flags()).to.deep.equal({ apiserver: [], manager: [] });
    expect(said).to.deep.equal([]);
    const member = { id: 'r1', securePort: 1, peerPort: 2 };
    const remembered: ProgramFlags = { apiserver: ['--enable-admission-plugins=NodeRestriction'], manager: ['--v=2'] };
    fs.writeFileSync(path.join(directory, 'settings.json'), JSON.stringify({ token: 't', members: [member], flags: remembered }));
    expect(flags()).to.deep.equal(remembered);
    expect(said[0]).to.contain('--enable-admission-plugins=NodeRestriction --v=2');
    expect(flags('--apiserver-flag=--v=4')).to.deep.equal({ apiserver: ['--v=4'], manager: ['--v=2'] });
    for (const without of ['--forget-flags', '--fresh']) expect(flags(without), without).to.deep.equal({ apiserver: [], manager: [] });
  });

  it('says which file it is, and what is wrong with it', () => {
    for (const [text, why] of [
      ['replica: 1', 'line 1: replica is unknown (did you mean replicas?)'],
      ['port: 1\nreplicas: 2', 'line 2: replicas must be one of 1, 3, 5'],
      ['port: 70000', 'port must be from 0 to 65535, not 70000'],
      ['- 1', 'it must be an object'],
      ['managerFlags: [1]', 'managerFlags[0] must be a text'],
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
      ['--nodes', '5001'],
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

  const small = (): Command =>
    new Command('raftplane')
      .addCommand(new Command('up').option('--port <port>').option('--open', "it's open"))
      .addCommand(new Command('kill').argument('<member>'));

  it('completes commands, their options, and names of members', () => {
    const folder = temporaryDirectory('completion');
    const status = JSON.stringify({ address: 'x', programs: [{ name: 'r1' }, { name: 'balancer', state: 'down' }] }, null, 2);
    fs.writeFileSync(path.join(folder, 'raftplane'), `#!/bin/sh\ncat <<'END'\n${status}\nEND\n`, { mode: 0o755 });
    fs.writeFileSync(path.join(folder, 'script'), completionScript(small(), 'bash'));
    const completed = (...words: readonly string[]): string =>
      execFileSync(
        'bash',
        [
          '-c',
          'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _raftplane; echo "${COMPREPLY[*]}"',
          path.join(folder, 'script'),
          ...words,
        ],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } },
      ).trim();
    expect(completed('raftplane', '')).to.equal('up kill');
    expect(completed('raftplane', 'up', '--p')).to.equal('--port');
    expect(completed('raftplane', 'kill', '')).to.equal('r1 balancer');
    expect(completed('raftplane', 'kill', 'b')).to.equal('balancer');
  });

  it('has a script for each shell, and says which there are', () => {
    expect(completionScript(small(), 'zsh')).to.match(/^autoload -U \+X bashcompinit/);
    expect(completionScript(small(), 'fish'))
      .to.contain("-a up -d ''")
      .and.to.contain(String.raw`__fish_seen_subcommand_from up' -l open -d 'it\'s open'`)
      .and.to.contain("__fish_seen_subcommand_from kill' -a '(raftplane status");
    expect(() => completionScript(small(), 'tcsh')).to.throw('bash, zsh, fish, and none for tcsh');
  });
});

describe('deploy/cli managers', () => {
  it('elect quickly where there are several, unless it is said how', () => {
    expect(electionOf(1, ['--v=2'])).to.deep.equal(['--v=2']);
    const election = electionOf(2, ['--v=2']);
    expect(election).to.include('--leader-elect-lease-duration=4s');
    expect(election.at(-1)).to.equal('--v=2');
    // A standby manager reads the lease at least once a retry period.
    const read = readControllerManagerOptions(election.filter((flag) => flag.startsWith('--leader-elect')));
    const { 'leader-elect-lease-duration': lease, 'leader-elect-retry-period': retry } = read.ok
      ? read.options
      : expect.fail(read.errors.join());
    expect(lease + retry).to.be.below(5_000);
    const own = ['--leader-elect-renew-deadline=10s'];
    expect(electionOf(2, own)).to.deep.equal(own);
  });
});

describe('deploy/cli help', () => {
  const raftplane = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [programFile('raftplane'), ...args], { encoding: 'utf8' });

  it('shows how each command is used, and what its exit codes mean', () => {
    const root = program();
    expect(root.commands.map((command) => command.name())).to.include.members([
      'up',
      'status',
      'stop',
      'logs',
      'kill',
      'restore',
      'doctor',
    ]);
    for (const command of [root, ...root.commands]) {
      let text = '';
      command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp();
      expect(text, command.name())
        .to.match(/\nExamples:\n {2}.*raftplane /)
        .and.to.contain('Exit codes: 0 done');
    }
  });

  it('gives documents to scripts, of failures as well', () => {
    expect(JSON.parse(raftplane('version', '--json')))
      .to.have.property('version')
      .that.matches(/^\d/);
    expect(JSON.parse(raftplane('doctor', '--json', '--data-dir', temporaryDirectory('doctor'))))
      .to.be.an('array')
      .that.has.length.above(3);
    const { status, stderr } = spawnSync(
      process.execPath,
      [programFile('raftplane'), 'stop', '--json', '--data-dir', temporaryDirectory('none')],
      {
        encoding: 'utf8',
      },
    );
    expect(status).to.equal(3);
    expect(JSON.parse(stderr)).to.have.property('error').that.contains('raftplane up');
  });

  it('has logs as documents, a line each', async () => {
    const directory = temporaryDirectory('logs');
    fs.mkdirSync(path.join(directory, 'logs'));
    fs.writeFileSync(path.join(directory, 'logs', 'r1.log'), 'one\n"two"\n');
    const printed: string[] = [];
    await showLogs(directory, { name: undefined, follow: false, json: true }, (text) => printed.push(text));
    expect(
      printed
        .join('\n')
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).to.deep.equal([
      { program: 'r1', line: 'one' },
      { program: 'r1', line: '"two"' },
    ]);
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
    mergeContext(file, { name: 'a', text: own });
    expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replace('clusters:', '# mine\nclusters:\n  - name: prod\n    cluster: {server: "https://prod"}'),
    );
    mergeContext(file, { name: 'a', text: own.replace(':1\n', ':2\n') });
    mergeContext(file, { name: 'b', text: own });
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
    expect(() => mergeContext(file, { name: 'a', text: own })).to.throw(`${file} cannot be read`);
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
      if (target === 'nobody') throw new CommandRefused('there is no nobody here');
      if (target === 'broken') throw new Error('it failed');
      return { target };
    });
    const reported: string[] = [];
    expect(await askLauncher(directory, { command: 'kill', target: 'r1' }, (line) => reported.push(line))).to.deep.equal({ target: 'r1' });
    expect(reported).to.deep.equal(['doing kill']);
    const failure = (target: string): Promise<unknown> =>
      askLauncher(directory, { command: 'kill', target }).catch((error: unknown) => error);
    expect(await failure('nobody'))
      .to.be.instanceOf(CommandRefused)
      .and.to.have.property('message', 'there is no nobody here');
    const broken = await failure('broken');
    expect(broken).to.have.property('message', 'it failed');
    expect(broken).not.to.be.instanceOf(CommandRefused);
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
