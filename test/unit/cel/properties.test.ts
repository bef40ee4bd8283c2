import { expect } from 'chai';
import fc from 'fast-check';
import { check } from '../../../cel/check/checker.js';
import { typeOf } from '../../../cel/check/types.js';
import { expressionCostMax } from '../../../cel/eval/budget.js';
import { plainView, toJson } from '../../../cel/eval/json.js';
import { compileProgram } from '../../../cel/eval/program.js';
import { Failure, type Value } from '../../../cel/eval/values.js';
import { estimateCost } from '../../../cel/estimate/estimator.js';

const intMin = -(2n ** 63n);
const intMax = 2n ** 63n - 1n;

const binary = (sign: string): ((a: Value, b: Value) => Value) => {
  const program = compileProgram(`a ${sign} b`, new Set(['a', 'b']));
  return (a, b) => program.evaluate((name) => (name === 'a' ? a : b)).value;
};

/** The 64-bit form of an exact result. */
const bounded = (value: bigint): bigint | string => (value < intMin || value > intMax ? 'integer overflow' : value);
const expected: Readonly<Record<string, (a: bigint, b: bigint) => bigint | string>> = {
  '+': (a, b) => bounded(a + b),
  '-': (a, b) => bounded(a - b),
  '*': (a, b) => bounded(a * b),
  '/': (a, b) => (b === 0n ? 'division by zero' : bounded(a / b)),
  '%': (a, b) => (b === 0n ? 'modulus by zero' : a === intMin && b === -1n ? 'integer overflow' : bounded(a % b)),
};

const anyInt = fc.oneof(
  fc.bigInt({ min: intMin, max: intMax }),
  fc.constantFrom(intMin, intMin + 1n, -1n, 0n, 1n, intMax),
  fc.bigInt({ min: -10n, max: 10n }),
);

/** Deeply nested expressions over a list of texts and a number: nested iterations and growing texts. */
const expressions = fc.letrec<{ list: string; text: string; number: string; bool: string }>((tie) => ({
  list: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('l', '["a", "bc"]', '[]'),
    tie('list').map((l) => `${l}.map(x, x + x)`),
    tie('bool').map((b) => `l.filter(x, ${b})`),
    tie('text').map((t) => `${t}.split("")`),
    fc.tuple(tie('list'), tie('list')).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie('list'), tie('list')).map(([a, b]) => `cel.bind(y, ${a}, y + ${b} + y)`),
  ),
  text: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('"a"', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"', 's'),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `(${a} + ${b})`),
    tie('text').map((t) => `${t}.replace("a", s)`),
    tie('list').map((l) => `${l}.join(s)`),
    tie('text').map((t) => `cel.bind(z, ${t} + ${t}, z + z + z)`),
  ),
  number: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('1', '2', 'n'),
    tie('list').map((l) => `${l}.size()`),
    tie('text').map((t) => `size(${t})`),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `(${a} * ${b})`),
  ),
  bool: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('true', 'n > 1'),
    fc.tuple(tie('list'), tie('bool')).map(([l, b]) => `${l}.all(v, ${b})`),
    fc.tuple(tie('list'), tie('list')).map(([a, b]) => `${a} == ${b}`),
    fc.tuple(tie('list'), tie('text')).map(([l, t]) => `${l}.exists(w, w.matches("(a|b|aa)*c$") || w == ${t})`),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `${a} < ${b}`),
  ),
}));

const names = new Set(['l', 's', 'n']);
const size = 50;
const values: Readonly<Record<string, Value>> = {
  l: plainView(Array.from({ length: size }, (_, i) => 'ab'.repeat(i))),
  s: 'a'.repeat(size),
  n: 3n,
};
const variables = { l: typeOf('list<string>'), s: typeOf('string'), n: typeOf('int') };

