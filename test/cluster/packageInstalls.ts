import { expect } from 'chai';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

/** .ci/run installs them; they are no development dependencies. */
const tool = (...names: readonly string[]): string => path.join(packageRoot, '.ci', 'tools', 'node_modules', ...names);
const pnpm = tool('pnpm', 'bin', 'pnpm.cjs');
const yarn = tool('@yarnpkg', 'cli-dist', 'bin', 'yarn.js');
const bun = tool('@oven', 'bun-linux-x64', 'bin', 'bun');
const nodes = {
  ...(process.version.startsWith('v20.') ? { 20: process.execPath } : {}),
  22: tool('node22', 'bin', 'node'),
  24: tool('node24', 'bin', 'node'),
};

const program = `
import { startApiServer } from 'raftplane/testing';
const server = await startApiServer();
const name = 'one';
await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { name } });
const found = await server.waitFor({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }, 'object.data.name == "one"');
console.log(found.data.name);
await server.stop();
`;

interface Installer {
  readonly add: (tarball: string) => readonly string[];
  readonly environment?: () => NodeJS.ProcessEnv;
  /** Flags for Node to find the installed package. */
  readonly nodeFlags?: readonly string[];
}

const registry = (): string => spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();

const installers: Readonly<Record<string, Installer>> = {
  npm: { add: (tarball) => ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball] },
  pnpm: { add: (tarball) => [process.execPath, pnpm, 'add', '--prefer-offline', '--store-dir', 'store', tarball] },
  "yarn's Plug'n'Play": {
    add: (tarball) => [process.execPath, yarn, 'add', `raftplane@file:${tarball}`],
    environment: () => ({
      YARN_NPM_REGISTRY_SERVER: registry(),
      YARN_UNSAFE_HTTP_WHITELIST: '*',
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
      YARN_ENABLE_TELEMETRY: 'false',
      YARN_GLOBAL_FOLDER: 'yarn-global',
    }),
    nodeFlags: ['--require', './.pnp.cjs', '--experimental-loader', './.pnp.loader.mjs'],
  },
  bun: {
    add: (tarball) => [bun, 'add', tarball],
    environment: () => ({ BUN_CONFIG_REGISTRY: registry(), BUN_INSTALL: 'bun-global' }),
  },
};

function barePath(): string {
  const folder = temporaryDirectory('bare');
  const { stdout } = spawnSync('sh', ['-c', 'for name in node npm sh; do command -v $name; done'], { encoding: 'utf8' });
  for (const file of stdout.trim().split('\n')) fs.symlinkSync(fs.realpathSync(file), path.join(folder, path.basename(file)));
  return folder;
}

/** Installers warn of scripts that they did not run, and of packages for another Node. */
const doubts = /install-scripts|build scripts|YN0004|YN0005|EBADENGINE|Unsupported engine|untrusted|blocked/i;

/** Installs the tarball into empty projects, and starts a server under each Node. */
export function installTests(tarball: () => string): void {
  for (const [name, { add, environment = () => ({}), nodeFlags = [] }] of Object.entries(installers))
    describe(`installed by ${name} without a compiler (with the tools of .ci/tools)`, () => {
      let project = '';
      let bare = '';
      const run = (file: string, args: readonly string[]): SpawnSyncReturns<string> =>
        spawnSync(file, args, {
          cwd: project,
          encoding: 'utf8',
          env: { ...process.env, PATH: bare, RAFTPLANE_SQLITE: '', NODE_OPTIONS: '', NODE_PATH: '', ...environment() },
        });

      before(function () {
        if (![...Object.values(nodes), pnpm, yarn, bun].every((file) => fs.existsSync(file))) this.skip();
        this.timeout(300_000);
        project = temporaryDirectory('project');
        bare = barePath();
        fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
        fs.writeFileSync(path.join(project, 'use.js'), program);
        // Marks the root of a project of yarn.
        fs.writeFileSync(path.join(project, 'yarn.lock'), '');
        const [file = '', ...args] = add(tarball());
        const { status, stdout, stderr } = run(file, args);
        expect(status, stdout + stderr).to.equal(0);
        expect(stdout + stderr).not.to.match(doubts);
      });

      // In one folder, so that another Node needs no new installation.
      for (const [version, node] of Object.entries(nodes))
        it(`starts a server on Node ${version}`, () => {
          const { stdout, stderr } = run(node, [...nodeFlags, 'use.js']);
          expect(stdout, stderr).to.equal('one\n');
        });

      if (name === 'bun')
        it('says under Bun that it needs Node', () => {
          const { status, stderr } = run(bun, ['use.js']);
          expect(status).not.to.equal(0);
          expect(stderr).to.contain('raftplane/testing needs Node');
        });
    });
}
