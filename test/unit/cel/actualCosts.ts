import type { JsonValue } from '../../../api/object.js';

/** An expression, its variables with types and values, and its cost in the reference's units. */
export interface ActualCost {
  readonly expression: string;
  readonly variables: string;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly cost: number;
  /** With constants folded in advance, as everywhere in the reference; default `cost`. */
  readonly folded?: number;
}

/** From `interpreter/runtimecost_test.go` of cel-go, without its own functions and costly presence tests. */
const row = (expression: string, cost: number, variables = '', values: ActualCost['values'] = {}, folded: number = cost): ActualCost => ({
  expression,
  variables,
  values,
  cost,
  folded,
});
const long = 'x'.repeat(500);
const one = { single_int32: 0 };
const flags = { a: false, b: false, c: false, d: false };
const four = 'a: bool; b: bool; c: bool; d: bool';

export const languageActualCosts: readonly ActualCost[] = [
  row('"Hello World!"', 0),
  row('input', 1, 'input: list<int>', { input: [1, 2] }),
  row("input['key']", 2, 'input: map<string, string>', { input: { key: 'v' } }),
  row('input[0]', 2, 'input: list<string>', { input: ['v'] }),
  row('input.single_int32', 2, 'input: T', { input: one }),
  row("input['ke' + 'y']", 3, 'input: map<string, string>', { input: { key: 'v' } }),
  row('input[3-3]', 3, 'input: list<string>', { input: ['v'] }),
  row('has(input.single_int32)', 1, 'input: T', { input: one }),
  row('has(input.testAttr.nestedAttr)', 2, 'input: map<string, map<string, string>>', { input: { testAttr: { nestedAttr: '0' } } }),
  row('[1, 2, 3]', 10, '', {}, 0),
  row('{"a": 1, "b": 2, "c": 3}', 30, '', {}, 0),
  row('input.all(x, true)', 2, 'input: list<T>', { input: [] }),
  row('input.all(x, x.all(y, true))', 2, 'input: list<list<T>>', { input: [] }),
  row('[1, 2, 3].all(x, true)', 20, '', {}, 10),
  row("input.matches('[0-9]')", 103, 'input: string', { input: long }),
  row("'123'.matches('[0-9]')", 2),
  row('false || false', 0),
  row('true || false', 0),
  row('a || b || c || d', 4, four, flags),
  row('true && false', 0),
  row('false && true', 0),
  row('a && b && c && d', 4, four, { a: true, b: true, c: true, d: true }),
  row('1 < 2', 1),
  row('1 <= 2', 1),
  row('1 == 2', 1),
  row('2 > 1', 1),
  row('2 >= 1', 1),
  row('2 in [1, 2, 3]', 13, '', {}, 0),
  row('1 + 1', 1),
  row('1 - 1', 1),
  row('1 / 1', 1),
  row('1 * 1', 1),
  row('1 % 1', 1),
  row('true ? 1 : 2', 0),
  row('size("123")', 1),
  row("'12345678901234567890' == '123456789012345678901234567890'", 2),
  row('bytes(input)', 51, 'input: string', { input: long }),
  row('string(1)', 1, '', {}, 0),
  row('input.contains(arg1)', 2502, 'input: string; arg1: string', { input: long, arg1: long }),
  row(String.raw`input.matches('\\d+a\\d+b')`, 103, 'input: string', { input: long }),
  row('input.startsWith(arg1)', 3, 'input: string; arg1: string', { input: 'idc', arg1: long }),
  row('input.endsWith(arg1)', 3, 'input: string; arg1: string', { input: 'idc', arg1: long }),
  row('input.size()', 2, 'input: string', { input: '500' }),
  row('size(input)', 2, 'input: string', { input: '500' }),
  row('(x > 2 ? input1 : input2).all(y, true)', 6, 'x: int; input1: list<T>; input2: list<T>', { x: 1, input1: [one], input2: [one] }),
  row('true ? false : 1 > 3', 0),
  row('false ? false : 1 > 3', 1),
  row('input.all(k, input[k].single_int32 > 3)', 9, 'input: map<string, T>', { input: { val: one } }),
  row('input.all(k, input[k].all(x, true))', 2, 'input: map<string, map<string, T>>', { input: {} }),
  row('input.all(k, k.contains(k))', 2, 'input: map<string, map<string, T>>', { input: {} }),
  row('input.all(k, input[k].all(k, true) && k.contains(k))', 2, 'input: map<string, map<string, T>>', { input: {} }),
  row('(list1 + list2).all(x, true)', 4, 'list1: list<int>; list2: list<int>', { list1: [], list2: [] }),
  row('"abcdefg".contains(str1 + str2)', 6, 'str1: string; str2: string', { str1: 'val1', str2: 'val2222222' }),
  row('(1 > 2 ? 5 : 3) > 1', 2),
  row('(1 > 2 || 2 > 1) == true', 3),
  row("[{'k1': 1}, {'k2': 2}].all(x, true)", 77, '', {}, 7),
  row('[1,2,3,4,5].filter(x, x % 2 == 0)', 62, '', {}, 42),
  row('[1,2,3,4,5].map(x, x)', 86, '', {}, 66),
  row('[1,2,3,4,5].map(x, x).filter(x, x % 2 == 0)', 138, '', {}, 108),
  row('[1,2,3,4,5].map(x, x).exists(x, x == 5) == true', 118, '', {}, 98),
  row('[1,2,3,4,5].map(x, x).map(x, x)', 162, '', {}, 132),
  row('[1,2,3,4,5].map(x, [x, x]).filter(z, z.size() == 2)', 232, '', {}, 202),
  row('[1,2,3,4,5].map(x, [x, x]).all(y, y.all(y, y == 1))', 171, '', {}, 151),
  row('[1,2,3,4,5].map(x, x).map(x, x) + [1]', 173, '', {}, 133),
  row('[1,2,3].all(i, i in [1,2,3].map(j, j + j))', 86, '', {}, 56),
];

