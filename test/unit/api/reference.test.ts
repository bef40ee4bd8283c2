import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** Every file below a folder, by its path in it. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]),
  );

describe('api/reference', () => {
  it('is what the doc comments say: otherwise, npm run docs', function () {
    this.timeout(180_000);
    const typedoc = path.join(packageRoot, '.ci', 'tools', 'node_modules', 'typedoc', 'bin', 'typedoc');
    // Not a development dependency: .ci/run and npm run docs install it beside.
    if (!fs.existsSync(typedoc)) this.skip();
    const out = temporaryDirectory('reference');
    const options = path.join(packageRoot, 'docs', 'typedoc.json');
    const { status, stdout, stderr } = spawnSync(process.execPath, [typedoc, '--options', options, '--out', out], { encoding: 'utf8' });
    expect(status, stdout + stderr).to.equal(0);
    const made = contents(out);
    const kept = contents(path.join(packageRoot, 'docs', 'api'));
    expect(Object.keys(made)).to.deep.equal(Object.keys(kept));
    for (const [name, text] of Object.entries(made)) expect(text === kept[name], name).to.equal(true);
  });
});
