import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { User } from '../../../../api/user.js';
import { readAbacPolicies } from '../../../../server/authorization/abac.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const file = join(temporaryDirectory('abac'), 'policy.jsonl');
const read = (...lines: string[]): ReturnType<typeof readAbacPolicies> => {
  writeFileSync(file, lines.join('\n'));
  return readAbacPolicies(file);
};
const policy = (spec: object): string => JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const ann = user('ann', 'team', 'system:authenticated');
const pods = (verb: string, namespace: string, who = ann): Attributes => ({
  isResource: true,
  user: who,
  verb,
  group: '',
  version: 'v1',
  namespace,
  resource: 'pods',
  subresource: '',
  name: '',
});
const path = (at: string, who = ann, verb = 'get'): Attributes => ({ isResource: false, user: who, verb, path: at });

describe('authorization/abac', () => {
  const cases: [string, object, Attributes, boolean][] = [
    ['a user', { user: 'ann', resource: '*', namespace: '*', apiGroup: '*' }, pods('create', 'ns'), true],
    ['another user', { user: 'bob', resource: '*', namespace: '*', apiGroup: '*' }, pods('get', 'ns'), false],
    ['a group', { group: 'team', resource: 'pods', namespace: 'ns', apiGroup: '' }, pods('get', 'ns'), true],
    [
      'a user who must also be in a group',
      { user: 'ann', group: 'others', resource: '*', namespace: '*', apiGroup: '*' },
      pods('get', 'ns'),
      false,
    ],
    ['nobody', { resource: '*', namespace: '*', apiGroup: '*' }, pods('get', 'ns'), false],
    ['everybody with a name', { user: '*', resource: '*', namespace: '*', apiGroup: '*' }, pods('get', 'ns'), true],
    [
      'everybody, asked by nobody',
      { user: '*', resource: '*', namespace: '*', apiGroup: '*' },
      pods('get', 'ns', user('system:anonymous', 'system:unauthenticated')),
      false,
    ],
    ['another namespace', { user: 'ann', resource: '*', namespace: 'other', apiGroup: '*' }, pods('get', 'ns'), false],
    ['another group of resources', { user: 'ann', resource: '*', namespace: '*', apiGroup: 'apps' }, pods('get', 'ns'), false],
    ['reading', { user: 'ann', readonly: true, resource: '*', namespace: '*', apiGroup: '*' }, pods('watch', 'ns'), true],
    ['reading, for a write', { user: 'ann', readonly: true, resource: '*', namespace: '*', apiGroup: '*' }, pods('create', 'ns'), false],
    ['paths', { user: 'ann', nonResourcePath: '/debug/*' }, path('/debug/pprof'), true],
    ['other paths', { user: 'ann', nonResourcePath: '/debug/*' }, path('/metrics'), false],
    ['paths, for a resource', { user: 'ann', nonResourcePath: '*' }, pods('get', 'ns'), false],
    ['resources, for a path', { user: 'ann', resource: '*', namespace: '*', apiGroup: '*' }, path('/metrics'), false],
  ];
  for (const [what, spec, attributes, allowed] of cases) {
    it(`${allowed ? 'allows' : 'does not allow'} by a policy for ${what}`, () => {
      expect(read('# comment', '', policy(spec)).authorize(attributes)).to.deep.equal(
        allowed ? { decision: 'allow', reason: '' } : { decision: 'noOpinion', reason: 'No policy matched.' },
      );
    });
  }
  it('takes no more time for a path of many stars than its length', () => {
    const policies = read(policy({ user: 'ann', nonResourcePath: `/${'*'.repeat(200_000)}x${'*'.repeat(200_000)}` }));
    for (let round = 0; round < 10; round += 1) expect(policies.authorize(path('/metrics'))).to.deep.include({ decision: 'noOpinion' });
  });
  it('reads the oldest form, in which what is left out matches everything', () => {
    expect(read('{"user":"ann","resource":"pods"}').authorize(pods('delete', 'ns'))).to.deep.include({ decision: 'allow' });
    expect(read('{"user":"ann","resource":"pods"}').authorize(path('/metrics'))).to.deep.include({ decision: 'noOpinion' });
    expect(read('{}').authorize(path('/metrics'))).to.deep.include({ decision: 'allow' });
    expect(read('{}').authorize(path('/metrics', user('x')))).to.deep.include({ decision: 'noOpinion' });
  });
  it('lists what a user may do', () => {
    const { rules } = read(
      policy({ user: 'ann', readonly: true, resource: 'pods', namespace: 'ns', apiGroup: '' }),
      policy({ user: 'bob', resource: '*', namespace: '*', apiGroup: '*' }),
    );
    expect(rules(ann, 'ns')).to.deep.equal({
      resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [],
      incomplete: false,
      problems: [],
    });
    expect(rules(ann, 'other').resourceRules).to.deep.equal([]);
  });
  it('refuses broken files with option, file and line', () => {
    expect(() => read(policy({ user: 'ann' }), 'not json')).to.throw(/^--authorization-policy-file: line 2 of .* is not JSON$/);
    expect(() => read('[]')).to.throw(/line 1 of .* is not an object/);
    expect(() => read('{"apiVersion":"v1","kind":"Policy"}')).to.throw(/must have apiVersion abac/);
    expect(() => readAbacPolicies('/nowhere/at/all')).to.throw(/^--authorization-policy-file: cannot read/);
  });
});
