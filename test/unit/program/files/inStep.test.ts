import { expect } from 'chai';
import fc from 'fast-check';
import { inStep, untilNext } from '../../../../program/files/inStep.js';

describe('what is done now and then', () => {
  it('is due at multiples of its interval, half an interval from now at the earliest', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.integer({ min: 20, max: 60_000 }), (now, interval) => {
        const next = now + untilNext(now, interval);
        expect(Math.abs(next / interval - Math.round(next / interval))).to.be.lessThan(1e-6);
        expect(untilNext(now, interval)).to.be.within(interval / 2 - 1e-3, 1.5 * interval + 1e-3);
      }),
    );
  });

  it('is done once in each interval, be the timer a little early or late, and together with what has a multiple of its interval', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.array(fc.integer({ min: -900, max: 900 }), { maxLength: 20 }), (begun, errors) => {
        let now = begun + untilNext(begun, 2_000);
        for (const error of errors) {
          const fired = now + error;
          now = fired + untilNext(fired, 2_000);
          expect(now).to.equal(fired - error + 2_000);
        }
        const other = begun + untilNext(begun, 10_000);
        expect(other % 2_000).to.equal(0);
      }),
    );
  });

  it('goes on until it is stopped', async () => {
    let times = 0;
    await new Promise<void>((resolve) => {
      const repeated = inStep(1, () => {
        times += 1;
        if (times < 3) return;
        repeated.stop();
        resolve();
      });
      // The timer keeps the process alive.
      setTimeout(() => undefined, 1_000);
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(times).to.equal(3);
  });
});
