import { expect } from 'chai';
import { copyOf } from '../../../api/json/copy.js';
import type { JsonObject } from '../../../api/object.js';

describe('copies of values', () => {
  for (const members of [3, 5_000]) {
    it(`share nothing with an object of ${members} members, whatever their names`, () => {
      const text = JSON.stringify(
        Object.fromEntries(Array.from({ length: members }, (_item, index) => [`m${index}`, index % 2 === 0 ? 'x' : ['y']])),
      );
      for (const odd of ['"text"', '{"polluted":true}']) {
        const value = JSON.parse(text.replace('{', `{"__proto__":${odd},`)) as JsonObject;
        const copy = copyOf(value);
        expect(JSON.stringify(copy)).to.equal(JSON.stringify(value));
        expect(Object.getPrototypeOf(copy)).to.equal(Object.prototype);
        expect(copy['m1']).to.not.equal(value['m1']);
      }
    });
  }
});
