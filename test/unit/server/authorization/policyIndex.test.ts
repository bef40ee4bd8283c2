import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonValue } from '../../../../api/object.js';
import type { User } from '../../../../api/user.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { PolicyIndex } from '../../../../server/authorization/rbac/policyIndex.js';
import { bootstrapIndex } from '../../../fixtures/bootstrapRights.js';

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const resource = (who: User, verb: string, what: string, more: { namespace?: string; group?: string; name?: string } = {}): Attributes => {
  const [name = '', subresource = ''] = what.split('/');
  return { isResource: true, user: who, verb, version: 'v1', group: '', namespace: '', name: '', resource: name, subresource, ...more };
};
const path = (who: User, verb: string, at: string): Attributes => ({ isResource: false, user: who, verb, path: at });
const role = (name: string, ...rules: { [member: string]: JsonValue }[]): ApiObject => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, roleName: string, ...subjects: { [member: string]: JsonValue }[]): ApiObject => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName },
  subjects,
});
const core = (verbs: string[], resources: string[], resourceNames: string[] = []): { [member: string]: JsonValue } => ({
  apiGroups: [''],
  resources,
  verbs,
  resourceNames,
});

/** An index with ann bound to one cluster role with these rules. */
function withRules(...rules: { [member: string]: JsonValue }[]): PolicyIndex {
  const index = new PolicyIndex();
  index.putRole('', role('r', ...rules));
  index.putBinding('', binding('b', 'ClusterRole', 'r', { kind: 'User', name: 'ann' }));
  return index;
}
const ann = user('ann');

