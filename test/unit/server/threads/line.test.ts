import { expect } from 'chai';
import { MessageChannel } from 'node:worker_threads';
import { Line } from '../../../../server/threads/line.js';
import { SharedProgress } from '../../../../server/threads/progress.js';

interface Sums {
  readonly sum: readonly [readonly number[], number];
  readonly fail: readonly [null, null];
}

describe('threads/line', () => {
  const { port1, port2 } = new MessageChannel();
  const held: (() => void)[] = [];
  const asking = new Line<Sums & { readonly nothing: readonly [null, null] }, object>(port1, {});
  new Line<object, Sums>(port2, {
    sum: async (numbers) => {
      if (numbers.length === 0) await new Promise<void>((resolve) => held.push(resolve));
      return numbers.reduce((whole, each) => whole + each, 0);
    },
    fail: () => {
      throw new Error('cannot', { cause: new Error('because') });
    },
  });
  after(() => {
    port1.close();
  });

  it('brings each answer to its question, whichever comes first', async () => {
    const late = asking.ask('sum', []);
    expect(await Promise.all([asking.ask('sum', [1, 2]), asking.ask('sum', [3])])).to.deep.equal([3, 3]);
    held.pop()!();
    expect(await late).to.equal(0);
  });

  it('says why there is no answer', async () => {
    const reasonOf = (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await reasonOf(asking.ask('fail', null))).to.equal('cannot: because');
    expect(await reasonOf(asking.ask('nothing', null))).to.equal('nobody answers questions about nothing');
    const open = reasonOf(asking.ask('sum', []));
    asking.end(new Error('gone'));
    expect(await open).to.equal('gone');
    expect(await reasonOf(asking.ask('sum', [1]))).to.equal('gone');
  });
});

describe('threads/progress', () => {
  it('is one for all threads, but for what each has loaded', () => {
    const memory = new SharedArrayBuffer(SharedProgress.bytes);
    const [first, other] = [new SharedProgress(memory), new SharedProgress(memory)];
    first.bootstrapped = first.stopping = first.synced = true;
    const { storageAwaited, bootstrapped, stopping, synced } = other;
    expect({ storageAwaited, bootstrapped, stopping, synced }).to.deep.equal({
      storageAwaited: false,
      bootstrapped: true,
      stopping: true,
      synced: false,
    });
  });
});
