import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** Contents of a folder's files by path. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]),
  );

describe('api/reference', () => {
  it('has a page for every module, and says of the library for tests what its doc comments say: otherwise, npm run docs', function () {
    this.timeout(180_000);
    const typedoc = path.join(packageRoot, '.ci', 'tools', 'node_modules', 'typedoc', 'bin', 'typedoc');
    // Not a development dependency: .ci/run and npm run docs install it.
    if (!fs.existsSync(typedoc)) this.skip();
    const out = temporaryDirectory('reference');
    const options = path.join(packageRoot, 'docs', 'typedoc.json');
    const { status, stdout, stderr } = spawnSync(process.execPath, [typedoc, '--options', options, '--out', out], { encoding: 'utf8' });
    expect(status, stdout + stderr).to.equal(0);
    const made = contents(out);
    const kept = contents(path.join(packageRoot, 'docs', 'api'));
    expect(Object.keys(made)).to.deep.equal(Object.keys(kept));
    // Other pages follow at each release, so that comments need not change twice.
    const library = path.join('raftplane', 'testing.md');
    expect(made[library]).to.equal(kept[library]);
  });
});
