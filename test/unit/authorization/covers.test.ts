import { expect } from 'chai';
import { missingRules } from '../../../server/authorization/rbac/covers.js';
import { describeRule, type PolicyRule } from '../../../server/authorization/rbac/policy.js';

const rule = (parts: Partial<PolicyRule>): PolicyRule => ({ verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [], ...parts });
const on = (resources: string[], verbs: string[], resourceNames: string[] = [], apiGroups = ['']): PolicyRule => rule({ apiGroups, resources, verbs, resourceNames });
const paths = (nonResourceURLs: string[], verbs: string[]): PolicyRule => rule({ nonResourceURLs, verbs });

describe('authorization/rbac/covers', () => {
  const cases: [string, PolicyRule[], PolicyRule[], string[]][] = [
    ['what is held', [on(['pods', 'secrets'], ['get', 'list'])], [on(['pods'], ['get'])], []],
    ['what several rules hold together', [on(['pods'], ['get']), on(['pods'], ['list'])], [on(['pods'], ['get', 'list'])], []],
    ['a verb that is not', [on(['pods'], ['get'])], [on(['pods'], ['get', 'delete'])], ['{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}']],
    ['verbs that are not, in one line', [], [on(['pods'], ['get', 'delete'])], ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "delete"]}']],
    ['names under what holds all', [on(['pods'], ['get'])], [on(['pods'], ['get'], ['a'])], []],
    ['all under a name', [on(['pods'], ['get'], ['a'])], [on(['pods'], ['get'])], ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
    ['another name', [on(['pods'], ['get'], ['a'])], [on(['pods'], ['get'], ['a', 'b'])], ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}']],
    ['a wildcard under words', [on(['pods'], ['get'])], [on(['*'], ['get'])], ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}']],
    ['words under a wildcard', [rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })], [on(['pods/log', '*/x', '*'], ['*'], [], ['apps', '*'])], []],
    ['a subresource under that of any resource', [on(['*/status'], ['get'])], [on(['pods/status'], ['get'])], []],
    ['a subresource under its resource', [on(['pods'], ['get'])], [on(['pods/status'], ['get'])], ['{APIGroups:[""], Resources:["pods/status"], Verbs:["get"]}']],
    ['a path under its prefix', [paths(['/a/*'], ['get'])], [paths(['/a/b', '/a/*'], ['get'])], []],
    ['a prefix under a path', [paths(['/a/b'], ['get'])], [paths(['/a/*'], ['get'])], ['{NonResourceURLs:["/a/*"], Verbs:["get"]}']],
  ];
  for (const [what, held, wanted, missing] of cases) {
    it(`${missing.length === 0 ? 'covers' : 'does not cover'} ${what}`, () => {
      expect(missingRules(held, wanted).map(describeRule)).to.deep.equal(missing);
    });
  }
});
