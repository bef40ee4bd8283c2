import { expect } from 'chai';
import { every, work, WorkQueue } from '../../../../controllers/client/workQueue.js';
import { FakeClock, settle } from '../../../fixtures/fakeClock.js';

describe('controllers/client/workQueue', () => {
  const queue = (options: object = {}): { clock: FakeClock; queue: WorkQueue } => {
    const clock = new FakeClock();
    return { clock, queue: new WorkQueue({ clock, ...options }) };
  };

  it('gives a key once for many additions, in the order of the first', async () => {
    const { queue: q } = queue();
    for (const key of ['a', 'b', 'a', 'a']) q.add(key);
    expect(q.length).to.equal(2);
    expect([await q.take(), await q.take()]).to.deep.equal(['a', 'b']);
  });

  it('keeps a key that is worked on from other workers, and gives it again if it was added meanwhile', async () => {
    const { queue: q } = queue();
    q.add('a');
    const key = await q.take();
    q.add('a');
    q.add('a');
    expect(q.length).to.equal(0);
    let second: string | null = 'none';
    void q.take().then((taken) => {
      second = taken;
    });
    await settle();
    expect(second).to.equal('none');
    q.done(key ?? '');
    await settle();
    expect(second).to.equal('a');
    q.done('a');
    expect(q.idle).to.equal(true);
    expect(() => q.done('a')).to.throw('not being worked on');
  });

  it('adds later, and of several waits the shortest counts', async () => {
    const { clock, queue: q } = queue();
    q.addAfter('a', 5_000);
    q.addAfter('a', 2_000);
    q.addAfter('a', 9_000);
    q.addAfter('now', 0);
    expect(q.length).to.equal(1);
    await clock.advance(1_999);
    expect(q.length).to.equal(1);
    await clock.advance(1);
    expect(q.length).to.equal(2);
    await clock.advance(10_000);
    expect(q.length).to.equal(2);
    expect(clock.pending).to.equal(0);
  });

  it('waits longer with each failure, up to a bound, and anew after forgetting', async () => {
    const { clock, queue: q } = queue({ backoffFirstMs: 100, backoffMaxMs: 350 });
    const waits: number[] = [];
    for (let count = 0; count < 4; count++) {
      const from = clock.elapsed();
      q.addRateLimited('a');
      const taken = q.take();
      while (q.idle === false && clock.pending > 0) await clock.advance(50);
      await taken;
      waits.push(clock.elapsed() - from);
      q.done('a');
    }
    expect(waits).to.deep.equal([100, 200, 350, 350]);
    expect(q.failuresOf('a')).to.equal(4);
    q.forget('a');
    expect(q.failuresOf('a')).to.equal(0);
  });

  it('gives nothing after it was closed', async () => {
    const { clock, queue: q } = queue();
    const waiting = q.take();
    q.addAfter('late', 10);
    q.close();
    expect(await waiting).to.equal(null);
    q.add('a');
    await clock.advance(100);
    expect(await q.take()).to.equal(null);
    expect(clock.pending).to.equal(0);
  });

  it('measures depth, waits, work and retries', async () => {
    const seen: string[] = [];
    const metrics = {
      added: () => seen.push('added'),
      depth: (n: number) => seen.push(`depth ${n}`),
      waited: (s: number) => seen.push(`waited ${s}`),
      worked: (s: number) => seen.push(`worked ${s}`),
      retried: () => seen.push('retried'),
    };
    const { clock, queue: q } = queue({ metrics, backoffFirstMs: 1_000 });
    q.add('a');
    await clock.advance(3_000);
    await q.take();
    await clock.advance(2_000);
    q.done('a');
    q.addRateLimited('a');
    await clock.advance(1_000);
    expect(seen).to.deep.equal(['added', 'depth 1', 'depth 0', 'waited 3', 'worked 2', 'retried', 'added', 'depth 1']);
  });

  it('works with several workers, tries again what failed, and ends when all work is over', async () => {
    const { clock, queue: q } = queue({ backoffFirstMs: 100 });
    const stopping = new AbortController();
    const finished: string[] = [];
    const failures: string[] = [];
    const release: (() => void)[] = [];
    const running = work(
      q,
      {
        workers: 2,
        onError: (key) => failures.push(key),
        retriesMax: 1,
        sync: async (key) => {
          if (key === 'bad') throw new Error('bad');
          await new Promise<void>((resolve) => {
            release.push(resolve);
          });
          finished.push(key);
        },
      },
      stopping.signal,
    );
    for (const key of ['bad', 'x', 'y', 'z']) q.add(key);
    await settle();
    expect(release).to.have.length(2);
    release.shift()?.();
    await settle();
    expect([finished, release.length]).to.deep.equal([['x'], 2]);
    release.shift()?.();
    await clock.advance(60_000);
    // It is retried once, then waits for its next change.
    expect(failures).to.deep.equal(['bad', 'bad']);
    stopping.abort();
    let over = false;
    void running.then(() => {
      over = true;
    });
    await settle();
    expect(over).to.equal(false);
    release.shift()?.();
    await settle();
    expect([over, finished]).to.deep.equal([true, ['x', 'y', 'z']]);
  });

  it('comes back after the time that a sync asks for', async () => {
    const { clock, queue: q } = queue();
    const stopping = new AbortController();
    const at: number[] = [];
    const running = work(
      q,
      {
        workers: 1,
        sync: () => {
          at.push(clock.elapsed());
          return Promise.resolve({ againAfterMs: 5_000 });
        },
      },
      stopping.signal,
    );
    q.add('a');
    await clock.advance(12_000);
    expect(at).to.deep.equal([0, 5_000, 10_000]);
    stopping.abort();
    await running;
  });

  it('repeats a task after a pause from its end', async () => {
    const clock = new FakeClock();
    const stopping = new AbortController();
    let calls = 0;
    const running = every(
      clock,
      1_000,
      () => {
        calls++;
        return Promise.resolve();
      },
      stopping.signal,
    );
    await clock.advance(2_500);
    expect(calls).to.equal(3);
    stopping.abort();
    await running;
  });
});
