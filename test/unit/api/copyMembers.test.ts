import { expect } from 'chai';
import fc from 'fast-check';
import { copyMembers } from '../../../api/json/copyMembers.js';

describe('copies of members', () => {
  const member = fc.oneof(fc.constantFrom('name', 'labels', '__proto__', 'constructor', '1'), fc.string());

  it('are what rest and spread would make, in the same order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(member, fc.jsonValue())),
        fc.array(member),
        fc.dictionary(member, fc.integer()),
        (entries, without, target) => {
          const source = Object.fromEntries(entries);
          const dropped = new Set(without);
          const wanted = { ...target, ...Object.fromEntries(Object.entries(source).filter(([name]) => !dropped.has(name))) };
          const copied = copyMembers<Record<string, unknown>>({ ...target }, source, dropped);
          expect(Object.entries(copied)).to.deep.equal(Object.entries(wanted));
          expect(Object.getPrototypeOf(copied)).to.equal(Object.prototype);
        },
      ),
    );
  });
});
