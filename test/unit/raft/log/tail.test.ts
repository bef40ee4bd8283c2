import { expect } from 'chai';
import { Tail } from '../../../../raft/log/tail.js';
import { logIndex, type Entry } from '../../../../raft/types.js';
import { collectGarbage } from '../../../fixtures/collectGarbage.js';
import { entry } from './entries.js';

const command = (index: number, bytes: number): Entry => entry(index, 1, new Uint8Array(bytes));

const entryBytes = 1_000;
const tailBytes = 10 * entryBytes;

describe("the log's tail", () => {
  const indexes = (entries: readonly Entry[] | null): readonly number[] | null => entries?.map(({ index }) => index) ?? null;

  it('keeps nothing of what it has dropped', async () => {
    const tail = new Tail(tailBytes);
    const pushed: WeakRef<Entry>[] = [];
    for (let n = 1; n <= 500; n++) {
      const entry = command(n, entryBytes);
      pushed.push(new WeakRef(entry));
      tail.push(entry);
    }
    await collectGarbage();
    expect(pushed.filter((entry) => entry.deref() !== undefined)).to.have.lengthOf(tailBytes / entryBytes);
    expect(tail.first).to.equal(491);
  });

  it('keeps nothing of what was compacted away', async () => {
    const tail = new Tail(Infinity);
    const pushed = Array.from({ length: 100 }, (_, at) => {
      const entry = command(at + 1, entryBytes);
      tail.push(entry);
      return new WeakRef(entry);
    });
    tail.dropBefore(logIndex(91));
    await collectGarbage();
    expect(pushed.filter((entry) => entry.deref() !== undefined)).to.have.lengthOf(10);
  });

  it('reads what it holds up to the bytes asked for, and nothing of a range that begins before it', () => {
    const tail = new Tail(tailBytes);
    for (let n = 1; n <= 2_000; n++) tail.push(command(n, entryBytes));
    expect(indexes(tail.read(logIndex(1_991), logIndex(2_000), Infinity))).to.deep.equal([
      1991, 1992, 1993, 1994, 1995, 1996, 1997, 1998, 1999, 2000,
    ]);
    expect(indexes(tail.read(logIndex(1_995), logIndex(2_000), 2 * entryBytes))).to.deep.equal([1995, 1996]);
    expect(indexes(tail.read(logIndex(1_995), logIndex(1_996), 1))).to.deep.equal([1995]);
    expect(tail.read(logIndex(1_990), logIndex(2_000), Infinity)).to.equal(null);
  });

  it('forgets the end when it is cut there, and all when it is cut before what it holds', () => {
    const tail = new Tail(tailBytes);
    for (let n = 1; n <= 20; n++) tail.push(command(n, entryBytes));
    tail.truncateFrom(logIndex(18));
    expect(indexes(tail.read(logIndex(11), logIndex(17), Infinity))).to.deep.equal([11, 12, 13, 14, 15, 16, 17]);
    tail.truncateFrom(logIndex(5));
    expect(tail.first).to.equal(null);
    tail.push(command(5, entryBytes));
    expect(tail.first).to.equal(5);
  });
});
