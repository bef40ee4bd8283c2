import { expect } from 'chai';
import { newBackend, type Backend } from '../../../deploy/backends.js';
import { idleAfterMs, probeIntervalMs, ProbeSchedule } from '../../../deploy/probeSchedule.js';
import { FakeClock } from '../../fixtures/fakeClock.js';

describe('deploy/probeSchedule', () => {
  /** Backends in these states, and the times of their checks since the last call. */
  const world = async (
    states: Backend['state'][] = ['up', 'up'],
  ): Promise<{ clock: FakeClock; looks: ProbeSchedule; take: () => number[][] }> => {
    const clock = new FakeClock();
    const backends = states.map((state, at) => ({ ...newBackend('127.0.0.1', at + 1), state }));
    const times: number[][] = backends.map(() => []);
    const look = (backend: Backend): Promise<void> => {
      times[backends.indexOf(backend)]?.push(clock.elapsed());
      return Promise.resolve();
    };
    await clock.advance(70);
    const looks = new ProbeSchedule(backends, look, clock);
    looks.start();
    await clock.advance(0);
    return { clock, looks, take: () => times.map((list) => list.splice(0)) };
  };

  it('looks at all backends in the same moments, however they began', async () => {
    const { clock, take } = await world();
    expect(take()).to.deep.equal([[70], [70]]);
    await clock.advance(2 * probeIntervalMs.usual);
    expect(take()).to.deep.equal([
      [500, 1000],
      [500, 1000],
    ]);
  });

  it('looks often while no backend is up, and as usual while only some are, however quiet it is', async () => {
    const none = await world(['down', 'unknown']);
    await none.clock.advance(130);
    expect(none.take()[0]).to.deep.equal([70, 100, 150, 200]);
    const some = await world(['up', 'down']);
    await some.clock.advance(2 * idleAfterMs);
    some.take();
    await some.clock.advance(2 * probeIntervalMs.usual);
    expect(some.take().map((list) => list.length)).to.deep.equal([2, 2]);
  });

  it('looks rarely when nothing has stirred for long, and at once when something does', async () => {
    const { clock, looks, take } = await world();
    await clock.advance(idleAfterMs + probeIntervalMs.idle);
    take();
    await clock.advance(2 * probeIntervalMs.idle);
    expect(take().map((list) => list.length)).to.deep.equal([2, 2]);

    await clock.advance(100);
    take();
    const stirredAt = clock.elapsed();
    looks.stir();
    expect(take()).to.deep.equal([[stirredAt], [stirredAt]]);
    // Checks are frequent already: another client changes nothing.
    looks.stir();
    await clock.advance(2 * probeIntervalMs.usual);
    const [first = []] = take();
    expect(first).to.have.length(2);
    expect((first[1] ?? 0) - (first[0] ?? 0)).to.equal(probeIntervalMs.usual);
    expect(clock.pending).to.equal(2);
  });

  it('never looks at a backend again while it looks at it', async () => {
    const clock = new FakeClock();
    const backends = [{ ...newBackend('127.0.0.1', 1), state: 'up' as const }];
    let begun = 0;
    let answer = (): void => undefined;
    const looks = new ProbeSchedule(
      backends,
      () => {
        begun += 1;
        return new Promise((resolve) => (answer = resolve));
      },
      clock,
    );
    looks.start();
    await clock.advance(idleAfterMs);
    looks.stir();
    expect(begun).to.equal(1);
    answer();
    await clock.advance(probeIntervalMs.usual);
    expect(begun).to.equal(2);
    looks.close();
    answer();
    await clock.advance(idleAfterMs);
    expect([begun, clock.pending]).to.deep.equal([2, 0]);
  });
});
