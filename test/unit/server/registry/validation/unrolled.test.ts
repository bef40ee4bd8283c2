import { expect } from 'chai';
import { inOneGo } from '../../../../../api/steps.js';
import { atOnce, type Found } from '../../../../../server/registry/validation/ofEach.js';
import { invalid, Path, type FieldError } from '../../../../../server/registry/validation/field.js';
import { unrolledMembers, unrolledRules } from '../../../../../server/registry/validation/unrolled.js';

const refuse =
  (detail: string) =>
  (value: unknown, path: Path): FieldError[] => [invalid(path, value, detail)];
const later = function* (value: unknown, path: Path): Generator<undefined, FieldError[]> {
  yield;
  return [invalid(path, value, 'later')];
};
const texts = (found: Found): string[] => atOnce(found).map(({ path, message }) => `${path}: ${message}`);

describe('registry/validation/unrolled', () => {
  it('finds faults of members in the order of the table, in steps too', () => {
    const check = unrolledMembers([
      { name: 'b', rule: refuse('no'), skipsAbsent: false },
      { name: 'a', rule: later, skipsAbsent: false },
      { name: 'c', rule: () => [], skipsAbsent: false },
      { name: 'it\'s "quoted"', rule: refuse('neither'), skipsAbsent: false },
    ]);
    expect(texts(check({ a: 1, b: 2 }, Path.of('spec'), null, undefined))).to.deep.equal([
      'spec.b: Invalid value: 2: no',
      'spec.a: Invalid value: 1: later',
      'spec.it\'s "quoted": Invalid value: null: neither',
    ]);
    expect(check({}, Path.root, null, undefined), 'not in one go').not.to.be.an('array');
  });

  it('asks rules of absent members only where they have something to say', () => {
    const check = unrolledMembers([
      { name: 'absent', rule: refuse('skipped'), skipsAbsent: true },
      { name: 'none', rule: refuse('skipped'), skipsAbsent: true },
      { name: 'empty', rule: refuse('an empty text is there'), skipsAbsent: true },
      { name: 'needed', rule: refuse('asked'), skipsAbsent: false },
    ]);
    const found = ['empty: Invalid value: "": an empty text is there', 'needed: Invalid value: null: asked'];
    expect(texts(check({ none: null, empty: '' }, Path.root, null, undefined))).to.deep.equal(found);
    for (const value of [null, undefined, 'text', [1]])
      expect(texts(check(value, Path.root, null, undefined)), String(value)).to.deep.equal([found[1]]);
  });

  it('gives members their owner, and a value its own, with what is known', () => {
    const seen: unknown[] = [];
    const note = (...given: unknown[]): FieldError[] => (seen.push(given.map((each) => (each instanceof Path ? String(each) : each))), []);
    const value = { a: 1 };
    const known = { facts: 'known' };
    expect(unrolledMembers([{ name: 'a', rule: note, skipsAbsent: true }])(value, Path.of('x'), 'owner', known)).to.deep.equal([]);
    expect(unrolledRules([note, note])(value, Path.of('x'), 'owner', known)).to.deep.equal([]);
    expect(seen).to.deep.equal([[1, 'x.a', value, known], ...Array.from({ length: 2 }, () => [value, 'x', 'owner', known])]);
  });

  it('joins what several rules find', () => {
    const found = unrolledRules([refuse('one'), () => [], later])(1, Path.root, null, undefined);
    expect(inOneGo(found as Generator<undefined, FieldError[]>).map(({ message }) => message)).to.deep.equal([
      'Invalid value: 1: one',
      'Invalid value: 1: later',
    ]);
  });
});
