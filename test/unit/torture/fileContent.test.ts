import { expect } from 'chai';
import fc from 'fast-check';
import { readChanges, withoutChanges, type Change, type Survival } from '../../torture/disk/fileContent.js';

type Step = { readonly do: 'write'; readonly at: number; readonly bytes: number } | { readonly do: 'cut'; readonly size: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('write' as const), at: fc.nat(60), bytes: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const), size: fc.nat(60) }) },
);

/** The file's content after each step, and the journal. Each write uses its own byte. */
function played(steps: readonly Step[]): { readonly moments: readonly Buffer[]; readonly changes: readonly Change[] } {
  const moments = [Buffer.alloc(30, 200)];
  const changes: Change[] = [];
  for (const [index, taken] of steps.entries()) {
    const old = moments.at(-1)!;
    const [at, end] =
      taken.do === 'write' ? [taken.at, taken.at + taken.bytes] : [Math.min(taken.size, old.length), Math.max(taken.size, old.length)];
    changes.push({ at, length: end - at, sizeBefore: old.length, before: old.subarray(at, Math.max(at, Math.min(end, old.length))) });
    const next = Buffer.alloc(taken.do === 'write' ? Math.max(old.length, end) : taken.size);
    old.copy(next);
    if (taken.do === 'write') next.fill(index + 1, at, end);
    moments.push(next);
  }
  return { moments, changes };
}

const after = (steps: readonly Step[], survival: Survival): { readonly left: Buffer; readonly moments: readonly Buffer[] } => {
  const { moments, changes } = played(steps);
  return { left: withoutChanges(moments.at(-1)!, changes, survival), moments };
};
const every = (kept: (changes: number) => number): Survival => ({ pageBytes: 8, kept });

describe('torture/fileContent', () => {
  it('takes a file back to any moment as a whole', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(), (steps, number) => {
        const moment = number % (steps.length + 1);
        const { left, moments } = after(
          steps,
          every(() => moment),
        );
        expect(left).to.deep.equal(moments[moment]);
      }),
    );
  });

  it('mixes pages of different moments, and shows nothing that was in no moment', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), (steps, numbers) => {
        const { left, moments } = after(
          steps,
          every((changes) => (numbers.next().value as number) % (changes + 1)),
        );
        expect(moments.map(({ length }) => length)).to.include(left.length);
        for (let at = 0; at < left.length; at++) expect([0, ...moments.map((moment) => moment[at])]).to.include(left[at]);
      }),
    );
  });

  it('does not mix what was cut off with what came in its place', () => {
    const steps: readonly Step[] = [
      { do: 'cut', size: 0 },
      { do: 'write', at: 0, bytes: 8 },
    ];
    const [old, next] = [200, 2];
    // If the truncation survives, the page is new or empty; otherwise everything is old.
    expect([
      ...after(
        steps,
        every((changes) => changes),
      ).left,
    ]).to.deep.equal(Array(8).fill(next));
    expect([
      ...after(
        steps,
        every(() => 1),
      ).left,
    ]).to.deep.equal([]);
    const torn = (sizeMoment: number, pageMoment: number): number[] => {
      let asked = 0;
      return [
        ...new Set(
          after(
            steps,
            every(() => (asked++ === 0 ? sizeMoment : pageMoment)),
          ).left,
        ),
      ];
    };
    expect(torn(2, 0)).to.deep.equal([0]);
    expect(torn(0, 2)).to.deep.equal([old]);
  });

  it('reads the journal, without a last entry that is not whole', () => {
    const entry = (at: number, before: string): Buffer =>
      Buffer.concat([Buffer.from(BigInt64Array.of(BigInt(at), 10n, 30n, BigInt(before.length)).buffer), Buffer.from(before)]);
    const journal = Buffer.concat([entry(1, 'abc'), entry(2, '')]);
    const whole = [
      { at: 1, length: 10, sizeBefore: 30, before: Buffer.from('abc') },
      { at: 2, length: 10, sizeBefore: 30, before: Buffer.from('') },
    ];
    expect(readChanges(journal)).to.deep.equal(whole);
    expect(readChanges(Buffer.concat([journal, entry(3, 'lost').subarray(0, 34)]))).to.deep.equal(whole);
    expect(readChanges(Buffer.concat([journal, entry(3, 'lost').subarray(0, 5)]))).to.deep.equal(whole);
  });
});
