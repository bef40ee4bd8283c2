import { expect } from 'chai';
import fc from 'fast-check';
import {
  formatLabelSelector,
  labelSelectorOf,
  matchesLabels,
  matchesNothing,
  parseLabelSelector,
  type LabelRequirement,
  type LabelSelector,
} from '../../../../api/selectors/index.js';

const parsed = (text: string): LabelSelector => {
  const result = parseLabelSelector(text);
  if (!result.ok) throw new Error(result.message);
  return result.selector;
};
const problem = (text: string): string => {
  const result = parseLabelSelector(text);
  if (result.ok) throw new Error(`${text} was accepted`);
  return result.message;
};

describe('label selectors as text', () => {
  const forms: [string, LabelRequirement[]][] = [
    ['', []],
    [' \t', []],
    ['a=b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a == b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a!=b', [{ key: 'a', operator: 'notIn', values: ['b'] }]],
    ['a=', [{ key: 'a', operator: 'in', values: [''] }]],
    [
      'a=,b',
      [
        { key: 'a', operator: 'in', values: [''] },
        { key: 'b', operator: 'exists', values: [] },
      ],
    ],
    ['a=in', [{ key: 'a', operator: 'in', values: ['in'] }]],
    ['in in (in)', [{ key: 'in', operator: 'in', values: ['in'] }]],
    ['notin notin (notin,in)', [{ key: 'notin', operator: 'notIn', values: ['in', 'notin'] }]],
    ['e in (x,y)', [{ key: 'e', operator: 'in', values: ['x', 'y'] }]],
    ['e in (,,)', [{ key: 'e', operator: 'in', values: [''] }]],
    ['e in (a,,,)', [{ key: 'e', operator: 'in', values: ['', 'a'] }]],
    ['e in (y,x,y)', [{ key: 'e', operator: 'in', values: ['x', 'y'] }]],
    ['e in ()', [{ key: 'e', operator: 'in', values: [''] }]],
    ['e in (,x)', [{ key: 'e', operator: 'in', values: ['', 'x'] }]],
    ['e in (x,)', [{ key: 'e', operator: 'in', values: ['', 'x'] }]],
    ['e in (x,,y)', [{ key: 'e', operator: 'in', values: ['', 'x', 'y'] }]],
    [
      'f notin (z),!g,h,i>1,j<2',
      [
        { key: 'f', operator: 'notIn', values: ['z'] },
        { key: 'g', operator: 'doesNotExist', values: [] },
        { key: 'h', operator: 'exists', values: [] },
        { key: 'i', operator: 'gt', values: ['1'] },
        { key: 'j', operator: 'lt', values: ['2'] },
      ],
    ],
    ['example.com/role in (a)', [{ key: 'example.com/role', operator: 'in', values: ['a'] }]],
  ];
  for (const [text, requirements] of forms) it(`reads ${JSON.stringify(text)}`, () => expect(parsed(text)).to.deep.equal(requirements));

  const nameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const problems: [string, string][] = [
    ['g===', "unable to parse requirement: found '=', expected: identifier"],
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!!a', "unable to parse requirement: found '!', expected: identifier"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (,=', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a>x', "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"],
    ['-a=b', `unable to parse requirement: <nil>: Invalid value: "-a": name part ${nameRule}`],
    [
      'a/b/c=d',
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    ['/a=b', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [`a=${'x'.repeat(64)}`, `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`],
  ];
  for (const [text, message] of problems) it(`refuses ${JSON.stringify(text)}`, () => expect(problem(text)).to.equal(message));

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(selectors, (selector) => {
        expect(parsed(formatLabelSelector(selector))).to.deep.equal(selector);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab/-.=!<>(), \tinnotin0'.split('')) }), (text) => {
        const result = parseLabelSelector(text);
        return result.ok ? result.selector.length >= 0 : result.message !== '';
      }),
    );
  });
});

