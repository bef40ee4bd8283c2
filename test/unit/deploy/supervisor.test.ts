import { expect } from 'chai';
import type { Exit } from '../../../deploy/managedProcess.js';
import { Supervisor } from '../../../deploy/supervisor.js';
import { FakeClock } from '../../fixtures/fakeClock.js';

const lostLease: Exit = { code: 1, signal: null, expected: false };

describe('deploy/supervisor', () => {
  const world = (): { clock: FakeClock; supervisor: Supervisor; starts: number[] } => {
    const clock = new FakeClock();
    const starts: number[] = [];
    const supervisor: Supervisor = new Supervisor(() => {
      starts.push(clock.elapsed());
      supervisor.started();
    }, clock);
    return { clock, supervisor, starts };
  };

  it('starts again what failed, and leaves alone what ended in order, was asked to, or has a wrong command line', () => {
    const cases: [Exit, number | null][] = [
      [lostLease, 1_000],
      [{ code: null, signal: 'SIGKILL', expected: false }, 1_000],
      [{ code: null, signal: null, expected: false }, 1_000],
      [{ code: 0, signal: null, expected: false }, null],
      [{ code: 2, signal: null, expected: false }, null],
      [{ code: null, signal: 'SIGKILL', expected: true }, null],
      [{ code: 1, signal: null, expected: true }, null],
    ];
    for (const [exit, waitMs] of cases) expect(world().supervisor.ended(exit), JSON.stringify(exit)).to.equal(waitMs);
  });

  it('waits longer after each failure up to a bound, and begins anew with one who was well for a while', async () => {
    const { clock, supervisor, starts } = world();
    const waits: (number | null)[] = [];
    for (let round = 0; round < 7; round++) {
      const waitMs = supervisor.ended(lostLease);
      waits.push(waitMs);
      await clock.advance(waitMs ?? 0);
    }
    expect(waits).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(starts).to.have.length(7);
    await clock.advance(60_000);
    expect(supervisor.ended(lostLease)).to.equal(1_000);
  });

  it('starts nothing after the stop, or when somebody else did', async () => {
    const { clock, supervisor, starts } = world();
    supervisor.ended(lostLease);
    supervisor.stop();
    await clock.advance(60_000);
    supervisor.ended(lostLease);
    supervisor.started();
    await clock.advance(60_000);
    expect(starts).to.deep.equal([]);
  });
});
