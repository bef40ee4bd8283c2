import { expect } from 'chai';
import { check, type Declarations } from '../../../cel/check/checker.js';
import { object, typeOf, type Type } from '../../../cel/check/types.js';
import { estimateCost, type SizeAt } from '../../../cel/estimate/estimator.js';
import { languageCosts, libraryCosts } from './estimatedCosts.js';

const message = object('T', { single_int32: typeOf('int') });

/** `x: list<string> max 5; x.@items max 10`. */
function variablesOf(text: string): { readonly declarations: Declarations; readonly sizeAt: SizeAt } {
  const variables: Record<string, Type> = {};
  const bounds = new Map<string, number>();
  for (const part of text.split('; ').filter((one) => one !== '')) {
    const [, path = '', type, max] = /^([\w.@]+)(?:: (.*?))?(?: max (\d+))?$/.exec(part) ?? [];
    if (type !== undefined) variables[path] = withMessages(typeOf(type.replace(/Timestamp|Duration/g, 'google.protobuf.$&')));
    if (max !== undefined) bounds.set(path, Number(max));
  }
  const sizeAt: SizeAt = (path) => {
    const max = bounds.get(path.join('.'));
    return max === undefined ? null : { min: 0, max };
  };
  return { declarations: { variables }, sizeAt };
}

const withMessages = (type: Type): Type => (type.name === 'T' ? message : { ...type, of: type.of.map(withMessages) });

function estimated(expression: string, { declarations, sizeAt }: ReturnType<typeof variablesOf>): number {
  const checked = check(expression, { libraries: ['jsonpatch'], ...declarations });
  if (!checked.ok) throw new Error(checked.message);
  return estimateCost(checked.tree, checked.types, sizeAt);
}

describe('estimates of costs', () => {
  for (const [expression, variables, most] of languageCosts)
    it(`of ${expression}${variables === '' ? '' : ` with ${variables}`}`, () => {
      expect(estimated(expression, variablesOf(variables))).to.be.closeTo(most, most / 1e12);
    });

  const authorizer = variablesOf('authorizer: kubernetes.authorization.Authorizer');
  for (const [expression, most] of libraryCosts)
    if (most !== null)
      it(`of ${expression}`, () => {
        expect(estimated(expression, authorizer)).to.equal(most);
      });
});

describe('estimates of costs of places that share their memory', () => {
  const bounds =
    'self.l max 10; self.l.@items.a max 10; self.l.@items.b max 1000; self.l.@items.a.@items max 1; self.l.@items.b.@items max 1';
  const element = object('E', { a: typeOf('list<string>'), b: typeOf('list<string>') });
  const self = object('S', { l: { name: 'list', of: [element] } });
  const of = (expression: string): number => {
    const { sizeAt } = variablesOf(bounds);
    return estimated(expression, { declarations: { variables: { self } }, sizeAt });
  };

  it('are counted as the last place that was made, where the reference does so', () => {
    // The elements of x.a are counted after x.b was visited, which overwrites the place of x.a.
    const [names, round, end] = [3, 3, 1];
    const inner = 2 + 1000 * (round + names + 1000) + end;
    expect(of('self.l.all(x, x.a.all(y, y in x.b))')).to.equal(2 + 10 * (round + inner) + end);
    expect(of('self.l.all(x, x.a.all(y, x.b.size() > 0))')).to.be.greaterThan(10 * 1000);
    expect(of('self.l.all(x, x.a.all(y, y != ""))')).to.be.lessThan(10 * 10 * 10);
  });
});

describe('estimates of what a filter yields', () => {
  const bounds = 'self: list<string> max 10; self.@items max 40';
  const of = (expression: string): number => estimated(expression, variablesOf(bounds));
  // A round costs the condition, a conditional, the name, a list of one and its addition; `x != ""` costs two.
  const [start, end, round] = [10, 1, 14];

  it('are a list as long as the whole', () => {
    expect(of('self.filter(x, true)')).to.equal(1 + start + 10 * (round - 1) + end);
    expect(of('self.filter(x, true).size()')).to.equal(of('self.filter(x, true)') + 1);
    expect(of('self.filter(x, true).all(y, true)')).to.equal(of('self.filter(x, true)') + 10 * 3 + 1);
  });

  it('have elements as large as those of the whole', () => {
    const whole = of('self.filter(x, true)');
    expect(of("self.filter(x, true).all(y, y.contains('0123456789'))")).to.equal(whole + 10 * (3 + 1 + 4) + 1);
    expect(of("self.filter(x, true).filter(y, true).all(z, z.contains('0123456789'))")).to.be.equal(
      of('self.filter(x, true).filter(y, true)') + 10 * (3 + 1 + 4) + 1,
    );
  });

  it('have elements of any size where nothing bounds those of the whole', () => {
    const unbounded = variablesOf('self: list<string> max 10');
    expect(estimated("self.filter(x, true).all(y, y.contains('0123456789'))", unbounded)).to.be.greaterThan(2 ** 50);
  });
});

describe('estimates of costs of what has no place', () => {
  /** As in rules: sizes are relative to the rule's value, whatever the first step is. */
  const sizeAt: SizeAt = ([, ...steps]) => (steps.length === 0 ? { min: 0, max: 300 } : null);
  const of = (expression: string): number => estimated(expression, { ...variablesOf('self: string'), sizeAt });

  it('count an element of what a function yields as large as the whole', () => {
    expect(of("self.split('/')[0].split('.')[0] == 'a'")).to.be.lessThan(1000);
    expect(of("self.split('.', 16).all(f, f.matches('abcd'))")).to.be.lessThan(1000);
  });

  it('do not bound an element of null, which is an optional that holds nothing', () => {
    expect(of('dyn(null[0]) == self')).to.be.lessThan(1000);
    expect(of('dyn(null[0]) == dyn(null[0])')).to.be.greaterThan(2 ** 50);
    expect(of('dyn(null[0] + null[0]) == dyn(null[0])')).to.be.greaterThan(2 ** 50);
  });

  it('count a pattern where it is called on a text, not where it is a function of two', () => {
    expect(of("matches(url(self).getEscapedPath(), 'abcd')")).to.be.lessThan(1000);
    expect(of("url(self).getEscapedPath().matches('abcd')")).to.be.greaterThan(2 ** 50);
  });
});
