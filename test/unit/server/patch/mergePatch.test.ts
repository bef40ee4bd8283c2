import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { applyMergePatch, mergedInStep } from '../../../../server/patch/mergePatch.js';
import { inOneGo } from '../../../../api/steps.js';

/** The examples of RFC 7386, appendix A: original, patch, result. */
const examples: readonly (readonly [JsonValue, JsonValue, JsonValue])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>('x', 1, null, true),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

describe('merge patch', () => {
  it('puts members of objects that it opens in the order of their names (evanphx/json-patch)', () => {
    const target = { kind: 'K', b: { z: 1, a: { z: 1, a: 1 } }, a: { z: 1, a: 1 }, c: { y: 1 } };
    const patch = { b: { m: { z: 1, a: 1 }, l: [{ z: 1, a: 1 }] }, c: [{ z: 1, a: 1 }] };
    expect(JSON.stringify(inOneGo(applyMergePatch(target, patch)))).to.equal(
      '{"a":{"z":1,"a":1},"b":{"a":{"z":1,"a":1},"l":[{"a":1,"z":1}],"m":{"a":1,"z":1},"z":1},"c":[{"z":1,"a":1}],"kind":"K"}',
    );
  });

  examples.forEach(([original, patch, result], position) => {
    it(`follows example ${position + 1} of the RFC`, () => {
      expect(inOneGo(applyMergePatch(original, patch))).to.deep.equal(result);
    });
  });

  it('applied twice does what it does once, and changes neither argument', () => {
    fc.assert(
      fc.property(value, value, (original, patch) => {
        const before = [structuredClone(original), structuredClone(patch)];
        const once = inOneGo(applyMergePatch(original, patch));
        expect(inOneGo(applyMergePatch(once, patch))).to.deep.equal(once);
        expect([original, patch]).to.deep.equal(before);
      }),
    );
  });

  it('leaves no nulls in objects of a list, but null items', () => {
    const patch = { a: [{ b: null, c: [{ d: null }], e: 1 }, null] };
    const without = { a: [{ c: [{}], e: 1 }, null] };
    for (const original of [{}, { a: [1] }]) expect(inOneGo(applyMergePatch(original, patch))).to.deep.equal(without);
  });

  it('leaves nulls in objects of a list that replaces an object', () => {
    const patch = { a: [{ b: null, c: 1 }] };
    expect(inOneGo(applyMergePatch({ a: { d: 1 } }, patch))).to.deep.equal(patch);
  });

  it('gives a result that shares nothing with the patch', () => {
    const patch = { list: [{ item: 1 }], object: { list: ['x'] } };
    const result = inOneGo(applyMergePatch({}, patch)) as { list: JsonObject[]; object: { list: string[] } };
    result.list[0]!['changed'] = true;
    result.object.list.push('changed');
    expect(patch).to.deep.equal({ list: [{ item: 1 }], object: { list: ['x'] } });
  });

  it('stops again and again in wide objects, at any depth', () => {
    const wide = (members: number): JsonObject => Object.fromEntries(Array.from({ length: members }, (_item, index) => [`m${index}`, 1]));
    expect([...applyMergePatch({}, { a: { b: wide(10 * mergedInStep) } })]).to.have.length(10);
    expect([...applyMergePatch({}, wide(mergedInStep - 1))]).to.have.length(0);
  });
});
