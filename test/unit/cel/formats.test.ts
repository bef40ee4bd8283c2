import { expect } from 'chai';
import { check } from '../../../cel/check/checker.js';
import { object, typeOf } from '../../../cel/check/types.js';

const variables = { any: typeOf('dyn'), made: object('Made', { n: typeOf('int') }) };
const refusal = (expression: string): string => {
  const checked = check(expression, { variables });
  return checked.ok ? '' : (checked.message.split('\n')[0] ?? '');
};
const texts = 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

/** From `ext/formatting_test.go` of cel-go, for checked expressions. */
const refused: readonly (readonly [expression: string, problem: string])[] = [
  ["'%a'.format([1])", 'could not parse formatting clause: unrecognized formatting clause "a"'],
  ["'%d %d %d'.format([0, 1])", 'index 2 out of range'],
  ["'string is %b'.format(['abc'])", 'error during formatting: only integers and bools can be formatted as binary, was given string'],
  [
    "'%d'.format([duration('30m2s')])",
    'error during formatting: decimal clause can only be used on integers, was given google.protobuf.Duration',
  ],
  ["'octal: %o'.format(['a string'])", 'error during formatting: octal clause can only be used on integers, was given string'],
  ["'%x'.format([0.5])", 'error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double'],
  ["'%E'.format([0.5])", 'could not parse formatting clause: unrecognized formatting clause "E"'],
  ["'%s'.format([made])", `error during formatting: ${texts}, was given Made`],
  ["'%s'.format([[1, 2, optional.of(1)]])", `error during formatting: ${texts}, was given optional_type`],
  ["'%f'.format([1])", 'error during formatting: fixed-point clause can only be used on doubles, was given int'],
  ["'%d'.format([1, 2])", 'too many arguments supplied to string.format (expected 1, got 2)'],
  ["'no clause'.format(['x'])", 'too many arguments supplied to string.format (expected 0, got 1)'],
  ["'50%'.format([])", 'unexpected end of string'],
];
const taken = [
  "'%s %d %.2f %x %X %b %o %e %%'.format([made.n, any, 1.5, 'z', b'z', true, 7u, 'NaN'])",
  "'%s'.format([[[any], {'a': null}]])",
  'any.format([made])',
  "'%d'.format(any)",
];

describe('texts that format prints', () => {
  for (const [expression, problem] of refused)
    it(`refuses ${expression}`, () => {
      expect(refusal(expression).replace(/^ERROR: <input>:1:\d+: /, '')).to.equal(problem);
    });
  for (const expression of taken)
    it(`takes ${expression}`, () => {
      expect(refusal(expression)).to.equal('');
    });
});
