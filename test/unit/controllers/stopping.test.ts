import { expect } from 'chai';
import { stopped } from '../../../controllers/stopping.js';
import { FakeClock, settle } from '../../fixtures/fakeClock.js';

describe('controllers/stopping', () => {
  const world = () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const said: string[] = [];
    let end = (): void => undefined;
    let fail = (_: Error): void => undefined;
    const work = new Promise<void>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    const options = {
      signal: stop.signal,
      clock,
      graceMs: 5_000,
      onLate: () => {
        said.push('late');
      },
    };
    const start = (): void => {
      void stopped(work, options).then(
        () => said.push('over'),
        (error: Error) => said.push(error.message),
      );
    };
    return {
      clock,
      stop,
      said,
      start,
      end: () => {
        end();
      },
      fail: (error: Error) => {
        fail(error);
      },
    };
  };

  it('waits for work that is not asked to stop, however long', async () => {
    const { clock, said, start, end } = world();
    start();
    await clock.advance(3_600_000);
    expect(said).to.deep.equal([]);
    end();
    await settle();
    expect(said).to.deep.equal(['over']);
  });

  it('waits for work that stops within its time, and leaves no timer', async () => {
    const { clock, stop, said, start, end } = world();
    start();
    stop.abort();
    await clock.advance(4_999);
    expect(said).to.deep.equal([]);
    end();
    await settle();
    expect([said, clock.pending]).to.deep.equal([['over'], 0]);
  });

  it('goes on without work that does not stop, and says so', async () => {
    for (const early of [true, false]) {
      const { clock, stop, said, start } = world();
      if (early) stop.abort();
      start();
      if (!early) stop.abort();
      await clock.advance(5_000);
      expect(said).to.deep.equal(['late', 'over']);
    }
  });

  it('fails as the work does', async () => {
    const { said, start, fail } = world();
    start();
    fail(new Error('broken'));
    await settle();
    expect(said).to.deep.equal(['broken']);
  });
});
