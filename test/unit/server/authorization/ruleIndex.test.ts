import { expect } from 'chai';
import fc from 'fast-check';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import type { PolicyRule } from '../../../../server/authorization/rbac/policy.js';
import { PolicyIndex } from '../../../../server/authorization/rbac/policyIndex.js';
import { RuleIndex } from '../../../../server/authorization/rbac/ruleIndex.js';

const ann = { name: 'ann', uid: '', groups: [], extra: {} };
const words = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const rule = (parts: Partial<PolicyRule>): PolicyRule => ({
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
  ...parts,
});
const asking = (resource: string, group: string, verb: string, name: string): Attributes => {
  const [kind = '', subresource = ''] = resource.split('/');
  return { isResource: true, user: ann, verb, version: 'v1', group, namespace: '', name, resource: kind, subresource };
};

function grants(held: PolicyRule, attributes: Attributes): boolean {
  const has = (list: readonly string[], word: string): boolean => list.includes('*') || list.includes(word);
  if (!has(held.verbs, attributes.verb)) return false;
  if (!attributes.isResource)
    return held.nonResourceURLs.some(
      (url) => url === attributes.path || (url.endsWith('*') && attributes.path.startsWith(url.replace(/\*+$/, ''))),
    );
  const { resource, subresource, group, name } = attributes;
  const named =
    has(held.resources, subresource === '' ? resource : `${resource}/${subresource}`) ||
    (subresource !== '' && held.resources.includes(`*/${subresource}`));
  return named && has(held.apiGroups, group) && (held.resourceNames.length === 0 || held.resourceNames.includes(name));
}

describe('authorization/rbac/ruleIndex', () => {
  it('finds what a search through all rules finds, however long their lists are', () => {
    const some = (...list: string[]): fc.Arbitrary<string[]> => fc.subarray(list);
    const rules = fc.array(
      fc.record({
        verbs: some(...words('v', 6), '*'),
        apiGroups: some(...words('g', 5), '*'),
        resources: some('pods', 'pods/log', '*', '*/log', ...words('r', 5)),
        resourceNames: some('', ...words('n', 5)),
        nonResourceURLs: some('/a', '/a/*', '/a/b', '/a/b*', '*'),
      }),
      { maxLength: 4 },
    );
    const pick = (list: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...list);
    const question = fc.oneof(
      fc
        .record({
          resource: pick(['pods', 'pods/log', 'r1', 'r1/log', 'x']),
          group: pick(['g0', 'g4', 'x']),
          verb: pick(['v0', 'v5', 'x']),
          name: pick(['', 'n1', 'n4', 'x']),
        })
        .map(({ resource, group, verb, name }) => asking(resource, group, verb, name)),
      fc
        .record({ path: pick(['/a', '/a/', '/a/b', '/a/bc', '/x']), verb: pick(['v0', 'x']) })
        .map(({ path, verb }): Attributes => ({ isResource: false, user: ann, verb, path })),
    );
    fc.assert(
      fc.property(rules, fc.array(question, { minLength: 1 }), (list, questions) => {
        const index = new RuleIndex<true>();
        for (const each of list) index.add(each, true);
        for (const asked of questions) expect(index.find(asked) === true).to.equal(list.some((each) => grants(each, asked)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is as large as its rules are long, not as many as their combinations are', () => {
    for (const n of [1, 3, 10, 30, 100, 200]) {
      const index = new RuleIndex<true>();
      index.add(rule({ apiGroups: words('g', n), resources: words('r', n), verbs: words('v', n), resourceNames: words('n', n) }), true);
      index.add(rule({ nonResourceURLs: words('/p*', n).map((path) => `${path}*`), verbs: words('v', n) }), true);
      expect(index.size).to.be.at.most(8 * 6 * n);
      expect(index.find(asking(`r${n - 1}`, `g${n - 1}`, `v${n - 1}`, `n${n - 1}`))).to.equal(true);
      expect(index.find(asking(`r${n - 1}`, `g${n - 1}`, `v${n - 1}`, `n${n}`))).to.equal(null);
    }
  });

  it('takes back a binding that names a subject again and again, with another one beside it', () => {
    const index = new PolicyIndex();
    const binding = (name: string, times: number): object => ({
      metadata: { name },
      roleRef: { kind: 'ClusterRole', name: 'r' },
      subjects: Array.from({ length: times }, () => ({ kind: 'User', name: 'ann' })),
    });
    index.putRole('', { metadata: { name: 'r' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] });
    index.putBinding('', binding('many', 20_000) as Parameters<PolicyIndex['putBinding']>[1]);
    index.putBinding('', binding('one', 1) as Parameters<PolicyIndex['putBinding']>[1]);
    index.removeBinding('', 'many');
    expect(index.decide(asking('pods', '', 'get', ''))).to.deep.equal({
      decision: 'allow',
      reason: 'RBAC: allowed by ClusterRoleBinding "one" of ClusterRole "r" to User "ann"',
    });
    index.removeBinding('', 'one');
    expect(index.decide(asking('pods', '', 'get', '')).decision).to.equal('noOpinion');
  });

  it('knows what 10,000 bindings grant, and tells of so many missing roles and no more', () => {
    const index = new PolicyIndex();
    for (let i = 0; i < 10_000; i++) {
      index.putRole('n', {
        metadata: { name: `r${i}` },
        rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: [`c${i}`] }],
      });
      index.putBinding('n', {
        metadata: { name: `b${i}` },
        roleRef: { kind: 'Role', name: i % 2 === 0 ? `r${i}` : `gone${i}` },
        subjects: [{ kind: 'User', name: 'ann' }],
      });
    }
    const ask = (name: string): ReturnType<PolicyIndex['decide']> =>
      index.decide({ ...asking('configmaps', '', 'get', name), namespace: 'n' } as Attributes);
    expect(index.rulesFor(ann, 'n').rules).to.have.length(5_000);
    expect(ask('c9998').decision).to.equal('allow');
    expect(ask('c9999').reason).to.match(/gone199" not found, and more\]$/);
  });
});
