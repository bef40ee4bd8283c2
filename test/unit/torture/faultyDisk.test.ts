import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { FaultyDisks, type DiskFault } from '../../torture/disk/faultyDisk.js';

const program = `
  const fs = require('node:fs');
  const tried = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
  const answers = process.argv.slice(1).map((name) => {
    const file = fs.openSync(name, 'w');
    return [tried(() => fs.writeSync(file, 'x')), tried(() => fs.fdatasyncSync(file))];
  });
  process.stdout.write(JSON.stringify(answers));
`;

describe('torture/faultyDisk', () => {
  it('fails for files below its directory alone, in the way it is told to', function () {
    const directory = fs.realpathSync(temporaryDirectory('disks'));
    const disks = FaultyDisks.make(path.join(directory, 'control'));
    if (disks === null) this.skip();
    const data = path.join(directory, 'data');
    fs.mkdirSync(data);
    const answers = (state: DiskFault | 'good'): unknown => {
      const env = { ...process.env, ...disks.environment('a', data) };
      disks.set('a', state, 1);
      return JSON.parse(spawnSync(process.execPath, ['-e', program, path.join(data, 'one'), path.join(directory, 'other')], { env, encoding: 'utf8' }).stdout);
    };
    const good = ['done', 'done'];
    expect(answers('good')).to.deep.equal([good, good]);
    expect(answers('slow')).to.deep.equal([good, good]);
    expect(answers('full')).to.deep.equal([['ENOSPC', 'done'], good]);
    expect(answers('syncFails')).to.deep.equal([['done', 'EIO'], good]);
  });
});
