import { expect } from 'chai';
import { FormTable } from '../../../../server/threads/formTable.js';

describe('threads/formTable', () => {
  const tableOf = (entries = 64): FormTable => new FormTable(new SharedArrayBuffer(FormTable.bytesFor(entries)));
  const placeOf = (table: FormTable, hash: number, version: number): number | null => {
    const standing = table.look({ hash, version });
    return standing.state === 'published' ? standing.slab * 1_000 + standing.offset : null;
  };

  it('finds what was published, by hash and version', () => {
    const table = tableOf();
    expect(table.publish({ hash: 7, version: 3 }, { slab: 2, offset: 16 })).to.equal(true);
    expect(placeOf(table, 7, 3)).to.equal(2_016);
    expect(placeOf(table, 7, 4)).to.equal(null);
    expect(placeOf(table, 8, 3)).to.equal(null);
  });

  it('keeps the newest versions of a key, and no older one in place of them', () => {
    const table = tableOf(4);
    for (let version = 1; version <= 9; version++) table.publish({ hash: 7, version }, { slab: version, offset: 0 });
    expect([5, 6, 7, 8, 9].map((version) => placeOf(table, 7, version))).to.deep.equal([null, 6_000, 7_000, 8_000, 9_000]);
    expect(table.publish({ hash: 7, version: 2 }, { slab: 1, offset: 0 })).to.equal(false);
  });

  it('takes room from older versions of the key itself before that of others', () => {
    const table = tableOf(4);
    for (const hash of [4, 8, 12]) table.publish({ hash, version: 1 }, { slab: hash, offset: 0 });
    for (let version = 1; version <= 50; version++) table.publish({ hash: 16, version }, { slab: 99, offset: version });
    expect([4, 8, 12].map((hash) => placeOf(table, hash, 1))).to.deep.equal([4_000, 8_000, 12_000]);
    expect(placeOf(table, 16, 50)).to.equal(99_050);
  });

  it('tells of a form that is being made, until it is made or given up', () => {
    const table = tableOf();
    table.claim({ hash: 7, version: 3 });
    expect(table.look({ hash: 7, version: 3 }).state).to.equal('beingMade');
    table.giveUp({ hash: 7, version: 3 });
    expect(table.look({ hash: 7, version: 3 }).state).to.equal('absent');
    table.claim({ hash: 7, version: 3 });
    table.publish({ hash: 7, version: 3 }, { slab: 1, offset: 8 });
    table.giveUp({ hash: 7, version: 3 });
    expect(placeOf(table, 7, 3)).to.equal(1_008);
  });

  it('does not wait for what is not being made any more', () => {
    const table = tableOf();
    table.claim({ hash: 7, version: 3 });
    const standing = table.look({ hash: 7, version: 3 });
    if (standing.state !== 'beingMade') throw new Error(standing.state);
    table.publish({ hash: 7, version: 3 }, { slab: 1, offset: 8 });
    table.wait(standing, Infinity);
    expect(placeOf(table, 7, 3)).to.equal(1_008);
  });

  it('orders versions around the end of 32 bits', () => {
    const table = tableOf(4);
    const first = 2 ** 32 - 2;
    for (let version = first; version < first + 8; version++) table.publish({ hash: 7, version }, { slab: 1, offset: version - first });
    expect(placeOf(table, 7, first + 7)).to.equal(1_007);
    expect(placeOf(table, 7, first)).to.equal(null);
  });
});
