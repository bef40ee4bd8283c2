import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTemporaryFolder, removeLeftovers } from '../../../../deploy/testing/folder.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

describe('testing/temporary folders', () => {
  const inPlace = <T>(place: string, work: () => T): T => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = place;
    try {
      return work();
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  };

  it('are where TMPDIR says, each one new and closed to others', () => {
    const place = temporaryDirectory('place');
    const [one, other] = inPlace(place, () => [makeTemporaryFolder(), makeTemporaryFolder()] as const);
    expect([path.dirname(one), path.dirname(other)]).to.deep.equal([place, place]);
    expect(one).not.to.equal(other);
    expect(fs.statSync(one).mode & 0o777).to.equal(0o700);
  });

  it('go once their process is no more, and nothing else goes', () => {
    const place = temporaryDirectory('place');
    const mine = inPlace(place, makeTemporaryFolder);
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    const left = mine.replace(`-${process.pid}-`, `-${ended}-`);
    // They belong to a process of that id in another container, and to another program.
    const others = [
      left.replace(/raftplane-\d+-/, 'raftplane-1-'),
      path.join(place, 'raftplane-x'),
      path.join(place, `other-1-${ended}-a`),
    ];
    for (const folder of [left, ...others]) fs.mkdirSync(folder);
    fs.writeFileSync(path.join(left, 'file'), '');
    removeLeftovers(place);
    expect(fs.readdirSync(place).sort()).to.deep.equal([mine, ...others].map((folder) => path.basename(folder)).sort());
  });
});
