import { expect } from 'chai';
import { check } from '../../../cel/check/checker.js';
import { typeOf, type Type } from '../../../cel/check/types.js';
import { shapeOf } from '../../../cel/rules/shape.js';

/** Expressions with kube-apiserver's errors, without the lines that show positions. */

const item = { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } };
const self = shapeOf(
  {
    type: 'object',
    properties: {
      i: { type: 'integer' },
      b: { type: 'boolean' },
      s: { type: 'string' },
      e: { 'x-kubernetes-int-or-string': true },
      u: { type: 'string', format: 'duration' },
      list: { type: 'array', items: { type: 'string' } },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      keyed: { type: 'array', items: item },
      sub: { type: 'object', properties: { a: { type: 'string' } } },
    },
  },
  false,
)?.type;

const variables: Record<string, Type> = { self: self ?? typeOf('dyn'), authorizer: typeOf('kubernetes.authorization.Authorizer') };

function errorsOf(expression: string): string[] {
  const checked = check(expression, { variables });
  if (checked.ok) return [];
  if (checked.stage === 'program instantiation') return [`instantiation: ${checked.message}`];
  return [...checked.message.matchAll(/^ERROR: <input>:(.*)$/gm)].map(([, text = '']) => text);
}

const names = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const rows: readonly (readonly [rule: string, expression: string, ...errors: string[]])[] = [
  [
    'objects at different places have different types',
    'self.sub == self.keyed[0]',
    "1:10: found no matching overload for '_==_' applied to '(selfType.sub, selfType.keyed.@idx)'",
  ],
  ['objects have no index', "self.sub['a'] == 'x'", "1:9: found no matching overload for '_[_]' applied to '(selfType.sub, string)'"],
  ['lists and maps are never null', 'self.list == null', "1:11: found no matching overload for '_==_' applied to '(list(string), null)'"],
  ['objects may be null', 'self.sub == null'],
  [
    'the empty list takes the first overload',
    "[].min().matches('^[a-z]+$')",
    "1:17: found no matching overload for 'matches' applied to 'int.(string)'",
  ],
  [
    'what a variable was found to be holds further on',
    "self.list.map(x, ['a']).map(y, y + [1]) == []",
    "1:34: found no matching overload for '_+_' applied to '(list(string), list(int))'",
  ],
  [
    'mixed lists are dynamic before they are refused',
    "self.list.map(x, [x, 1])[0][0].a == ''",
    "1:22: expected type 'string' but found 'int'",
  ],
  ['lists of values and of what is dynamic are mixed', 'self.e in [1, self.e]', "1:19: expected type 'int' but found 'dyn'"],
  [
    'of a list the first other type is reported, of a map each',
    "[1, 'a', 2.0] == [] && {1: 'a', 2: 1, 3: true} == {}",
    "1:5: expected type 'int' but found 'string'",
    "1:36: expected type 'string' but found 'int'",
    "1:42: expected type 'string' but found 'bool'",
  ],
  ['lists below the arguments of format may be mixed', "'%s %s'.format([[1, 'a'], {1: 'a', 2: 1}]) == ''"],
  ['types are of types', "type(1) == type('a') && int == string"],
  ['a type is no number', 'type(1) == 1', "1:9: found no matching overload for '_==_' applied to '(type(int), int)'"],
  ['types without a value', 'type(self.u) == duration', 'instantiation: reference to undefined type: duration'],
  ['types that nobody registered', 'type(self.s) == kubernetes.Quantity', "1:17: undeclared reference to 'kubernetes' (in container '')"],
  ['dyn is no type', 'type(self.s) == dyn', "1:17: undeclared reference to 'dyn' (in container '')"],
  [
    'each term of && by itself',
    "self.b && 1 && 'a'",
    "1:11: expected type 'bool' but found 'int'",
    "1:16: expected type 'bool' but found 'string'",
  ],
  ['conditions of macros', 'self.list.all(x, x)', "1:18: expected type 'bool' but found 'string'"],
  [
    'conditions of macros that choose',
    'self.list.filter(x, x) == []',
    "1:17: found no matching overload for '_?_:_' applied to '(string, list(string), list(string))'",
  ],
  [
    'what macros bind twice is reported twice',
    'self.i.optMap(x, x).hasValue()',
    "1:14: found no matching overload for 'hasValue' applied to 'int.()'",
    "1:14: found no matching overload for 'value' applied to 'int.()'",
  ],
  [
    'keys of what is sorted',
    'self.list.sortBy(x, self.sub) == []',
    "1:17: found no matching overload for '@sortByAssociatedKeys' applied to 'list(string).(list(selfType.sub))'",
  ],
  [
    'entries of maps',
    'self.list.transformMapEntry(i, x, x) == {}',
    "1:28: found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), string)'",
  ],
  ['names of macros come before types', 'self.list.all(1, true) && self.none', '1:15: argument must be a simple name'],
  ['names of macros differ', 'self.list.all(a, a, true)', '1:18: duplicate variable name: a'],
  ['has needs a member', 'has(self.?s)', '1:9: invalid argument to has() macro'],
  ['optional members of optionals are optionals once', "self.?sub.?a.orValue('') == ''"],
  [
    'types of libraries have no members',
    'authorizer.x == 1',
    "1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
  ],
  ['durations cannot be negated', '-self.u == self.u', "1:1: found no matching overload for '-_' applied to '(duration)'"],
  ['a sign belongs to its number', '-1.abs()', "1:7: undeclared reference to 'abs' (in container '')"],
  ['numbers beyond 64 bits', '9223372036854775808 == 1 && self.none', '1:1: invalid int literal'],
  ['numbers beyond doubles', '1e999 == 1.0', '1:1: invalid double literal'],
  ['code points are not escaped in bytes', "b'\\u00e9' == b''", '1:1: unable to unescape string'],
  ['conversions that the checker takes, and nothing does', 'duration(-1) == self.u', '1:10: invalid duration argument'],
  ['times that are too late', 'timestamp(-9999999999999) == timestamp(0)', '1:11: invalid timestamp argument'],
  ['patterns of the global function', "matches(self.s, '(')", 'instantiation: error parsing regexp: missing closing ): `(`'],
  ['patterns of searches', "self.s.find('(') == ''", 'instantiation: error parsing regexp: missing closing ): `(`'],
  ['the first argument of a function is looked at as if it were the pattern', "matches('(', 'a')", '1:9: invalid matches argument'],
  [
    'optional members that format cannot print',
    "'%s'.format([{?'a': optional.none()}])",
    '1:34: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type',
  ],
  ['precisions of any length', "'%.1000f'.format([1.0]) == ''"],
  ['no comma after arguments', 'self.list.all(x,)', `1:17: Syntax error: mismatched input ')' expecting ${names}`],
  ['a comma after elements', '[1, 2,] == [1]'],
  ['names in backquotes', 'self.`a` == 1', "1:6: unsupported syntax: '`'"],
  ['what is left over', 'self.b self.b', "1:8: Syntax error: mismatched input 'self' expecting <EOF>"],
  ['one word too many', 'a b', "1:3: Syntax error: extraneous input 'b' expecting <EOF>"],
  ['one sign too many', '1 * * 2', `1:5: Syntax error: extraneous input '*' expecting ${names}`],
  [
    'a sign without sides',
    '*',
    `1:1: Syntax error: mismatched input '*' expecting ${names}`,
    `1:2: Syntax error: mismatched input '<EOF>' expecting ${names}`,
  ],
  [
    'a sign without sides in a bracket',
    '(+)',
    `1:2: Syntax error: mismatched input '+' expecting ${names}`,
    `1:3: Syntax error: mismatched input ')' expecting ${names}`,
  ],
  [
    'a choice without a condition',
    '? 1 : 2',
    `1:1: Syntax error: extraneous input '?' expecting ${names}`,
    "1:5: Syntax error: mismatched input ':' expecting <EOF>",
  ],
  [
    'a sign in place of a member',
    'a.* + 1',
    "1:3: Syntax error: no viable alternative at input '.*'",
    `1:5: Syntax error: extraneous input '+' expecting ${names}`,
  ],
  ['nothing to negate', '!', `1:2: Syntax error: extraneous input '<EOF>' expecting ${names}`],
  [
    'nothing to subtract',
    '- *',
    "1:3: Syntax error: no viable alternative at input '- *'",
    `1:3: Syntax error: mismatched input '*' expecting ${names}`,
    `1:4: Syntax error: mismatched input '<EOF>' expecting ${names}`,
  ],
  ['a constant as a member', 'a.null', "1:3: Syntax error: mismatched input 'null' expecting IDENTIFIER"],
  ['one sign too few', '(1', "1:3: Syntax error: missing ')' at '<EOF>'"],
  ['a field too many', 'A{a: 1 b: 2}', "1:8: Syntax error: mismatched input 'b' expecting {'}', ','}"],
  [
    'elements without a comma',
    '[1 2, 3]',
    "1:4: Syntax error: extraneous input '2' expecting {']', ','}",
    "1:7: Syntax error: extraneous input '3' expecting ']'",
  ],
  ['a colon too few, twice', '{"a" 1, "b" 2}', "1:6: Syntax error: missing ':' at '1'", "1:13: Syntax error: missing ':' at '2'"],
  [
    'a colon too few, and a comma',
    'A{a 1 b 2}',
    "1:5: Syntax error: missing ':' at '1'",
    "1:7: Syntax error: mismatched input 'b' expecting {'}', ','}",
  ],
  ['a choice without a colon', 'true ? 1 2', "1:10: Syntax error: missing ':' at '2'"],
  ['two commas', '[1,,2]', "1:4: Syntax error: mismatched input ',' expecting ']'"],
  ['nothing but a comma', '[,] == [] && {,} == {}'],
  ['an element after nothing but a comma', '[,1]', "1:3: Syntax error: extraneous input '1' expecting ']'"],
  ['no end after a comma', '{1:2,', "1:6: Syntax error: missing '}' at '<EOF>'"],
  [
    'no list',
    '[',
    `1:2: Syntax error: mismatched input '<EOF>' expecting ${names.replace("'[',", "'[', ']',").replace("'.',", "'.', ',',").replace("'!',", "'!', '?',")}`,
  ],
  [
    'a sign in place of a first entry',
    '{: 1}',
    `1:2: Syntax error: extraneous input ':' expecting ${names.replace("'{',", "'{', '}',").replace("'.',", "'.', ',',").replace("'!',", "'!', '?',")}`,
    "1:5: Syntax error: mismatched input '}' expecting ':'",
  ],
  [
    'a sign in place of a first argument',
    'f(: 1)',
    `1:3: Syntax error: extraneous input ':' expecting ${names.replace("'(',", "'(', ')',")}`,
  ],
  [
    'texts without end',
    "'a",
    "1:1: Syntax error: token recognition error at: ''a'",
    `1:3: Syntax error: mismatched input '<EOF>' expecting ${names}`,
  ],
  [
    'a member that is called in',
    'self.in',
    "1:6: Syntax error: no viable alternative at input '.in'",
    `1:8: Syntax error: mismatched input '<EOF>' expecting ${names}`,
  ],
  ['two points', '..b', "1:2: Syntax error: no viable alternative at input '..'"],
  ['a point before a sign', '.-1 == 1', "1:2: Syntax error: no viable alternative at input '.-'"],
  ['a point before a constant', '.true', "1:2: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  [
    'a point before in',
    '.in',
    "1:2: Syntax error: no viable alternative at input '.in'",
    `1:4: Syntax error: mismatched input '<EOF>' expecting ${names}`,
  ],
  ['columns count characters', "'é😀' == 1", "1:6: found no matching overload for '_==_' applied to '(string, int)'"],
];

describe('checker of expressions', () => {
  for (const [rule, expression, ...errors] of rows)
    it(`${rule}: ${expression}`, () => {
      expect(errorsOf(expression)).to.deep.equal(errors);
    });

  it('gives up after 30 signs without sides', () => {
    const problems = errorsOf('*'.repeat(100_000));
    expect(problems).to.have.length(32);
    expect(problems.at(-1)).to.equal('1:31: Syntax error: error recovery attempt limit exceeded: 30');
  });

  it('marks characters of several bytes by wide signs', () => {
    const checked = check("'é' == 1", { variables: {} });
    expect(checked.ok ? '' : checked.message.split('\n').at(-1)).to.equal(' | .．..^');
  });
});
