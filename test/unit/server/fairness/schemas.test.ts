import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { requestInfo, type RequestInfo } from '../../../../api/requestInfo.js';
import type { User } from '../../../../api/user.js';
import { Classifier, flowOf, levelOf, schemaOf } from '../../../../server/fairness/objects.js';

function infoOf(path: string, method = 'GET'): RequestInfo {
  const result = requestInfo(method, path, new URLSearchParams());
  if (!result.ok) throw new Error(path);
  return result.info;
}
const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const ann = user('ann', 'dev');
const schema = (name: string, spec: JsonObject): ApiObject => ({ metadata: { name, uid: name }, spec });
const anybody = [{ kind: 'User', user: { name: '*' } }];
const anything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };

function isMatched(rule: JsonObject, path: string, by: User = ann, method = 'GET'): boolean {
  const compiled = schemaOf(schema('s', { rules: [{ subjects: anybody, ...rule }] }));
  return new Classifier([compiled]).classify(infoOf(path, method), by) !== null;
}

// matchesPolicyRule and the functions below it of util/flowcontrol/rule.go.
describe('requests of flow schemas', () => {
  const pods = '/api/v1/namespaces/shop/pods';
  const paths: readonly (readonly [string, string, boolean])[] = [
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/ping', true],
    ['/healthz', '/healthzz', false],
    ['/healthz/', '/healthz/ping', true],
    ['/healthz/*', '/healthz/ping', true],
    ['/healthz/*', '/healthz', false],
    ['/healthz/ping', '/healthz', false],
    ['*', '/version', true],
  ];
  for (const [url, path, expected] of paths)
    it(`${path} is ${expected ? '' : 'not '}of the path ${url}`, () => {
      expect(isMatched({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [url] }] }, path)).to.equal(expected);
    });

  const resources: readonly (readonly [string, JsonObject, string, boolean])[] = [
    ['a verb', { verbs: ['list'] }, pods, true],
    ['another verb', { verbs: ['get'] }, pods, false],
    ['a group', { apiGroups: [''] }, pods, true],
    ['another group', { apiGroups: ['apps'] }, pods, false],
    ['a resource', { resources: ['pods'] }, pods, true],
    ['another resource', { resources: ['nodes'] }, pods, false],
    ['a resource, but not its subresource', { resources: ['pods'] }, `${pods}/p/status`, false],
    ['a subresource', { resources: ['pods/status'] }, `${pods}/p/status`, true],
    ['a namespace', { namespaces: ['shop'] }, pods, true],
    ['another namespace', { namespaces: ['other'] }, pods, false],
    ['no namespace', { clusterScope: true }, '/api/v1/nodes', true],
    ['no namespace, though all are named', { clusterScope: false }, '/api/v1/nodes', false],
  ];
  for (const [what, changes, path, expected] of resources)
    it(`are ${expected ? 'those' : 'not those'} of ${what}`, () => {
      expect(isMatched({ resourceRules: [{ ...anything, ...changes }] }, path)).to.equal(expected);
    });
  it('are never of rules for the other kind of request', () => {
    expect(isMatched({ resourceRules: [anything] }, '/version')).to.equal(false);
    expect(isMatched({ nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }, pods)).to.equal(false);
  });
  it('need one of several paths and subjects', () => {
    const rule = { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/x', '/y'] }] };
    const subjects = ['bob', 'ann'].map((name) => ({ kind: 'User', user: { name } }));
    expect([isMatched({ ...rule, subjects }, '/y'), isMatched({ ...rule, subjects }, '/z')]).to.deep.equal([true, false]);
  });
  it('are compiled with their uid and level', () => {
    const spec = { priorityLevelConfiguration: { name: 'l' }, distinguisherMethod: { type: 'Other' } };
    expect(schemaOf(schema('s', spec))).to.include({ name: 's', uid: 's', level: 'l', distinguisher: null });
    expect(levelOf(schema('l', { type: 'Limited' }))).to.include({ name: 'l', uid: 'l' });
  });
  it('have paths by verb', () => {
    const rule = { nonResourceRules: [{ verbs: ['post'], nonResourceURLs: ['/x'] }] };
    expect([isMatched(rule, '/x'), isMatched(rule, '/x', ann, 'POST')]).to.deep.equal([false, true]);
  });

  const account = user('system:serviceaccount:shop:till', 'system:serviceaccounts');
  const accountOf = (namespace: string, name: string): JsonObject => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } });
  const subjects: readonly (readonly [string, JsonObject, User, boolean])[] = [
    ['a user', { kind: 'User', user: { name: 'ann' } }, ann, true],
    ['another user', { kind: 'User', user: { name: 'bob' } }, ann, false],
    ['a group', { kind: 'Group', group: { name: 'dev' } }, ann, true],
    ['another group', { kind: 'Group', group: { name: 'ops' } }, ann, false],
    ['any group', { kind: 'Group', group: { name: '*' } }, user('nobody'), true],
    ['an account', accountOf('shop', 'till'), account, true],
    ['another account', accountOf('shop', 'safe'), account, false],
    ['any account of the namespace', accountOf('shop', '*'), account, true],
    ['any account of a namespace that begins alike', accountOf('sho', '*'), account, false],
    ['any account, by a user', accountOf('shop', '*'), ann, false],
    ['an unknown kind', { kind: 'Other', user: { name: '*' } }, ann, false],
  ];
  for (const [what, subject, by, expected] of subjects)
    it(`are ${expected ? 'those' : 'not those'} of ${what}`, () => {
      expect(isMatched({ subjects: [subject], resourceRules: [anything] }, pods, by)).to.equal(expected);
    });

  it('have the schema of the lowest precedence, then of the first name', () => {
    const of = (name: string, matchingPrecedence: number): ReturnType<typeof schemaOf> =>
      schemaOf(schema(name, { matchingPrecedence, rules: [{ subjects: anybody, resourceRules: [anything] }] }));
    const found = (...schemas: ReturnType<typeof schemaOf>[]): unknown => new Classifier(schemas).classify(infoOf(pods), ann)?.name;
    expect(found(of('b', 2), of('a', 3))).to.equal('b');
    expect(found(of('b', 2), of('a', 2))).to.equal('a');
    expect(found(of('a', 2), of('b', 2))).to.equal('a');
    expect(found()).to.equal(undefined);
  });
  it('flow by user, by namespace, or all together', () => {
    const flow = (type: string | null, path: string): string =>
      flowOf(schemaOf(schema('s', type === null ? {} : { distinguisherMethod: { type } })), infoOf(path), ann);
    expect([flow('ByUser', pods), flow('ByNamespace', pods), flow('ByNamespace', '/version'), flow(null, pods)]).to.deep.equal([
      's\0ann',
      's\0shop',
      's\0',
      's',
    ]);
  });
});

describe('settings of priority levels', () => {
  it('have defaults, and queues only where requests wait', () => {
    expect(levelOf(schema('l', { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } }))).to.deep.include({
      exempt: false,
      shares: 30,
      lendablePercent: 0,
      borrowingPercent: null,
      queues: 64,
      handSize: 8,
      queueLengthMax: 50,
    });
    const refusing = { limitResponse: { type: 'Reject', queuing: { queues: 3 } }, borrowingLimitPercent: 0, lendablePercent: 5 };
    expect(levelOf(schema('l', { type: 'Limited', limited: refusing }))).to.deep.include({
      queues: 0,
      borrowingPercent: 0,
      lendablePercent: 5,
    });
    expect(levelOf(schema('l', { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } }))).to.include({ queues: 0 });
    expect(levelOf(schema('l', { type: 'Exempt', exempt: { nominalConcurrencyShares: 7 } }))).to.deep.include({ exempt: true, shares: 7 });
    expect(levelOf(schema('l', { type: 'Exempt' }))).to.deep.include({ exempt: true, shares: 0, queues: 0 });
  });
});
