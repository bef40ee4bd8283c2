import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../../deploy/files.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('deploy/files', () => {
  it('makes folders with those above them, and bears that they exist', () => {
    const folder = path.join(temporaryDirectory('folders'), 'a', 'b');
    makeFolder(folder, 0o700);
    makeFolder(folder);
    expect(fs.statSync(folder).mode & 0o777).to.equal(0o700);
  });

  it('says at once where no folder can be made, also where mkdir with recursive never ends', function () {
    if (process.platform !== 'linux') this.skip();
    expect(() => makeFolder('/proc/raftplane/data')).to.throw('/proc/raftplane cannot be made');
    const file = path.join(temporaryDirectory('folders'), 'file');
    fs.writeFileSync(file, '');
    expect(() => makeFolder(path.join(file, 'below'))).to.throw('cannot be made');
  });
});
