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
  it('allows by any one of several policies', () => {
    const policies = read(policy({ user: 'bob', nonResourcePath: '*' }), policy({ user: 'ann', nonResourcePath: '/a' }));
    expect(policies.authorize(path('/a'))).to.deep.include({ decision: 'allow' });
    expect(policies.authorize(path('/b'))).to.deep.include({ decision: 'noOpinion' });
  });
  describe('in the oldest form', () => {
    const bob = user('bob', 'team', 'system:authenticated');
    const oldest: readonly (readonly [what: string, given: object, allowed: readonly Attributes[], not: readonly Attributes[]])[] = [
      [
        'nobody in particular',
        { user: 'system:anonymous' },
        [path('/a', user('system:anonymous', 'system:unauthenticated'))],
        [path('/a')],
      ],
      ['a user alone', { user: 'ann' }, [pods('create', 'ns'), path('/a')], [pods('get', 'ns', bob), path('/a', bob)]],
      ['a group alone', { group: 'team' }, [pods('get', 'ns', bob)], [pods('get', 'ns', user('eve', 'system:authenticated'))]],
      ['any user', { user: '*', group: 'none' }, [pods('get', 'ns', bob)], [pods('get', 'ns', user('bob'))]],
      ['any group', { group: '*' }, [pods('get', 'ns', bob)], [pods('get', 'ns', user('bob'))]],
      ['reading', { readonly: true }, [pods('list', 'ns'), path('/a')], [pods('update', 'ns'), path('/a', ann, 'post')]],
      ['a namespace', { namespace: 'ns' }, [pods('get', 'ns')], [pods('get', 'other'), path('/a')]],
      [
        'a resource',
        { resource: 'secrets' },
        [{ ...pods('get', 'ns'), resource: 'secrets' } as Attributes],
        [pods('get', 'ns'), path('/a')],
      ],
    ];
    for (const [what, given, allowed, not] of oldest)
      it(`matches ${what}`, () => {
        const { authorize } = read(JSON.stringify(given));
        const decisions = [...allowed, ...not].map((each) => (authorize(each) as { readonly decision: string }).decision);
        expect(decisions).to.deep.equal([...allowed.map(() => 'allow'), ...not.map(() => 'noOpinion')]);
      });
  });
  it('takes a group of everybody for all who are authenticated', () => {
    const { authorize } = read(policy({ group: '*', nonResourcePath: '*' }));
    expect([authorize(path('/a')), authorize(path('/a', user('x')))]).to.deep.equal([
      { decision: 'allow', reason: '' },
      { decision: 'noOpinion', reason: 'No policy matched.' },
    ]);
  });
  it('lists rights to paths apart from those to resources, and for the namespace of the policy', () => {
    const { rules } = read(
      policy({ user: 'ann', nonResourcePath: '/a/*', namespace: '*' }),
      policy({ user: 'ann', nonResourcePath: '/b' }),
      policy({ user: 'ann', resource: 'pods', namespace: '*', apiGroup: '' }),
      policy({ user: 'ann', namespace: '*' }),
    );
    expect(rules(ann, 'ns')).to.deep.include({
      resourceRules: [{ verbs: ['*'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/a/*'] }],
    });
  });
  it('skips lines of spaces, and comments behind spaces', () =>
    expect(read('   ', '  # comment', `\t${policy({ user: 'ann', nonResourcePath: '*' })} \r`).authorize(path('/a'))).to.deep.include({
      decision: 'allow',
    }));
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
    for (const text of ['[]', 'null', '1', '"text"']) expect(() => read(text), text).to.throw(/line 1 of .* is not an object/);
    for (const given of [
      { apiVersion: 'abac.authorization.kubernetes.io/v1beta1' },
      { kind: 'Policy' },
      { apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Other' },
    ])
      expect(() => read(JSON.stringify(given)), JSON.stringify(given)).to.throw(/must have apiVersion abac.* and kind Policy/);
    expect(() => read('{"apiVersion":"v1","kind":"Policy"}')).to.throw(/must have apiVersion abac/);
    expect(() => readAbacPolicies('/nowhere/at/all')).to.throw(/^--authorization-policy-file: cannot read/);
  });
});
