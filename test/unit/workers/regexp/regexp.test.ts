import { expect } from 'chai';
import fc from 'fast-check';
import { compileRegexp, type Regexp } from '../../../../workers/regexp/regexp.js';

const regexp = (pattern: string): Regexp => {
  const result = compileRegexp(pattern);
  if (!result.ok) throw new Error(result.message);
  return result.regexp;
};

describe('regular expressions in the syntax of RE2', () => {
  const matches: readonly (readonly [pattern: string, matching: readonly string[], other: readonly string[]])[] = [
    ['^[0-9]+%?$', ['5', '50%'], ['', '%', '5%%', '5\n']],
    ['a', ['a', 'bab'], ['', 'b']],
    ['^$', [''], ['a', '\n']],
    ['(?m)^b$', ['b', 'a\nb', 'a\nb\nc'], ['ab', 'a\nbc']],
    ['^.$', ['a', 'é', '😀'], ['\n', 'ab']],
    ['(?s)^.$', ['\n'], ['']],
    ['(?i)^k$', ['k', 'K', '\u212a'], ['q']],
    ['^(?i:a)b$', ['Ab', 'ab'], ['AB']],
    ['^(?:(?i)a)b$', ['Ab'], ['aB']],
    ['^\\pL+$', ['abcé'], ['a1']],
    ['^\\p{Greek}+$', ['αβγ'], ['abc']],
    ['^\\P{Greek}+$', ['abc'], ['α']],
    ['^[[:alpha:]_-]+$', ['a-_b'], ['a1']],
    ['^[^[:alpha:]]$', ['1', '\n'], ['a']],
    ['^[]a]$', [']', 'a'], ['b']],
    ['^\\d\\D\\w\\W\\s\\S$', ['1aa- b'], ['aaa- b']],
    ['\\bfoo\\b', ['a foo b', 'foo'], ['foot', 'a_foo']],
    ['^\\Qa.b\\E+$', ['a.bbb'], ['axb']],
    ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['^a{,3}$', ['a{,3}'], ['a']],
    ['^x{2}{$', ['xx{'], ['xx']],
    ['\\x41\\x{1F600}\\101', ['A😀A'], ['A😀']],
    ['^(a|ab)(c|bcd)$', ['abcd', 'ac', 'abc'], ['ab']],
    ['(?P<x>a)(?<y>b)', ['ab'], ['ba']],
    ['^\\A\\zx?$', [''], ['x']],
    ['^[a\\-z]+$', ['a-z'], ['b']],
    ['\\_\\-\\/', ['_-/'], ['']],
  ];

  for (const [pattern, matching, other] of matches) {
    it(`${pattern} matches what it should`, () => {
      const compiled = regexp(pattern);
      expect(
        matching.filter((text) => !compiled.test(text)),
        'should match',
      ).to.deep.equal([]);
      expect(
        other.filter((text) => compiled.test(text)),
        'should not match',
      ).to.deep.equal([]);
    });
  }

  const refused: readonly (readonly [pattern: string, message: string])[] = [
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['(|*)', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{2}{3}', 'invalid nested repetition operator: `{2}{3}`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['a{3,2}', 'invalid repeat count: `{3,2}`'],
    ['(a{100}){100}', 'invalid repeat count: `{100}`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
    ['\\pX', 'invalid character class range: `\\pX`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?!a)', 'invalid or unsupported Perl syntax: `(?!`'],
    ['(?<=a)', 'invalid or unsupported Perl syntax: `(?<=`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['\\y', 'invalid escape sequence: `\\y`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['(?P<a-b>x)', 'invalid named capture: `(?P<a-b>`'],
  ];

  for (const [pattern, message] of refused) {
    it(`${pattern} is refused`, () =>
      expect(compileRegexp(pattern)).to.deep.equal({ ok: false, message: `error parsing regexp: ${message}` }));
  }

  it('finds the leftmost match and its groups, by the order of the pattern', () => {
    expect(regexp('(a+)(b*)').find('xaabb')).to.deep.equal([1, 5, 1, 3, 3, 5]);
    expect(regexp('(a+?)(b*)').find('xaabb')).to.deep.equal([1, 2, 1, 2, 2, 2]);
    expect(regexp('a|ab').find('ab')).to.deep.equal([0, 1]);
    expect(regexp('(x)|(y)').find('y')).to.deep.equal([0, 1, -1, -1, 0, 1]);
    expect(regexp('b').find('abab', 2)).to.deep.equal([3, 4]);
    expect(regexp('^b').find('ab', 1)).to.equal(null);
  });

  const piece = fc.constantFrom(
    'a',
    'b',
    '[ab]',
    '[^a]',
    '.',
    '(a|b)',
    '(?:ab|a)',
    'a?',
    'b*',
    '(ab)+',
    'a{1,2}',
    '^',
    '$',
    '\\b',
    'a*?',
    '(a*)b',
  );
  const patterns = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 12 });

  it('agrees with our own regular expressions where the two mean the same', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        const [ours, theirs] = [regexp(pattern), new RegExp(pattern, 'ud')];
        const expected = theirs.exec(text);
        expect(ours.test(text)).to.equal(expected !== null);
        expect(ours.find(text)?.slice(0, 2) ?? null).to.deep.equal(
          expected === null ? null : [expected.index, expected.index + expected[0].length],
        );
      }),
      { numRuns: 300 },
    );
  });

  it('does not run away with patterns that others cannot finish', () => {
    const text = `${'a'.repeat(20_000)}!`;
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*)*x$', `${'a?'.repeat(200)}${'a'.repeat(200)}b`])
      expect(regexp(pattern).test(text)).to.equal(false);
  });
});