describe('properties of expressions', () => {
  for (const [sign, of] of Object.entries(expected)) {
    it(`calculates integers with ${sign} as 64 bits allow`, () => {
      const calculate = binary(sign);
      fc.assert(
        fc.property(anyInt, anyInt, (a, b) => {
          const value = calculate(a, b);
          expect(value instanceof Failure ? value.message : value).to.equal(of(a, b));
        }),
        { numRuns: 300 },
      );
    });
  }

  it('orders integers and doubles by what they count', () => {
    const less = binary('<');
    fc.assert(
      fc.property(anyInt, fc.double({ noNaN: true }), (a, b) => {
        expect(less(a, b)).to.equal(a < b);
      }),
    );
  });

  it('ends every expression within its budget', () => {
    fc.assert(
      fc.property(expressions.bool, (expression) => {
        if (expression.length > 20_000) return;
        const { cost, overBudget } = compileProgram(expression, names).evaluate((name) => values[name]);
        if (!overBudget) expect(cost).to.be.at.most(expressionCostMax);
      }),
      { numRuns: 40 },
    );
  });

  const estimated = (checked: Extract<ReturnType<typeof check>, { ok: true }>): number =>
    estimateCost(checked.tree, checked.types, ([root = '', step]) =>
      names.has(root) ? { min: 0, max: root === 'l' ? (step === undefined ? size : 2 * size) : root === 's' ? size : 1 } : null,
    );

  /** The reference counts each joined character twice, but estimates it once. */
  const estimatedFor = (expression: string, checked: Parameters<typeof estimated>[0]): number =>
    estimated(checked) * (expression.includes('.join(') ? 2 : 1);

  for (const expression of ['l.join(s)', 'l.join()', 's.split("")', 's.replace("a", s)', 'l.map(x, x + x).join(s)'])
    it(`spends no more than was estimated on ${expression}`, () => {
      const checked = check(expression, { variables });
      if (!checked.ok) throw new Error(checked.message);
      expect(compileProgram(expression, names).evaluate((name) => values[name]).cost).to.be.at.most(estimatedFor(expression, checked));
    });

  it('never spends more than was estimated', () => {
    fc.assert(
      fc.property(expressions.bool, (expression) => {
        const checked = check(expression, { variables });
        if (!checked.ok || expression.length > 20_000) return;
        const estimate = estimatedFor(expression, checked);
        const { cost, overBudget } = compileProgram(expression, names).evaluate((name) => values[name]);
        if (!overBudget) expect(cost, expression).to.be.at.most(Math.max(estimate, 1));
      }),
      { numRuns: 40 },
    );
  });
});

describe('hostile expressions', () => {
  const doubling = (start: string, levels: number, end: string): string => doubled(start, levels).replace(`x${levels})`, `${end})`);
  const rows: [string, string][] = [
    ['walks over lists that double', doubling('[1, 2]', 40, 'x40.all(e, e > 0)')],
    ['sums of lists that double', doubling('[1, 2]', 40, 'x40.sum() > 0')],
    ['compares lists that double', doubling('[1]', 30, 'x30 == x30 + []')],
    ['texts that double', doubling('"aaaaaaaa"', 30, 'x30.size() > 0')],
    ['joins lists that double', doubling('["aaaaaaaa"]', 35, 'x35.join("").size() > 0')],
    ['sets of lists that double', doubling('[1]', 30, 'sets.contains(x30, [2])')],
    ['walks within walks', 'l.all(a, l.all(b, l.all(c, l.all(d, l.all(e, l.all(f, a != "z"))))))'],
    ['patterns that would backtrack', '["a"].map(a, s + s + s + s + s).all(t, t.matches("(a|a|aa)*$x") == false)'],
    ['formats of lists that double', doubling('[1, 2]', 40, '"%s".format([x40]).size() > 0')],
    ['flattens lists that double', doubling('[[1], [2]]', 40, 'x40.flatten().size() > 0')],
  ];
  for (const [name, expression] of rows) {
    it(`come to an end: ${name}`, () => {
      const { value } = compileProgram(expression, names).evaluate((one) => values[one]);
      expect(value === true || value === false || value instanceof Failure).to.equal(true);
    });
  }
});

describe('values of expressions as JSON', () => {
  it('are refused where they are larger than anything that is stored', () => {
    for (const expression of [doubled('[1, 2]', 40), doubled('["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]', 18)]) {
      const { value } = compileProgram(expression, names).evaluate(() => undefined);
      expect(() => toJson(value)).to.throw(TypeError, 'too large');
    }
    expect(toJson(compileProgram(doubled('[1]', 3), names).evaluate(() => undefined).value)).to.deep.equal(Array(8).fill(1));
  });
});

function doubled(start: string, levels: number): string {
  return `cel.bind(x0, ${start}, ${Array.from({ length: levels }, (_, i) => `cel.bind(x${i + 1}, x${i} + x${i}, `).join('')}x${levels}${')'.repeat(levels)})`;
}
