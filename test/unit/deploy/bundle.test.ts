import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('deploy/bundle', () => {
  it('puts new programs in the place of those before, of which nothing stays', async () => {
    const { replaceFolder } = (await import(pathToFileURL(path.join(packageRoot, 'deploy', 'bundle.mjs')).href)) as {
      readonly replaceFolder: (place: string, by: string) => void;
    };
    const parent = temporaryDirectory('bundle');
    const place = path.join(parent, 'programs');
    for (const name of ['first', 'second']) {
      const made = path.join(parent, 'programs.1');
      fs.mkdirSync(made);
      fs.writeFileSync(path.join(made, `part-${name}.js`), '');
      replaceFolder(place, made);
      expect(fs.readdirSync(parent)).to.deep.equal(['programs']);
      expect(fs.readdirSync(place)).to.deep.equal([`part-${name}.js`]);
    }
  });
});

describe('deploy/binary', () => {
  it('refuses a wrong command line before it makes anything', () => {
    const module = pathToFileURL(path.join(packageRoot, 'deploy', 'binary', 'build.mjs')).href;
    const script = `import { makeBinary } from '${module}'; process.exit(await makeBinary('/nowhere', ['--bad']));`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(status).to.equal(2);
    expect(stderr).to.match(/^error: Unknown option '--bad'.*\n\nusage: npm run binary/);
  });
});
