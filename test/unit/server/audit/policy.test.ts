import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { readPolicy } from '../../../../server/audit/policy.js';
import { extentBy } from '../../../../server/audit/rules.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';

const policyOf = (rules: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [...rules],
  ...more,
});

function extentFor(rules: readonly JsonObject[], attributes: Attributes, more: JsonObject = {}): ReturnType<ReturnType<typeof extentBy>> {
  const result = readPolicy(policyOf(rules, more));
  if (!result.ok) throw new Error(result.problems.join('; '));
  return extentBy(result.policy)(attributes);
}

const user = { name: 'ada', uid: '', groups: ['dev'], extra: {} };
const onSecret: Attributes = {
  isResource: true,
  user,
  verb: 'get',
  group: '',
  version: 'v1',
  namespace: 'shop',
  resource: 'secrets',
  subresource: '',
  name: 'till',
};
const onScale: Attributes = { ...onSecret, group: 'apps', verb: 'update', resource: 'deployments', subresource: 'scale', name: 'web' };
const onPath: Attributes = { isResource: false, user, verb: 'get', path: '/healthz/ping' };

describe('audit, policy', () => {
  const refused: Readonly<Record<string, readonly [JsonValue, RegExp]>> = {
    'what is no object': ['text', /must hold kind Policy/],
    'another version': [
      { apiVersion: 'audit.k8s.io/v1beta1', kind: 'Policy', rules: [{ level: 'None' }] },
      /must hold .* apiVersion audit\.k8s\.io\/v1$/,
    ],
    'another kind': [{ apiVersion: 'audit.k8s.io/v1', kind: 'Event', rules: [{ level: 'None' }] }, /must hold kind Policy/],
    'no rules': [policyOf([]), /rules must have at least one rule/],
    'a rule without level': [policyOf([{}]), /rules\[0\]\.level must be one of None, Metadata, Request, RequestResponse, not nothing/],
    'a level that does not exist': [policyOf([{ level: 'All' }]), /rules\[0\]\.level .* not "All"/],
    'a stage that does not exist': [
      policyOf([{ level: 'None', omitStages: ['Response'] }]),
      /rules\[0\]\.omitStages\[0\] must be one of RequestReceived, .* not "Response"/,
    ],
    'an unknown member and a wrong one': [policyOf([{ level: 'None', user: ['ada'], verbs: 'get' }]), /rules\[0\]\.verbs must be a list/],
    'a text in place of a list': [policyOf([{ level: 'None', users: 'ada' }]), /rules\[0\]\.users must be a list/],
    'paths beside resources': [policyOf([{ level: 'None', nonResourceURLs: ['/x'], resources: [{ group: '' }] }]), /cannot stand beside/],
    'paths beside namespaces': [policyOf([{ level: 'None', nonResourceURLs: ['/x'], namespaces: ['a'] }]), /cannot stand beside/],
    'a star in the middle of a path': [policyOf([{ level: 'None', nonResourceURLs: ['/x*y'] }]), /may have "\*" at its end only/],
    'a path without a slash': [policyOf([{ level: 'None', nonResourceURLs: ['x'] }]), /must begin with "\/"/],
    'a group with a version': [policyOf([{ level: 'None', resources: [{ group: 'apps/v1' }] }]), /is no group, which has no version/],
    'a group in capitals': [policyOf([{ level: 'None', resources: [{ group: 'Apps' }] }]), /is no group/],
    'what is not a list': [policyOf([], { rules: 'none' }), /rules must be a list/],
    'metadata that are none': [policyOf([{ level: 'None' }], { metadata: 'x' }), /metadata must be an object/],
    'names without resources': [
      policyOf([{ level: 'None', resources: [{ group: '', resourceNames: ['a'] }] }]),
      /needs resources beside it/,
    ],
  };
  for (const [what, [document, problem]] of Object.entries(refused)) {
    it(`refuses ${what}`, () => {
      const result = readPolicy(document);
      expect(result.ok ? [] : result.problems).to.satisfy((problems: readonly string[]) => problems.some((text) => problem.test(text)));
    });
  }

  // LoadPolicyFromBytes of audit/policy/reader.go.
  it('leaves out members that it does not know, and names them', () => {
    const result = readPolicy(policyOf([{ level: 'None', user: ['ada'] }], { rule: [] }));
    expect(result.ok && [...result.ignored].sort()).to.deep.equal([
      'rule is unknown (did you mean rules?)',
      'rules[0].user is unknown (did you mean users?)',
    ]);
    expect(result.ok && result.policy.rules[0]?.users).to.deep.equal([]);
    const clean = readPolicy(policyOf([{ level: 'None' }]));
    expect(clean.ok && clean.ignored).to.deep.equal([]);
  });

  it('names everything that is wrong at once', () => {
    const result = readPolicy(policyOf([{ level: 'x' }, { level: 'None', verbs: [1] }]));
    expect(result.ok ? [] : result.problems).to.have.length(2);
  });

  const fits: Readonly<Record<string, readonly [JsonObject, Attributes, boolean]>> = {
    everything: [{}, onSecret, true],
    'a user': [{ users: ['bob', 'ada'] }, onSecret, true],
    'another user': [{ users: ['bob'] }, onSecret, false],
    'a group of users': [{ userGroups: ['dev'] }, onSecret, true],
    'another group of users': [{ userGroups: ['ops'] }, onSecret, false],
    'a verb': [{ verbs: ['get'] }, onSecret, true],
    'another verb': [{ verbs: ['list'] }, onSecret, false],
    'a namespace': [{ namespaces: ['shop'] }, onSecret, true],
    'another namespace': [{ namespaces: ['kube-system'] }, onSecret, false],
    'what is in no namespace': [{ namespaces: [''] }, { ...onSecret, namespace: '' }, true],
    'a whole group': [{ resources: [{ group: 'apps' }] }, onScale, true],
    'any group': [{ resources: [{ group: '*', resources: ['deployments/scale'] }] }, onScale, true],
    'another group': [{ resources: [{ group: '' }] }, onScale, false],
    'a resource': [{ resources: [{ group: '', resources: ['secrets'] }] }, onSecret, true],
    'a resource, but not its subresource': [{ resources: [{ group: 'apps', resources: ['deployments'] }] }, onScale, false],
    'one subresource': [{ resources: [{ group: 'apps', resources: ['deployments/scale'] }] }, onScale, true],
    'all subresources of a resource': [{ resources: [{ group: 'apps', resources: ['deployments/*'] }] }, onScale, true],
    'a resource by the pattern of all its subresources': [{ resources: [{ group: '', resources: ['secrets/*'] }] }, onSecret, true],
    'a subresource of any resource': [{ resources: [{ group: 'apps', resources: ['*/scale'] }] }, onScale, true],
    'any resource': [{ resources: [{ group: 'apps', resources: ['*'] }] }, onScale, true],
    'a name': [{ resources: [{ group: '', resources: ['secrets'], resourceNames: ['till'] }] }, onSecret, true],
    'another name': [{ resources: [{ group: '', resources: ['secrets'], resourceNames: ['safe'] }] }, onSecret, false],
    'one of several names': [
      { resources: [{ group: '', resources: ['pods', 'secrets'], resourceNames: ['safe', 'till'] }] },
      onSecret,
      true,
    ],
    'one of several groups': [{ resources: [{ group: 'apps' }, { group: '' }] }, onSecret, true],
    'one of several groups of users': [{ userGroups: ['dev'] }, { ...onSecret, user: { ...user, groups: ['ops', 'dev'] } }, true],
    'subresources of any resource, for none': [{ resources: [{ group: '', resources: ['*/'] }] }, onSecret, false],
    'one of several paths': [{ nonResourceURLs: ['/version', '/healthz*'] }, onPath, true],
    'a path that begins another way': [{ nonResourceURLs: ['/readyz*'] }, onPath, false],
    'the beginning of a path without a star': [{ nonResourceURLs: ['/healthz/pin'] }, onPath, false],
    'a path': [{ nonResourceURLs: ['/healthz/ping'] }, onPath, true],
    'the beginning of a path': [{ nonResourceURLs: ['/healthz*'] }, onPath, true],
    'any path': [{ nonResourceURLs: ['*'] }, onPath, true],
    'another path': [{ nonResourceURLs: ['/version'] }, onPath, false],
    'paths, for a resource': [{ nonResourceURLs: ['*'] }, onSecret, false],
    'resources, for a path': [{ resources: [{ group: '' }] }, onPath, false],
  };
  for (const [what, [rule, attributes, expected]] of Object.entries(fits)) {
    it(`${expected ? 'fits' : 'does not fit'}: ${what}`, () => {
      expect(extentFor([{ level: 'Metadata', ...rule }], attributes).level).to.equal(expected ? 'Metadata' : 'None');
    });
  }

  it('lets the first rule that fits decide', () => {
    const rules = [{ level: 'None', users: ['bob'] }, { level: 'Request', users: ['ada'] }, { level: 'RequestResponse' }];
    expect(extentFor(rules, onSecret).level).to.equal('Request');
  });

  it('leaves out the stages of the rule and of the policy', () => {
    const { stages } = extentFor([{ level: 'Metadata', omitStages: ['ResponseStarted'] }], onSecret, { omitStages: ['RequestReceived'] });
    expect([...stages]).to.deep.equal(['ResponseComplete', 'Panic']);
  });

  it('lets a rule speak louder than the policy on managed fields', () => {
    expect(extentFor([{ level: 'Request' }], onSecret, { omitManagedFields: true }).omitManagedFields).to.equal(true);
    expect(extentFor([{ level: 'Request' }], onSecret).omitManagedFields).to.equal(false);
    expect(extentFor([{ level: 'Request', omitManagedFields: true }], onSecret).omitManagedFields).to.equal(true);
    expect(extentFor([{ level: 'Request', omitManagedFields: false }], onSecret, { omitManagedFields: true }).omitManagedFields).to.equal(
      false,
    );
  });
});
