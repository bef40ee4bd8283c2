import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildStages, stagesOf } from '../fixtures/dockerfile.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { documentTests } from './packageDocuments.js';
import { installTests } from './packageInstalls.js';
import { userCommandTests } from './userCommand.js';

/** The installed package: without clone, compiler or sources. */
describe('cluster/package', () => {
  let folder = '';
  const environment = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    NO_COLOR: '1',
    ...(process.env['npm_config_cache'] ? { npm_config_cache: process.env['npm_config_cache'] } : {}),
  });
  const run = (file: string, args: readonly string[], cwd = folder): string => {
    const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8', env: environment() });
    if (status !== 0) throw new Error(`${path.basename(file)} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
    return stdout;
  };
  const npm = (args: readonly string[], cwd?: string): string => run('npm', args, cwd);
  let image = '';
  /** The files that `COPY . .` would find: committed and new ones. */
  const sources = (): string => {
    const context = path.join(folder, 'context');
    const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], packageRoot).trim().split('\n');
    for (const file of files.filter((each) => fs.existsSync(path.join(packageRoot, each)))) {
      fs.mkdirSync(path.join(context, path.dirname(file)), { recursive: true });
      fs.copyFileSync(path.join(packageRoot, file), path.join(context, file));
    }
    return context;
  };
  /** Packages come from this checkout instead of a registry, in the image too. */
  const prelude = (app: string): string => `
    npm() {
      if [ "$1" = ci ]; then ln -s '${path.join(packageRoot, 'node_modules')}' node_modules; return; fi
      if [ "$1" = install ]; then set -- "$@" --offline; fi
      command npm "$@"
    }
    chown() { ! id node >/dev/null 2>&1 || [ "$(id -u)" != 0 ] || command chown "$@"; }
    mkdir -p '${app}'; [ -f '${app}/package.json' ] || echo '{ "dependencies": { "piscina": "file:${path.join(packageRoot, 'node_modules', 'piscina')}" } }' > '${app}/package.json'`;

  before(function () {
    this.timeout(600_000);
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'user-'));
    const stages = stagesOf(fs.readFileSync(path.join(packageRoot, 'deploy', 'Dockerfile'), 'utf8'));
    const stagesFolder = path.join(folder, 'image');
    image = buildStages(stages, {
      folder: stagesFolder,
      context: sources(),
      prelude: prelude(path.join(stagesFolder, 'build', 'app')),
      environment: environment(),
    });
    const packed = path.join(stagesFolder, 'build', 'tmp');
    for (const name of fs.readdirSync(packed).filter((each) => each.endsWith('.tgz')))
      fs.copyFileSync(path.join(packed, name), path.join(folder, name));
    // Dependencies of the tarball come from here instead of a registry.
    const linked = ['piscina', '@kubernetes/client-node', 'mocha'];
    const dependencies = Object.fromEntries(linked.map((name) => [name, `file:${path.join(packageRoot, 'node_modules', name)}`]));
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const tarball = fs.readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
    npm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`]);
    fs.cpSync(path.join(packageRoot, 'examples'), folder, { recursive: true });
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('holds programs, types and data, and neither tests nor sources', () => {
    const files = fs.readdirSync(path.join(folder, 'node_modules', 'raftplane'), { recursive: true, encoding: 'utf8' });
    expect(files).to.include.members([
      'LICENSE',
      'dist/programs/raftplane.js',
      'dist/programs/LICENSES.txt',
      'dist/programs/sqlite/linux-arm64/musl.node',
      'api/data/types.json',
      'deploy/haproxy.cfg',
      'deploy/nginx.conf',
      'deploy/monitoring/alerts.yaml',
      'deploy/monitoring/dashboard.json',
      'deploy/systemd/raftplane-apiserver.service',
      'examples/README.md',
    ]);
    // A file for each entry point, a shared one, and the kinds, but no internal declarations.
    const declared = files.filter((file) => file.endsWith('.d.ts') && !file.startsWith('dist/types/api/types/'));
    const exported = ['api', 'client', 'controllers', 'raft', 'server', 'shared', 'testing'];
    expect(declared.sort()).to.deep.equal(exported.map((name) => `dist/types/${name}.d.ts`));
    expect(files.filter((file) => /(^|\/)test\//.test(file) || (file.endsWith('.ts') && !file.endsWith('.d.ts')))).to.deep.equal([]);
  });

  it('has documents whose links lead to files of the package', () => {
    const installed = path.join(folder, 'node_modules', 'raftplane');
    const documents = fs.readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
    const dead = documents.flatMap((file) => {
      const links = fs.readFileSync(path.join(installed, file), 'utf8').matchAll(/\]\(([^)#\s]+)|src="([^"]+)"/g);
      return [...links]
        .map(([, link = '', image]) => image ?? link)
        .filter((link) => !/^[a-z]+:/.test(link) && !fs.existsSync(path.join(installed, path.dirname(file), link)))
        .map((link) => `${file}: ${link}`);
    });
    expect(dead).to.deep.equal([]);
  });

  it('is made by the stages of the image, whose programs run', () => {
    for (const name of ['apiserver', 'controller-manager', 'raftplane']) {
      const program = path.join(image, 'usr', 'local', 'bin', name);
      expect(fs.lstatSync(program).isSymbolicLink(), name).to.equal(true);
      // The image's root is a folder here.
      expect(run(path.join(image, 'app', 'node_modules', '.bin', name), ['--version']), name).to.match(/\d+\.\d+/);
    }
    expect(fs.statSync(path.join(image, 'var', 'lib', 'raftplane')).mode & 0o777).to.equal(0o700);
    expect(fs.readdirSync(path.join(image, 'app', 'node_modules'))).not.to.include('typescript');
    const programs = path.join(image, 'app', 'node_modules', 'raftplane', 'dist', 'programs');
    const caches = fs.readdirSync(programs).filter((name) => name.endsWith('.cache'));
    expect(caches.map((name) => name.split('-')[0]).sort()).to.include.members(['apiserver', 'controller']);
    for (const name of caches) expect(fs.statSync(path.join(programs, name)).mode & 0o444, name).to.equal(0o444);
  });

  it('has types for every door under strict rules', function () {
    fs.writeFileSync(
      path.join(folder, 'use.mts'),
      `
      import { startCluster, type TestCluster } from 'raftplane/testing';
      import type { Deployment } from 'raftplane/api/types/apps/v1.js';
      import { ManifestChecker, parseQuantity, validate } from 'raftplane/api';
      import { resource, RestApi } from 'raftplane/client';
      import { memberId, startReplica, type ReplicaOptions } from 'raftplane/raft';
      import { startApiServer, type RunningServer } from 'raftplane/server';
      import { startControllerManager, type CloudProvider, type RunningManager } from 'raftplane/controllers';
      export const manager = (cloud: CloudProvider): Promise<RunningManager> => startControllerManager(['--cloud-provider=own'], { clouds: { own: () => cloud } });
      export const replicas = (deployment: Deployment): number => deployment.spec?.replicas ?? 1;
      export const replica = (options: ReplicaOptions) => startReplica({ ...options, memberId: memberId('r1') });
      export const server: Promise<RunningServer> = startApiServer(['--storage-backend=memory']);
      export async function use(): Promise<string> {
        await using cluster: TestCluster = await startCluster({ replicas: 3, inProcess: true });
        const found = await cluster.waitFor({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }, object => object !== null);
        return found?.metadata.name ?? cluster.members[0]?.id ?? String([parseQuantity, validate, ManifestChecker, resource, RestApi]);
      }`,
    );
    const tsc = path.join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = path.join(packageRoot, 'node_modules', '@types');
    run(process.execPath, [
      tsc,
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,esnext.disposable',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--typeRoots',
      types,
      'use.mts',
    ]);
  });

  const commonJs = `
    const { startApiServer } = require('raftplane/testing');
    it('is reported by require', async () => {
      const server = await startApiServer();
      const [made] = await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: 'b' } });
      if (made.data.a !== 'b') throw new Error(JSON.stringify(made));
      await server.stop();
    });`;

  it('is required by CommonJS, whose types resolve by every rule, and is one with what is imported', () => {
    fs.writeFileSync(path.join(folder, 'required.test.cjs'), commonJs);
    run(process.execPath, [path.join(packageRoot, 'node_modules', 'mocha', 'bin', 'mocha.js'), '--timeout', '60000', 'required.test.cjs']);
    fs.writeFileSync(
      path.join(folder, 'same.mjs'),
      `import { createRequire } from 'node:module';
      import { TestCluster } from 'raftplane/testing';
      import { isNotFound } from 'raftplane/client';
      const require = createRequire(import.meta.url);
      console.log(require('raftplane/testing').TestCluster === TestCluster, require('raftplane/client').isNotFound === isNotFound);`,
    );
    expect(run(process.execPath, ['same.mjs'])).to.equal('true true\n');
    fs.writeFileSync(
      path.join(folder, 'use.cts'),
      `import { startApiServer } from 'raftplane/testing';
      import { isNotFound } from 'raftplane/client';
      import type { Deployment } from 'raftplane/api/apps/v1';
      export async function use(): Promise<number | undefined> {
        const server = await startApiServer();
        const found: Deployment | null = await server.get({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } });
        const gone: null = await server.waitFor({ metadata: { name: 'd' } }, 'deleted');
        return found?.spec?.replicas ?? (isNotFound(gone) ? 0 : undefined);
      }`,
    );
    // TypeScript 7 does not resolve as `node10` any more.
    const tsc = path.join(packageRoot, 'node_modules', '@typescript', 'typescript6', 'bin', 'tsc6');
    const types = ['--types', 'node', '--typeRoots', path.join(packageRoot, 'node_modules', '@types')];
    for (const [module, resolution] of [
      ['node16', 'node16'],
      ['commonjs', 'node10'],
    ])
      run(process.execPath, [
        tsc,
        ...['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,esnext.disposable', ...types],
        ...['--module', module!, '--moduleResolution', resolution!, '--ignoreDeprecations', '6.0', 'use.cts'],
      ]);
  });

  it('starts a server in the process that asks for one', () => {
    fs.writeFileSync(
      path.join(folder, 'server.mjs'),
      `
      import { startApiServer } from 'raftplane/server';
      await startApiServer(['--no-such-option']).then(() => process.exit(1), error => console.log(error.message));
      const server = await startApiServer(['--storage-backend=memory', '--bind-address=127.0.0.1', '--secure-port=0', '--cert-dir=certs']);
      await server.ready;
      console.log(new URL(server.url).hostname);
      await server.stop();`,
    );
    expect(run(process.execPath, ['server.mjs']).split('\n'))
      .to.include('127.0.0.1')
      .and.to.satisfy((lines: readonly string[]) => lines.some((line) => line.includes('no-such-option')));
  });

  userCommandTests({
    file: () => path.join(folder, 'node_modules', '.bin', 'raftplane'),
    home: () => folder,
    environment,
  });

  installTests(() =>
    path.join(
      folder,
      fs.readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
    ),
  );

  documentTests({ folder: () => folder, environment });

  const mocha = path.join(packageRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
  it('runs the example for mocha', () => {
    run(process.execPath, [mocha, 'mocha.test.mjs']);
  });

  it('catches a bug by each fault', function () {
    this.timeout(500_000);
    run(process.execPath, [mocha, '--timeout', '120000', 'faults.test.mjs']);
  });

  // The same file with other runners, in part.
  const faults = 'expireHistory|fail with a (status of 500|conflict)|clock';

  it('runs the examples for node:test', () => {
    run(process.execPath, ['--test', 'node-test.test.mjs']);
    run(process.execPath, ['--test', `--test-name-pattern=${faults}`, 'faults.test.mjs']);
  });

  /** .ci/run installs them; they are no development dependencies. */
  const tool = (name: string): string | null => {
    const installed = path.join(packageRoot, '.ci', 'tools', 'node_modules', name);
    if (!fs.existsSync(installed)) return null;
    fs.symlinkSync(installed, path.join(folder, 'node_modules', name));
    return installed;
  };

  it('runs the examples for vitest', function () {
    const vitest = tool('vitest') ?? this.skip();
    const file = path.join(vitest, 'vitest.mjs');
    const vitestTimes = ['--test-timeout', '120000', '--hook-timeout', '120000'];
    run(process.execPath, [file, 'run', '--root', folder, 'vitest.test.mjs']);
    run(process.execPath, [file, 'run', '--root', folder, '--globals', ...vitestTimes, '-t', faults, 'faults.test.mjs']);
  });

  it('runs the examples for jest, as CommonJS and as modules', function () {
    this.timeout(500_000);
    const jest = path.join(tool('jest') ?? this.skip(), 'bin', 'jest.js');
    // The image's stages in the same folder have examples too.
    const only = ['--modulePathIgnorePatterns', '<rootDir>/image/', '--runTestsByPath'];
    run(process.execPath, [jest, ...only, 'jest.test.cjs']);
    run(process.execPath, ['--experimental-vm-modules', jest, '--testTimeout', '120000', '-t', faults, ...only, 'faults.test.mjs']);
  });
});
