import { expect } from 'chai';
import { inOneGo } from '../../../../api/steps.js';
import { applyJsonPatch } from '../../../../server/patch/jsonPatch.js';
import { PatchError } from '../../../../server/patch/patchError.js';
import type { JsonObject } from '../../../../api/object.js';
import { placeInMerge, placeInOperations, withSpelledTests, withSpellings } from '../../../../server/patch/spellings.js';
import { jsonCodec } from '../../../../workers/codecs/json.js';
import { depthMax } from '../../../../workers/codecs/contract.js';
import { NumberLiteral } from '../../../../workers/codecs/value.js';

const textOf = (value: unknown): unknown => (value instanceof NumberLiteral ? value.text : value);

describe('patch/spellings', () => {
  it('copies a map once, however many of its numbers are spelled, and shares the rest', () => {
    let copies = 0;
    const numbers = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, index]));
    const counted = new Proxy(numbers, { ownKeys: (target) => ((copies += 1), Reflect.ownKeys(target)) });
    const object: JsonObject = { spec: { counted, other: {} } };
    const spellings = Object.entries(numbers).map(([name, value]) => ({ path: ['spec', 'counted', name], text: `${value}.0` }));
    const spelled = withSpellings(object, spellings, placeInMerge) as {
      readonly spec: { readonly counted: JsonObject; readonly other: JsonObject };
    };
    expect(copies).to.equal(1);
    expect(Object.values(spelled.spec.counted).map(textOf)).to.deep.equal(spellings.map(({ text }) => text));
    expect(spelled.spec.other).to.equal((object['spec'] as JsonObject)['other']);
    expect(numbers['n7']).to.equal(7);
  });

  it('spells the values of operations where they stand, also at the end of a list', () => {
    const patch = [
      { op: 'test', path: '/spec/a', value: 1 },
      { op: 'add', path: '/spec/list/-', value: 2 },
    ];
    const spellings = [
      { path: ['0', 'value'], text: '1.0' },
      { path: ['1', 'value'], text: '2.0' },
    ];
    const { spec } = withSpellings({ spec: { a: 1, list: [1, 2] } }, spellings, placeInOperations(patch)) as Readonly<
      Record<string, JsonObject>
    >;
    expect(spec?.['a']).to.equal(1);
    expect((spec?.['list'] as unknown[]).map(textOf)).to.deep.equal([1, '2.0']);
  });

  it('finds no stored number that is written as a test writes it (`lazyNode.equal` of evanphx/json-patch)', () => {
    const passes = (value: JsonObject, text: string, ...more: readonly JsonObject[]): boolean => {
      const patch = [{ op: 'test', path: '/spec', value }, ...more];
      const spelled = withSpelledTests(patch, [{ path: [String(patch.length - 1), 'value', 'a'], text }]);
      try {
        return inOneGo(applyJsonPatch({ spec: { a: 1 } }, spelled)) !== null;
      } catch (error) {
        expect(error).to.be.instanceOf(PatchError);
        return false;
      }
    };
    expect(passes({ a: 1 }, '1.0')).to.equal(false);
    expect(passes({ a: 1 }, '2.0')).to.equal(true);
    expect(passes({ a: 1 }, '1.0', { op: 'add', path: '/spec', value: { a: 1 } })).to.equal(true);
  });

  it('leaves a list alone that has taken the place of a map with a length', () => {
    const object = { spec: { a: [1, 2] } };
    const spelled = withSpellings(
      object,
      [{ path: ['0', 'value', 'length'], text: '2.0' }],
      placeInOperations([{ op: 'add', path: '/spec/a', value: {} }]),
    );
    expect(spelled).to.equal(object);
  });

  it('are read only where they are asked for', () => {
    const bytes = Buffer.from('{"a":2.0}');
    expect(jsonCodec.decode(bytes, { findDuplicates: false, depthMax })).not.to.have.property('spellings');
    expect(jsonCodec.decode(bytes, { findDuplicates: false, findSpellings: true, depthMax }))
      .to.have.property('spellings')
      .that.deep.equals([{ path: ['a'], text: '2.0' }]);
  });
});
