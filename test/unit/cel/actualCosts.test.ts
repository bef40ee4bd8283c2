import { expect } from 'chai';
import { check } from '../../../cel/check/checker.js';
import { parse } from '../../../cel/check/parser.js';
import { object, typeOf, type Type } from '../../../cel/check/types.js';
import { plainView } from '../../../cel/eval/json.js';
import { programOf } from '../../../cel/eval/program.js';
import { foldedCosts, languageActualCosts, type ActualCost } from './actualCosts.js';
import { libraryCosts } from './estimatedCosts.js';

const message = object('T', { single_int32: typeOf('int') });
const withMessages = (type: Type): Type => (type.name === 'T' ? message : { ...type, of: type.of.map(withMessages) });

/** `a: int; b: list<T>`. */
const typesOf = (text: string): Record<string, Type> =>
  Object.fromEntries(
    text
      .split('; ')
      .filter((one) => one !== '')
      .map((one): [string, Type] => {
        const [name = '', type = ''] = one.split(': ');
        return [name, withMessages(typeOf(type))];
      }),
  );

function costOf({ expression, variables, values }: Omit<ActualCost, 'cost'>, folds: boolean): number {
  const types = typesOf(variables);
  const checked = check(expression, { variables: types, libraries: ['jsonpatch', 'bindings'] });
  // The reference's tests permit lists of mixed types.
  const [tree, known] = checked.ok ? [checked.tree, checked.types] : [parse(expression), null];
  const program = programOf(expression, tree, { variables: new Set(Object.keys(types)), types: known, folds });
  return program.evaluate((name) => (Object.hasOwn(values, name) ? plainView(values[name] ?? null) : undefined)).cost;
}

describe('costs of expressions that run', () => {
  for (const row of languageActualCosts)
    it(`of ${row.expression}`, () => {
      expect(costOf(row, false)).to.equal(row.cost);
      expect(costOf(row, true), 'with constants made beforehand').to.equal(row.folded);
    });
  for (const [expression, , actual] of libraryCosts)
    if (actual !== null && !expression.includes('authorizer'))
      it(`of ${expression}`, () => {
        expect(costOf({ expression, variables: '', values: {} }, false)).to.equal(actual);
      });
});

describe('costs of expressions that run where constants are made beforehand', () => {
  for (const row of foldedCosts)
    it(`of ${row.expression}`, () => {
      expect(costOf(row, true)).to.equal(row.cost);
    });
});
