import { expect } from 'chai';
import { jsonPathProblem } from '../../../api/jsonPathSyntax.js';

/** Errors as in kube-apiserver 1.36.2. */
const problems: Readonly<Record<string, string | null>> = {
  'spec.validations[0].expression': null,
  '$.a..b[*].c': null,
  "['a'].b['c,d']": "invalid array index 'c",
  'a\\\n}': 'unclosed action',
  "['a','b']": null,
  '[1:2:3][-1]': null,
  '[?(@.a=="b)")].c': null,
  "'\\x41'": null,
  'a} text {b': null,
  '.a\\.b': null,
  '': null,
  '::1': "unrecognized character in action: U+003A ':'",
  'a\tb': 'unrecognized character in action: U+0009',
  'a\n': 'unclosed action',
  'a} {b[': 'unterminated array',
  '....a': 'invalid multiple recursive descent',
  '[a]': 'invalid array index a',
  '[1,a]': 'invalid array index a',
  '[-]': 'array index - is not a number',
  '[99999999999999999999]': 'array index 99999999999999999999 is not a number',
  '"a': 'unterminated quoted string',
  "'\\q'": "unquote string '\\q' error invalid syntax",
  '1.2.3': 'cannot parse number 1.2.3',
  '[?(@.a': 'unterminated filter',
  '[?(@.a)': 'unclosed array expect ]',
  '[?(@.a==:)]': "unrecognized character in action: U+003A ':'",
};

describe('JSONPath templates', () => {
  for (const [path, problem] of Object.entries(problems))
    it(`${problem === null ? 'are read' : 'are refused'}: ${JSON.stringify(path)}`, () => {
      expect(jsonPathProblem(`{${path}}`)).to.equal(problem);
    });
});
