import { expect } from 'chai';
import { aggregatedRules } from '../../../../controllers/clusterroleaggregation/aggregation.js';
import { clusterRoleAggregation } from '../../../../controllers/clusterroleaggregation/aggregationController.js';
import { type ClusterRole, clusterRoles, type PolicyRule } from '../../../../api/types/rbac/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const rule = (resource: string, ...verbs: string[]): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs });
const role = (name: string, labels: Record<string, string>, ...rules: PolicyRule[]): ClusterRole => ({ metadata: { name, labels }, rules });
const sum = (...selectors: Record<string, string>[]): ClusterRole => ({
  metadata: { name: 'sum', labels: { a: '1' } },
  rules: [rule('nodes', 'get')],
  aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
});

describe('controllers/clusterroleaggregation/aggregation', () => {
  const pods = rule('pods', 'get');
  const secrets = rule('secrets', 'list');
  const events = rule('events', 'watch');
  const all = [
    role('b', { a: '1' }, pods),
    role('a', { a: '1' }, secrets),
    role('c', { b: '1' }, events, pods),
    { metadata: { name: 'd', labels: { a: '1' } }, rules: null },
  ];
  const cases: readonly (readonly [string, ClusterRole, readonly PolicyRule[]])[] = [
    ['in order of names', sum({ a: '1' }), [secrets, pods]],
    ['selector by selector, each rule once', sum({ b: '1' }, { a: '1' }), [events, pods, secrets]],
    ['nothing selected', sum({ z: '1' }), []],
    ['no selectors', sum(), []],
    ['everything but itself', sum({}), [secrets, pods, events]],
  ];
  for (const [about, given, wanted] of cases) it(about, () => expect(aggregatedRules(given, [given, ...all])).to.deep.equal(wanted));
});

describe('controllers/clusterroleaggregation/aggregationController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const applied = (...rules: PolicyRule[]) => ({
    verb: 'patch',
    type: 'clusterroles.rbac.authorization.k8s.io',
    key: 'sum',
    patchType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'sum' },
      ...(rules.length > 0 ? { rules } : {}),
    },
  });

  it('applies the rules, follows changes of any role, and writes nothing that is there', async () => {
    world.api.seed(clusterRoles, sum({ a: '1' }), role('a', { a: '1' }, rule('pods', 'get')), role('other', {}, rule('nodes', 'get')));
    await world.start(clusterRoleAggregation);
    expect(await world.writes()).to.deep.equal([applied(rule('pods', 'get'))]);
    world.api.seed(clusterRoles, role('z', { a: '1' }, rule('events', 'get')));
    expect(await world.writes()).to.deep.equal([applied(rule('pods', 'get'), rule('events', 'get'))]);
    world.api.change(clusterRoles, 'other', (object) => ({ ...object, rules: [] }));
    expect(await world.writes()).to.deep.equal([]);
    world.api.change(clusterRoles, 'sum', (object) => ({ ...object, rules: [] }));
    expect(await world.writes()).to.deep.equal([applied(rule('pods', 'get'), rule('events', 'get'))]);
    world.api.evaporate(clusterRoles, 'z');
    expect(await world.writes()).to.deep.equal([applied(rule('pods', 'get'))]);
  });

  it('applies no rules when nothing is selected any more', async () => {
    world.api.seed(clusterRoles, sum({ z: '1' }));
    await world.start(clusterRoleAggregation);
    expect(await world.writes()).to.deep.equal([applied()]);
  });
});