/** From the remaining budgets in `pkg/admission/plugin/cel/condition_test.go` of kubernetes/apiserver: a folding environment, and objects of any type. */
const subsets = { object: { subsets: [{}, {}, {}], text: 'x'.repeat(100) }, oldObject: null };
const objects = 'object: dyn; oldObject: dyn';
const admission = (expression: string, cost: number): ActualCost => ({
  expression,
  variables: objects,
  values: subsets,
  cost,
  folded: cost,
});

/** The first rows are the reference's; the others follow its plan of each expression (`interpreter/planner.go`, `attributes.go`, `decorators.go` of cel-go). */
export const foldedCosts: readonly ActualCost[] = [
  admission('oldObject != null', 1 + 1),
  admission('object.subsets.size() > 2', 2 + 2),
  admission('[1,2,3,4].isSorted()', 4),
  admission("url('https:://kubernetes.io/').getHostname() == 'kubernetes.io'", 4),
  admission("size('abc 123 def 123'.split(' ')) > 0", 5),
  admission("size(['aa', 'bb', 'cc', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].join(' ')) > 0", 7),
  admission("size('abc 123 def 123'.find('123')) > 0", 4),
  admission('quantity("200M") == quantity("0.2G") && quantity("0.2G") == quantity("200M")', 6),
  // A branch of a conditional is not evaluated alone, and members of a conditional are its branches' members.
  admission('(oldObject == null ? object.subsets : []).size()', 2 + 1 + 1),
  admission('(oldObject == null ? object : oldObject).subsets.size()', 2 + 1 + 1),
  admission('has((oldObject == null ? object : oldObject).subsets)', 2),
  admission('(oldObject == null ? (oldObject == null ? object : 1) : 2) == 3', 2 + 2 + 1),
  // Selecting from a call's result costs one more unit, except in a presence test.
  admission('object.subsets.map(s, s)[0]', 2 + 3 * 13 + 1 + 2),
  admission('has(object.subsets.map(s, s)[0].x)', 2 + 3 * 13 + 1 + 2),
  admission("{'a': object.text}.a", 2 + 30 + 2),
  // Absent optional members cost nothing.
  admission('object.?a.?b.orValue(1) == 1', 1 + 1 + 1),
  admission('object.?subsets.hasValue()', 2 + 1),
  admission('[?object.?a].size()', 1 + 10 + 1),
  // A macro reads an optional twice, the second time where its body uses it.
  admission('optional.of(1).optMap(x, x + 1).value() == 2', 2 + (1 + 2 + 1) + 1 + 1 + 1),
  admission('optional.of(1).optMap(x, true).value()', 2 + 1 + 1),
  admission('optional.of(1).optFlatMap(x, optional.of(x)).value() == 1', 2 + (1 + 2 + 1) + 1 + 1),
  admission('optional.none().optMap(x, x).hasValue()', 2 + 1 + 1),
  admission('cel.bind(x, object.text, true)', 0),
  admission('cel.bind(x, object.text, x == x)', 1 + 2 + 1 + 10),
  admission('object.subsets.exists_one(s, false)', 2 + 2),
  admission('object.subsets.exists_one(s, true)', 2 + 3 * 2 + 2),
  admission('object.subsets.all(s, s in [])', 2 + 3 + 2 + 1),
  admission('object.subsets.filter(s, true).size()', 2 + 3 * 13 + 1 + 1),
  admission('[3, 1, 2].sortBy(x, x)[0] == 1', 2 + 3 * 13 + 1 + (18 + 11) + 2 + 1),
  admission("'a' in ['a', 'b'] && !(1 in [])", 1),
  admission("object.text in ['a', 'b']", 2),
  admission('object.subsets in [[1], [2]]', 2 + 2),
  admission("duration('1h') == duration('60m')", 1),
  admission("[int('12'), {'a': [1]}] == []", 0),
  // A call with an ambiguous overload costs one unit.
  admission("object.text + object.text == ''", 4 + 1),
  admission("object.text + 'x' == ''", 2 + 11),
  admission('object.text < object.text', 4 + 1),
  admission("object.text < 'xxxxxxxxxxxxxxx'", 2 + 2),
  admission("string(object.text) == ''", 2 + 1),
  admission('object.text in object.subsets', 4 + 1),
  admission("matches(object.text, 'a')", 2 + 1),
  admission("object.text.matches('a')", 2 + 11),
  admission("isURL('https://example.org/a/long/path')", 1),
  admission("['a', 'b', 'c'].isSorted()", 0),
  admission("['0123456789', 'b', 'é123456789'].max() == ''", 2),
];
