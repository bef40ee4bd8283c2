import { expect } from 'chai';
import fc from 'fast-check';
import { writingJson } from '../../../../workers/codecs/jsonSteps.js';
import { writeJson } from '../../../../workers/codecs/jsonWriter.js';
import { inOneGo, type Steps } from '../../../../api/steps.js';

const holdsBigInteger = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null && Object.values(value).some(holdsBigInteger));

function longestStep(steps: Steps<unknown>, work: { readonly done: () => number }): number {
  let [longest, before] = [0, work.done()];
  for (let over = false; !over; before = work.done()) {
    over = steps.next().done === true;
    longest = Math.max(longest, work.done() - before);
  }
  return longest;
}

describe('JSON that is written in steps', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      fc.bigInt(),
      fc.constant(undefined),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.oneof(fc.string(), fc.nat().map(String)), tie('value'), { maxKeys: 6 }),
    ),
  }));

  it('is the text that is written in one go', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, 5, undefined), (given, most) => {
        const written = inOneGo(writingJson(given, most));
        expect(written).to.deep.equal({ text: writeJson(given), bigIntegers: holdsBigInteger(given) });
      }),
    );
  });

  it('writes no more in one step than its limit', () => {
    let read = 0;
    const count = 20_000;
    const items = Array.from({ length: count }, (_item, index) => ({ toJSON: () => (read++, index) }));
    for (const wide of [items, Object.fromEntries(items.map((item, index) => [`k${index}`, item]))]) {
      read = 0;
      expect(longestStep(writingJson(wide), { done: () => read })).to.be.lessThan(1_100);
      expect(read).to.equal(count);
    }
  });
});
