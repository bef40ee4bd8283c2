import { expect } from 'chai';
import fc from 'fast-check';
import { formatTime, isCanonicalTime, parseTime } from '../../../api/time.js';

describe('api/time', () => {
  const two = (max: number): fc.Arbitrary<string> => fc.nat(max).map((value) => String(value).padStart(2, '0'));
  const text = fc
    .tuple(
      fc.nat(9999),
      two(13),
      two(32),
      two(25),
      two(61),
      two(61),
      fc.constantFrom('', '.5', '.000000', '.123456'),
      fc.constantFrom('Z', 'z', '+00:00'),
    )
    .map(
      ([year, month, day, hour, minute, second, fraction, zone]) =>
        `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}${fraction}${zone}`,
    );

  it('takes for canonical only what reading and writing give back', () => {
    let seen = 0;
    fc.assert(
      fc.property(text, fc.constantFrom<0 | 6>(0, 6), (time, digits) => {
        if (!isCanonicalTime(time, digits)) return;
        seen++;
        const read = parseTime(time);
        expect(read && formatTime(read, digits)).to.equal(time);
      }),
      { numRuns: 5_000 },
    );
    expect(seen).to.be.greaterThan(50);
  });

  it('reads the same instant as the platform, or none', () => {
    fc.assert(
      fc.property(text, (time) => {
        const read = parseTime(time);
        const date = new Date(time.replace(/(\.\d{3})\d*/, '$1'));
        // The platform accepts 24:00 and days that a month lacks.
        if (read !== undefined) expect(read.seconds * 1000 + Math.floor(read.nanos / 1e6)).to.equal(date.getTime());
      }),
      { numRuns: 2_000 },
    );
    expect(parseTime('2026-02-29T00:00:00Z')).to.equal(undefined);
    expect(parseTime('2024-02-29T00:00:00.000001Z')).to.deep.equal({ seconds: 1_709_164_800, nanos: 1_000 });
    expect(parseTime('2026-01-01T00:00:60Z')).to.equal(undefined);
  });
});
