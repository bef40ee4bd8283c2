import { expect } from 'chai';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

/** Not development dependencies: .ci/run installs them beside. */
const tool = (...names: readonly string[]): string => path.join(packageRoot, '.ci', 'tools', 'node_modules', ...names);
const pnpm = tool('pnpm', 'bin', 'pnpm.cjs');
const nodes = { 22: tool('node22', 'bin', 'node'), 24: tool('node24', 'bin', 'node') };

const program = `
import { startApiServer } from 'raftplane/testing';
const server = await startApiServer();
const name = 'one';
await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { name } });
const found = await server.waitFor({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }, 'object.data.name == "one"');
console.log(found.data.name);
await server.stop();
`;

/** How projects without a compiler install the package: no install script runs, which is pnpm's own way. */
const installers: Readonly<Record<string, (tarball: string) => readonly string[]>> = {
  npm: (tarball) => ['npm', 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', tarball],
  pnpm: (tarball) => [process.execPath, pnpm, 'add', '--prefer-offline', '--store-dir', 'store', tarball],
};

/** Installs the tarball into empty projects, and starts a server under each Node. */
export function installTests(tarball: () => string): void {
  for (const [name, words] of Object.entries(installers))
    describe(`installed by ${name} without a compiler (with the tools of .ci/tools)`, () => {
      let project = '';
      const run = (file: string, args: readonly string[]): SpawnSyncReturns<string> =>
        spawnSync(file, args, { cwd: project, encoding: 'utf8', env: { ...process.env, RAFTPLANE_SQLITE: '', NODE_OPTIONS: '' } });

      before(function () {
        if (!Object.values(nodes).every((node) => fs.existsSync(node)) || !fs.existsSync(pnpm)) this.skip();
        this.timeout(300_000);
        project = temporaryDirectory('project');
        fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
        fs.writeFileSync(path.join(project, 'use.js'), program);
        const [file = '', ...args] = words(tarball());
        const { status, stdout, stderr } = run(file, args);
        expect(status, stdout + stderr).to.equal(0);
      });

      // One after the other in one folder: nothing is installed again where the Node changes.
      for (const [version, node] of Object.entries(nodes))
        it(`starts a server on Node ${version}`, () => {
          const { stdout, stderr } = run(node, ['use.js']);
          expect(stdout, stderr).to.equal('one\n');
        });

      it('says what to do on Node 20', function () {
        if (!process.version.startsWith('v20.')) this.skip();
        const { status, stderr } = run(process.execPath, ['use.js']);
        expect(status).not.to.equal(0);
        expect(stderr)
          .to.contain('better-sqlite3: its native code was not built')
          .and.to.contain('npm rebuild better-sqlite3')
          .and.to.contain('pnpm approve-builds');
      });
    });
}
