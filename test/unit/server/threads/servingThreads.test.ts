import { expect } from 'chai';
import { servingThreadsOf } from '../../../../server/threads/servingThreads.js';

describe('how many threads serve', () => {
  const asked = { 'serving-threads': 0, 'storage-backend': 'etcd3', 'etcd-servers': [] as readonly string[] } as const;
  const own = (cores: number): { cores: number; ownProcess: boolean } => ({ cores, ownProcess: true });

  it('as many as were asked for, whatever the machine has', () => {
    for (const threads of [1, 2, 8]) expect(servingThreadsOf({ ...asked, 'serving-threads': threads }, own(4))).to.equal(threads);
  });

  it('one less than there are cores, from one to eight, where no number is asked for', () => {
    expect([1, 2, 3, 8, 9, 64].map((cores) => servingThreadsOf(asked, own(cores)))).to.deep.equal([1, 1, 2, 7, 8, 8]);
  });

  it('one, where threads are no use: over another store, and in a server that is a thread itself', () => {
    expect(servingThreadsOf({ ...asked, 'etcd-servers': ['https://a:1'] }, own(8))).to.equal(1);
    expect(servingThreadsOf({ ...asked, 'storage-backend': 'memory' }, own(8))).to.equal(1);
    expect(servingThreadsOf(asked, { cores: 8, ownProcess: false })).to.equal(1);
  });
});
