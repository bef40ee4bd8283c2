import { expect } from 'chai';
import fc from 'fast-check';
import { allows, diskLevel, isBelow, quotaLevel, reserveOf, Space, spaceLevels } from '../../../../raft/replica/space.js';

const mebibyte = 1024 * 1024;
const level = fc.constantFrom(...spaceLevels);

describe('raft/replica/space', () => {
  it('reserves 64 MiB, and a quarter of a small file system', () => {
    expect(reserveOf(null, 1e12)).to.equal(64 * mebibyte);
    expect(reserveOf(null, 64 * mebibyte)).to.equal(16 * mebibyte);
    expect(reserveOf(5, 64 * mebibyte)).to.equal(5);
  });

  it('takes the less the less is free', () => {
    const levelOf = (freeBytes: number): string => diskLevel(freeBytes, { reserveBytes: 64 * mebibyte, before: 'ample' });
    expect([64, 63, 16, 15, 4, 3, 0].map((free) => levelOf(free * mebibyte))).to.deep.equal([
      'ample',
      'low',
      'low',
      'scarce',
      'scarce',
      'none',
      'none',
    ]);
    expect(spaceLevels.map((each) => [allows(each, 'growing'), allows(each, 'essential'), allows(each, 'freeing')])).to.deep.equal([
      [false, false, false],
      [false, false, true],
      [false, true, true],
      [true, true, true],
    ]);
  });

  it('ends an alarm only with some more room than began it', () => {
    const disk = { reserveBytes: 64 * mebibyte, before: 'low' } as const;
    expect(diskLevel(70 * mebibyte, disk)).to.equal('low');
    expect(diskLevel(72 * mebibyte, disk)).to.equal('ample');
    const quota = { quotaBytes: 640, before: 'low' } as const;
    expect(quotaLevel(635, quota)).to.equal('low');
    expect(quotaLevel(629, quota)).to.equal('ample');
    expect(quotaLevel(635, { ...quota, before: 'ample' })).to.equal('ample');
  });

  it('never has less room with more of it free', () => {
    const bytes = fc.nat(200 * mebibyte);
    fc.assert(
      fc.property(bytes, bytes, level, (one, other, before) => {
        const options = { reserveBytes: 64 * mebibyte, before };
        expect(isBelow(diskLevel(Math.max(one, other), options), diskLevel(Math.min(one, other), options))).to.equal(false);
      }),
    );
  });

  it('has a quota only where one was asked for, and lets what frees space go on beyond it', () => {
    expect(quotaLevel(1e15, { quotaBytes: 0, before: 'ample' })).to.equal('ample');
    fc.assert(
      fc.property(fc.nat(), fc.nat(), level, (used, quotaBytes, before) => {
        expect(allows(quotaLevel(used, { quotaBytes, before }), 'freeing')).to.equal(true);
      }),
    );
  });

  it('asks the file system once a second, and earlier only after much was taken', () => {
    let asked = 0;
    const read = () => {
      asked += 1;
      return { freeBytes: 1e12, fileSystemBytes: 1e12, storeBytes: 0 };
    };
    const space = new Space({ reserveBytes: 64 * mebibyte, quotaBytes: 0, read }, 0);
    for (let ms = 0; ms < 10_000; ms += 1) {
      space.take(100);
      space.look(ms, 0);
    }
    expect(asked, 'at the start, and after each second').to.equal(10);
    space.take(2 * mebibyte + 1);
    space.look(9_999, 0);
    expect(asked).to.equal(11);
  });

  it('counts what was taken and is not on the disk yet', () => {
    const read = () => ({ freeBytes: 100 * mebibyte, fileSystemBytes: 1e12, storeBytes: 0 });
    const space = new Space({ reserveBytes: null, quotaBytes: 0, read }, 0);
    expect(space.disk).to.equal('ample');
    space.take(10 * mebibyte);
    space.look(1, 10 * mebibyte);
    expect(space.disk).to.equal('low');
    space.look(1_001, 0);
    expect(space.disk).to.equal('ample');
  });
});
