import { expect } from 'chai';
import fc from 'fast-check';
import { laidOut } from '../../../../program/port/layout.js';

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

describe('JSON for people', () => {
  it('is laid out as JSON.stringify does it, however it comes in parts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.array(fc.nat(), { maxLength: 8 }), (value, places) => {
        const parts = cut(Buffer.from(`${JSON.stringify(value)}\n`), places);
        expect(Buffer.concat([...laidOut(parts)]).toString()).to.equal(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('leaves strings alone that look like JSON', () => {
    const value = { 'a"{': ['\\"', '\\\\', '{"x":[1,2]}', 'a\n\u2028b', '', {}, []], b: { c: {} } };
    expect(Buffer.concat([...laidOut([Buffer.from(JSON.stringify(value))])]).toString()).to.equal(JSON.stringify(value, null, 2));
  });

  it('works through a long part in steps', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ name: `object-${index}` }));
    const steps = [...laidOut([Buffer.from(JSON.stringify(items))])];
    expect(steps.length).to.be.greaterThan(5);
    expect(Buffer.concat(steps).toString()).to.equal(JSON.stringify(items, null, 2));
  });
});