describe('matching of labels', () => {
  it('agrees with the meaning of each operator', () => {
    fc.assert(
      fc.property(selectors, labelSets, (selector, labels) => {
        expect(matchesLabels(selector, labels)).to.equal(
          selector.every((requirement) => holds(requirement, new Map(Object.entries(labels)))),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('compares whole numbers of 64 bits and nothing else', () => {
    expect(matchesLabels(parsed('a>9'), { a: '10' })).to.equal(true);
    expect(matchesLabels(parsed('a>9'), { a: '9' })).to.equal(false);
    expect(matchesLabels(parsed('a<9223372036854775807'), { a: '9223372036854775806' })).to.equal(true);
    expect(matchesLabels(parsed('a<9'), { a: 'x' })).to.equal(false);
    expect(matchesLabels(parsed('a<9'), {})).to.equal(false);
    expect(matchesLabels(parsed('a>0'), { a: '9223372036854775808' })).to.equal(false);
  });

  it('does not mistake inherited members for labels', () => {
    expect(matchesLabels(parsed('toString'), {})).to.equal(false);
    expect(matchesLabels(parsed('!constructor'), {})).to.equal(true);
  });
});

describe('label selectors as objects', () => {
  it('matches nothing when absent and everything when empty', () => {
    for (const absent of [null, undefined]) expect(labelSelectorOf(absent)).to.deep.equal({ ok: true, selector: matchesNothing });
    expect(matchesLabels(matchesNothing, {})).to.equal(false);
    expect(matchesLabels(matchesNothing, { '': '' })).to.equal(false);
    expect(labelSelectorOf({})).to.deep.equal({ ok: true, selector: [] });
  });

  it('joins labels and expressions', () => {
    const result = labelSelectorOf({
      matchLabels: { a: 'b' },
      matchExpressions: [
        { key: 'c', operator: 'NotIn', values: ['y', 'x'] },
        { key: 'd', operator: 'Exists' },
      ],
    });
    expect(result.ok && formatLabelSelector(result.selector)).to.equal('a=b,c notin (x,y),d');
  });

  it('refuses what the text form could not say', () => {
    const messages = [
      labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }),
      labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
      labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['1'] }] }),
    ].map((result) => (result.ok ? 'accepted' : result.message));
    expect(messages).to.deep.equal([
      '"Gt" is not a valid label selector operator',
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
      'values: Invalid value: ["1"]: values set must be empty for exists and does not exist',
    ]);
  });
});

const words = fc.constantFrom('a', 'b', 'c', 'in', 'notin', 'example.com/d');
const values = fc.constantFrom('', 'x', 'y', '1', '20', 'in', 'a.b_c-d');
const requirements: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key: words,
    operator: fc.constantFrom('in' as const, 'notIn' as const),
    values: fc.uniqueArray(values, { minLength: 1, maxLength: 3 }).map((list) => list.sort()),
  }),
  fc.record({ key: words, operator: fc.constantFrom('exists' as const, 'doesNotExist' as const), values: fc.constant([]) }),
  fc.record({
    key: words,
    operator: fc.constantFrom('gt' as const, 'lt' as const),
    values: fc.integer({ min: 0, max: 30 }).map((bound) => [String(bound)]),
  }),
);
const selectors = fc.array(requirements, { maxLength: 4 });
const labelSets = fc.dictionary(words, values, { maxKeys: 4 });

/** A simple second implementation. */
function holds({ key, operator, values: wanted }: LabelRequirement, labels: ReadonlyMap<string, string>): boolean {
  const value = labels.get(key);
  const number = value !== undefined && /^-?\d+$/.test(value) ? Number(value) : NaN;
  return {
    in: () => value !== undefined && wanted.includes(value),
    notIn: () => !(value !== undefined && wanted.includes(value)),
    exists: () => labels.has(key),
    doesNotExist: () => !labels.has(key),
    gt: () => number > Number(wanted[0]),
    lt: () => number < Number(wanted[0]),
  }[operator]();
}
