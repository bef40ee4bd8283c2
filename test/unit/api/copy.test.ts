import { expect } from 'chai';
import { copyInSteps, copyOf } from '../../../api/json/copy.js';
import type { JsonObject } from '../../../api/object.js';
import { inOneGo } from '../../../api/steps.js';

describe('copies of values', () => {
  const inAllSteps = (value: JsonObject): JsonObject => inOneGo(copyInSteps(value));
  for (const [how, members, copied] of [
    ['at once', 3, copyOf],
    ['at once', 5_000, copyOf],
    ['in steps', 3, inAllSteps],
    ['in steps', 5_000, inAllSteps],
  ] as readonly (readonly [string, number, (value: JsonObject) => JsonObject])[]) {
    it(`share nothing with an object of ${members} members, whatever their names, ${how}`, () => {
      const text = JSON.stringify(
        Object.fromEntries(Array.from({ length: members }, (_item, index) => [`m${index}`, index % 2 === 0 ? 'x' : ['y']])),
      );
      for (const odd of ['"text"', '{"polluted":true}']) {
        const value = JSON.parse(text.replace('{', `{"__proto__":${odd},`)) as JsonObject;
        const copy = copied(value);
        expect(JSON.stringify(copy)).to.equal(JSON.stringify(value));
        expect(Object.getPrototypeOf(copy)).to.equal(Object.prototype);
        expect(copy['m1']).to.not.equal(value['m1']);
      }
    });
  }

  it('pause within wide objects and long lists', () => {
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_item, index) => [`m${index}`, 'x']));
    const long = { list: Array.from({ length: 5_000 }, () => ({ a: 1 })) };
    for (const value of [wide, long]) expect([...copyInSteps(value)]).to.have.length.above(10);
  });
});