describe('authorization/rbac/policyIndex', () => {
  const cases: [string, { [member: string]: JsonValue }, Attributes, boolean][] = [
    ['a resource', core(['get'], ['pods']), resource(ann, 'get', 'pods'), true],
    ['another verb', core(['get'], ['pods']), resource(ann, 'list', 'pods'), false],
    ['another group', core(['get'], ['pods']), resource(ann, 'get', 'pods', { group: 'metrics.k8s.io' }), false],
    ['its subresource', core(['get'], ['pods']), resource(ann, 'get', 'pods/log'), false],
    ['a subresource', core(['get'], ['pods/log']), resource(ann, 'get', 'pods/log'), true],
    ['the resource of a subresource', core(['get'], ['pods/log']), resource(ann, 'get', 'pods'), false],
    ['a subresource of any resource', core(['update'], ['*/scale']), resource(ann, 'update', 'replicationcontrollers/scale'), true],
    ['another subresource of any resource', core(['update'], ['*/scale']), resource(ann, 'update', 'replicationcontrollers/status'), false],
    ['any resource', core(['get'], ['*']), resource(ann, 'get', 'pods/log'), true],
    ['any verb', core(['*'], ['pods']), resource(ann, 'frobnicate', 'pods'), true],
    ['any group', { apiGroups: ['*'], resources: ['pods'], verbs: ['get'] }, resource(ann, 'get', 'pods', { group: 'x' }), true],
    ['a name', core(['get'], ['pods'], ['a', 'b']), resource(ann, 'get', 'pods', { name: 'b' }), true],
    ['another name', core(['get'], ['pods'], ['a', 'b']), resource(ann, 'get', 'pods', { name: 'c' }), false],
    ['no name where names are given', core(['list'], ['pods'], ['a']), resource(ann, 'list', 'pods'), false],
    ['a path', { nonResourceURLs: ['/metrics'], verbs: ['get'] }, path(ann, 'get', '/metrics'), true],
    ['a path below', { nonResourceURLs: ['/metrics'], verbs: ['get'] }, path(ann, 'get', '/metrics/x'), false],
    ['any ending', { nonResourceURLs: ['/debug/*'], verbs: ['get'] }, path(ann, 'get', '/debug/pprof/heap'), true],
    ['any ending, without the slash', { nonResourceURLs: ['/debug/*'], verbs: ['get'] }, path(ann, 'get', '/debug'), false],
    ['any path', { nonResourceURLs: ['*'], verbs: ['*'] }, path(ann, 'post', '/whatever'), true],
    ['a star in the middle, which is no wildcard', { nonResourceURLs: ['/x/*/y'], verbs: ['get'] }, path(ann, 'get', '/x/1/y'), false],
    ['a path where resources are granted', core(['*'], ['*']), path(ann, 'get', '/metrics'), false],
  ];
  for (const [what, rule, attributes, allowed] of cases) {
    it(`${allowed ? 'grants' : 'does not grant'} ${what}`, () => {
      expect(withRules(rule).decide(attributes).decision).to.equal(allowed ? 'allow' : 'noOpinion');
    });
  }

  it('grants nothing by roles and subjects of other kinds, nor to accounts of no namespace', () => {
    const index = new PolicyIndex();
    index.putRole('', role('r', core(['get'], ['pods'])));
    index.putBinding('', binding('a', 'Other', 'r', { kind: 'User', name: 'ann' }));
    index.putBinding('', binding('b', 'ClusterRole', 'r', { kind: 'Robot', name: 'ann', namespace: 'ns' }));
    index.putBinding('', binding('c', 'ClusterRole', 'r', { kind: 'ServiceAccount', name: 'robot' }));
    index.putBinding('', binding('d', 'Role', 'r', { kind: 'User', name: 'ann' }));
    for (const name of ['ann', 'system:serviceaccount:ns:ann', 'system:serviceaccount::robot'])
      expect(index.decide(resource(user(name), 'get', 'pods')).decision, name).to.equal('noOpinion');
  });
  it('finds the rules of a role of the namespace or the cluster, while there is one', () => {
    const index = new PolicyIndex();
    index.putRole('ns', role('r', core(['get'], ['pods'])));
    index.putRole('', role('r', core(['list'], ['pods'])));
    const verbs = (kind: 'Role' | 'ClusterRole', name = 'r') => index.rulesOfRole({ kind, name }, 'ns')?.map((rule) => rule.verbs);
    expect([verbs('Role'), verbs('ClusterRole'), verbs('Role', 'other')]).to.deep.equal([[['get']], [['list']], undefined]);
    index.removeRole('ns', 'r');
    expect([verbs('Role'), verbs('ClusterRole')]).to.deep.equal([undefined, [['list']]]);
  });
  it('grants nothing by a binding that is gone or changed', () => {
    const index = withRules(core(['get'], ['pods']));
    index.putBinding('', binding('group', 'ClusterRole', 'r', { kind: 'Group', name: 'team' }));
    const decision = (...groups: string[]) => index.decide(resource(user('ann', ...groups), 'get', 'pods')).decision;
    index.removeBinding('', 'b');
    index.removeBinding('', 'b');
    expect([decision(), decision('team')]).to.deep.equal(['noOpinion', 'allow']);
    index.putBinding('', binding('group', 'ClusterRole', 'r', { kind: 'Group', name: 'others' }));
    expect([decision('team'), decision('others')]).to.deep.equal(['noOpinion', 'allow']);
  });
  it('grants a namespace what is bound there, and says by what', () => {
    const index = new PolicyIndex();
    index.putBinding(
      'one',
      binding('readers', 'Role', 'reader', { kind: 'ServiceAccount', name: 'robot' }, { kind: 'Group', name: 'team' }),
    );
    index.putRole('one', role('reader', core(['get'], ['configmaps'])));
    const robot = user('system:serviceaccount:one:robot', 'system:serviceaccounts');
    expect(index.decide(resource(robot, 'get', 'configmaps', { namespace: 'one' }))).to.deep.equal({
      decision: 'allow',
      reason: 'RBAC: allowed by RoleBinding "readers/one" of Role "reader" to ServiceAccount "robot/one"',
    });
    expect(index.decide(resource(user('x', 'team'), 'get', 'configmaps', { namespace: 'one' })).reason).to.match(/to Group "team"$/);
    expect(index.decide(resource(robot, 'get', 'configmaps', { namespace: 'two' })).decision).to.equal('noOpinion');
    expect(index.decide(resource(robot, 'get', 'configmaps')).decision).to.equal('noOpinion');
    expect(index.decide(resource(user('robot'), 'get', 'configmaps', { namespace: 'one' })).decision).to.equal('noOpinion');
  });

  it('names roles that are not there, once each', () => {
    const index = new PolicyIndex();
    index.putBinding('one', binding('b', 'Role', 'gone', { kind: 'User', name: 'ann' }));
    expect(index.decide(resource(ann, 'get', 'pods', { namespace: 'one' })).reason).to.equal(
      'RBAC: role.rbac.authorization.k8s.io "gone" not found',
    );
    index.putBinding('', binding('c', 'ClusterRole', 'lost', { kind: 'User', name: 'ann' }));
    index.putBinding('', binding('d', 'ClusterRole', 'lost', { kind: 'User', name: 'ann' }));
    expect(index.decide(resource(ann, 'get', 'pods', { namespace: 'one' })).reason).to.equal(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "lost" not found, role.rbac.authorization.k8s.io "gone" not found]',
    );
  });

  it("never lets a cluster binding grant a namespace's role", () => {
    const index = new PolicyIndex();
    index.putRole('one', role('r', core(['*'], ['*'])));
    index.putRole('', role('r', core(['get'], ['nodes'])));
    index.putBinding('', binding('b', 'Role', 'r', { kind: 'User', name: 'ann' }));
    expect(index.decide(resource(ann, 'get', 'nodes')).decision).to.equal('noOpinion');
    expect(index.decide(resource(ann, 'get', 'pods', { namespace: 'one' })).decision).to.equal('noOpinion');
  });

  it('takes back what goes away', () => {
    const index = withRules(core(['get'], ['pods']));
    index.putRole('', role('r', core(['list'], ['pods'])));
    expect(index.decide(resource(ann, 'get', 'pods')).decision).to.equal('noOpinion');
    expect(index.decide(resource(ann, 'list', 'pods')).decision).to.equal('allow');
    index.putBinding('', binding('b', 'ClusterRole', 'r', { kind: 'User', name: 'bob' }));
    expect(index.decide(resource(ann, 'list', 'pods')).decision).to.equal('noOpinion');
    expect(index.decide(resource(user('bob'), 'list', 'pods')).decision).to.equal('allow');
    index.removeRole('', 'r');
    expect(index.decide(resource(user('bob'), 'list', 'pods')).decision).to.equal('noOpinion');
    index.putRole('', role('r', core(['list'], ['pods'])));
    index.removeBinding('', 'b');
    expect(index.decide(resource(user('bob'), 'list', 'pods')).decision).to.equal('noOpinion');
  });

  it('lists the rules of a role once for each binding that applies', () => {
    const index = new PolicyIndex();
    const both = [
      { kind: 'Group', name: 'readers' },
      { kind: 'User', name: 'ann' },
    ];
    const listed = (): number => index.rulesFor(user('ann', 'readers'), 'n').rules.length;
    index.putRole('n', role('r', core(['get'], ['pods'])));
    index.putBinding('n', binding('b', 'Role', 'r', ...both));
    expect(listed()).to.equal(1);
    index.putBinding('n', binding('c', 'Role', 'r', ...both));
    expect(listed()).to.equal(2);
    expect(index.distinctRulesFor(user('ann', 'readers'), 'n').rules).to.have.length(1);
  });

  it('grants everybody what an empty cluster grants', () => {
    const index = bootstrapIndex();
    const authenticated = user('x', 'system:authenticated');
    const anonymous = user('system:anonymous', 'system:unauthenticated');
    expect(index.decide(path(authenticated, 'get', '/apis/apps/v1')).decision).to.equal('allow');
    expect(index.decide(path(anonymous, 'get', '/apis/apps/v1')).decision).to.equal('noOpinion');
    expect(index.decide(path(anonymous, 'get', '/livez')).decision).to.equal('allow');
    expect(
      index.decide(resource(authenticated, 'create', 'selfsubjectaccessreviews', { group: 'authorization.k8s.io' })).decision,
    ).to.equal('allow');
    expect(index.decide(resource(user('system:kube-controller-manager'), 'list', 'secrets')).decision).to.equal('allow');
    expect(index.rulesFor(authenticated, 'default').rules).to.not.have.length(0);
  });

  it('decides as a plain search through all bindings does, whatever comes and goes', () => {
    const word = (...words: string[]): fc.Arbitrary<string> => fc.constantFrom(...words);
    const some = (...words: string[]): fc.Arbitrary<string[]> => fc.uniqueArray(word(...words), { minLength: 1, maxLength: 2 });
    const rule = fc.oneof(
      fc.record({
        verbs: some('get', 'list', '*'),
        apiGroups: some('', 'apps', '*'),
        resources: some('pods', 'pods/log', '*', '*/log'),
        resourceNames: fc.oneof(fc.constant([]), some('a', 'b')),
      }),
      fc.record({ verbs: some('get', '*'), nonResourceURLs: some('/a', '/a/*', '*') }),
    );
    const namespace = word('', 'n');
    const subject = fc.oneof(
      fc.record({ kind: word('User', 'Group'), name: word('u', 'v') }),
      fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('s'), namespace: word('n', 'm') }),
    );
    const step = fc.oneof(
      fc.record({ do: fc.constant('role' as const), namespace, name: word('r1', 'r2', 'r3'), rules: fc.array(rule, { maxLength: 3 }) }),
      fc.record({ do: fc.constant('unrole' as const), namespace, name: word('r1', 'r2', 'r3') }),
      fc.record({
        do: fc.constant('bind' as const),
        namespace,
        name: word('b1', 'b2', 'b3', 'b4'),
        kind: word('Role', 'ClusterRole'),
        role: word('r1', 'r2', 'r3'),
        subjects: fc.array(subject, { maxLength: 2 }),
      }),
      fc.record({ do: fc.constant('unbind' as const), namespace, name: word('b1', 'b2', 'b3', 'b4') }),
    );
    const asking = fc.record({
      user: fc.record({ name: word('u', 'v', 'system:serviceaccount:n:s'), groups: fc.subarray(['u', 'v']) }),
      verb: word('get', 'list'),
      group: word('', 'apps'),
      namespace: word('', 'n', 'm'),
      what: word('pods', 'pods/log', 'nodes'),
      name: word('', 'a', 'c'),
      path: fc.option(word('/a', '/a/b', '/c')),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), fc.array(asking, { minLength: 1, maxLength: 10 }), (steps, questions) => {
        const index = new PolicyIndex();
        const model = new Model();
        for (const each of steps) {
          const key = `${each.namespace}/${each.name}`;
          switch (each.do) {
            case 'role':
              index.putRole(each.namespace, role(each.name, ...(each.rules as { [member: string]: JsonValue }[])));
              model.roles.set(key, each.rules);
              break;
            case 'unrole':
              index.removeRole(each.namespace, each.name);
              model.roles.delete(key);
              break;
            case 'bind':
              index.putBinding(each.namespace, binding(each.name, each.kind, each.role, ...each.subjects));
              model.bindings.set(key, each);
              break;
            case 'unbind':
              index.removeBinding(each.namespace, each.name);
              model.bindings.delete(key);
              break;
          }
        }
        for (const { user: who, verb, group, namespace: where, what, name, path: at } of questions) {
          const attributes =
            at === null
              ? resource(user(who.name, ...who.groups), verb, what, { namespace: where, group, name })
              : path(user(who.name, ...who.groups), verb, at);
          expect(index.decide(attributes).decision === 'allow').to.equal(model.allows(attributes));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('decides alike when one subject has more roles than are asked one by one', () => {
    const index = new PolicyIndex();
    for (let i = 0; i < 100; i++) {
      index.putRole('', role(`r${i}`, core(['get'], [`kind${i}`])));
      index.putBinding('', binding(`b${i}`, 'ClusterRole', `r${i}`, { kind: 'Group', name: 'team' }));
    }
    const member = user('x', 'team');
    expect(index.decide(resource(member, 'get', 'kind73')).reason).to.equal(
      'RBAC: allowed by ClusterRoleBinding "b73" of ClusterRole "r73" to Group "team"',
    );
    index.putRole('', role('r73', core(['get'], ['other'])));
    expect(index.decide(resource(member, 'get', 'kind73')).decision).to.equal('noOpinion');
    expect(index.decide(resource(member, 'get', 'other')).decision).to.equal('allow');
    index.removeBinding('', 'b73');
    expect(index.decide(resource(member, 'get', 'other')).decision).to.equal('noOpinion');
  });
});

interface ModelRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}
interface ModelBinding {
  readonly namespace: string;
  readonly kind: string;
  readonly role: string;
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** A model of the documented rules, with linear search. */
class Model {
  readonly roles = new Map<string, readonly ModelRule[]>();
  readonly bindings = new Map<string, ModelBinding>();

  allows(attributes: Attributes): boolean {
    const where = attributes.isResource ? attributes.namespace : '';
    return [...this.bindings.values()].some(({ namespace, kind, role: name, subjects }) => {
      if (namespace !== '' && namespace !== where) return false;
      if (kind === 'Role' && namespace === '') return false;
      const rules = this.roles.get(`${kind === 'Role' ? namespace : ''}/${name}`) ?? [];
      return subjects.some((subject) => this.#isSubject(subject, attributes.user)) && rules.some((rule) => this.#grants(rule, attributes));
    });
  }

  #isSubject({ kind, name, namespace = '' }: ModelBinding['subjects'][number], { name: who, groups }: User): boolean {
    if (kind === 'Group') return groups.includes(name);
    return who === (kind === 'User' ? name : `system:serviceaccount:${namespace}:${name}`);
  }

  #grants({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: ModelRule, attributes: Attributes): boolean {
    const has = (list: readonly string[], wanted: string): boolean => list.includes('*') || list.includes(wanted);
    if (!has(verbs, attributes.verb)) return false;
    if (!attributes.isResource)
      return nonResourceURLs.some((url) => url === attributes.path || (url.endsWith('*') && attributes.path.startsWith(url.slice(0, -1))));
    const { resource: what, subresource, group, name } = attributes;
    const full = subresource === '' ? what : `${what}/${subresource}`;
    const matches = has(resources, full) || (subresource !== '' && resources.includes(`*/${subresource}`));
    return matches && has(apiGroups, group) && (resourceNames.length === 0 || resourceNames.includes(name));
  }
}
