import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../../api/object.js';
import { FieldSet, FieldSetBuilder, keyElement } from '../../../../../server/patch/apply/fieldSet.js';

const element = fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:"s"', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const fieldSet = fc.array(path, { maxLength: 12 }).map((paths) => {
  const builder = new FieldSetBuilder();
  for (const each of paths) builder.insert(each);
  return builder.build();
});
const spelled = (set: FieldSet): string[] => [...set.paths()].map((each) => each.join('/')).sort();

describe('field sets', () => {
  it('obey the laws of sets, path by path', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const [left, right] = [new Set(spelled(a)), new Set(spelled(b))];
        expect(spelled(a.union(b))).to.deep.equal([...new Set([...left, ...right])].sort());
        expect(spelled(a.intersection(b))).to.deep.equal([...left].filter((each) => right.has(each)).sort());
        expect(spelled(a.difference(b))).to.deep.equal([...left].filter((each) => !right.has(each)).sort());
      }),
    );
  });

  it('do not depend on order: union and intersection commute, associate and are idempotent', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, fieldSet, (a, b, c) => {
        expect(a.union(b).equals(b.union(a))).to.equal(true);
        expect(a.intersection(b).equals(b.intersection(a))).to.equal(true);
        expect(
          a
            .union(b)
            .union(c)
            .equals(a.union(b.union(c))),
        ).to.equal(true);
        expect(a.union(a).equals(a)).to.equal(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).to.equal(true);
        expect(a.difference(a).isEmpty).to.equal(true);
      }),
    );
  });

  it('keep their order in an intersection, whichever is larger', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const inBoth = new Set(spelled(b));
        const inOrder = [...a.paths()].map((each) => each.join('/')).filter((each) => inBoth.has(each));
        expect([...a.intersection(b).paths()].map((each) => each.join('/'))).to.deep.equal(inOrder);
      }),
    );
  });

  it('take whole subtrees away in a recursive difference', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const removed = [...b.paths()].map((each) => each.join('/'));
        const expected = spelled(a).filter((each) => !removed.some((gone) => each === gone || each.startsWith(`${gone}/`)));
        expect(spelled(a.recursiveDifference(b))).to.deep.equal(expected);
      }),
    );
  });

  it('come back from fieldsV1 as they went in', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        expect(spelled(FieldSet.fromFieldsV1(set.toFieldsV1()))).to.deep.equal(spelled(set));
      }),
    );
  });

  it('write leaves as empty objects and a path with members below as "."', () => {
    const fields = { 'f:spec': { 'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } } };
    expect(FieldSet.fromFieldsV1(fields).toFieldsV1()).to.deep.equal(fields);
  });

  it('stay what they are where nothing is added or taken away, and are written as they were read', () => {
    const fields = { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } };
    const set = FieldSet.fromFieldsV1(fields);
    expect(set.union(FieldSet.fromFieldsV1({ 'f:data': { 'f:a': {} } }))).to.equal(set);
    expect(set.difference(FieldSet.fromFieldsV1({ 'f:data': { 'f:c': {} } }))).to.equal(set);
    expect(set.toFieldsV1()).to.equal(fields);
  });

  it('are sorted when they are written, in whatever order they were read', () => {
    const read = (fields: JsonObject): string => JSON.stringify(FieldSet.fromFieldsV1(fields).toFieldsV1());
    expect(read({ 'f:data': { 'f:b': {}, 'f:a': {}, '.': {} } })).to.equal('{"f:data":{".":{},"f:a":{},"f:b":{}}}');
    expect(read({ 'f:a': { 'i:0': {}, 'v:"s"': {}, 'k:{"name":"x"}': { '.': {} }, 'f:z': {} } })).to.equal(
      '{"f:a":{"f:z":{},"k:{\\"name\\":\\"x\\"}":{},"v:\\"s\\"":{},"i:0":{}}}',
    );
  });

  it('know one key in two spellings', () => {
    const a = FieldSet.fromFieldsV1({ 'k:{"protocol":"TCP", "port":80}': {} });
    expect(a.has([keyElement({ port: 80, protocol: 'TCP' })])).to.equal(true);
  });

  for (const [what, fields] of [
    ['a number', 3],
    ['a list', []],
    ['an element of no known kind', { spec: {} }],
    ['a key that is not JSON', { 'k:{name': {} }],
  ] as const) {
    it(`refuse fieldsV1 that is ${what}`, () => {
      expect(() => FieldSet.fromFieldsV1(fields as never)).to.throw(RangeError);
    });
  }
});
