#!/usr/bin/env node
import type { ApiObject, JsonValue } from '../../api/object.js';
import type { User } from '../../api/user.js';
import type { Attributes } from '../../server/authorization/authorizer.js';
import { PolicyIndex } from '../../server/authorization/rbac/policyIndex.js';
import { count, printTable } from './table.js';

/** Measures a decision among 10,000 bindings: the usual case (in namespaces, few roles), and the worst (one group, cluster-wide, a role each). */
const bindings = 10_000;
const decisionsPerRound = 20_000;
const rounds = 5;

const subject = (kind: string, name: string): JsonValue => ({ kind, name });
const role = (name: string, resources: string[]): ApiObject => ({
  metadata: { name },
  rules: [{ apiGroups: ['', 'apps'], resources, verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] }],
});
const binding = (name: string, roleName: string, who: JsonValue): ApiObject => ({
  metadata: { name },
  roleRef: { kind: 'ClusterRole', name: roleName },
  subjects: [who],
});
const ask = (user: User, verb: string, resource: string, namespace: string): Attributes => ({
  isResource: true,
  user,
  verb,
  group: '',
  version: 'v1',
  namespace,
  resource,
  subresource: '',
  name: 'x',
});
const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} });

function asTheyAre(): PolicyIndex {
  const index = new PolicyIndex();
  for (let i = 0; i < 50; i++)
    index.putRole('', role(`role-${i}`, [`kind-${i}`, 'pods', 'pods/log', 'configmaps', 'secrets', 'services', 'deployments']));
  for (let i = 0; i < bindings; i++) {
    const namespace = i % 10 === 0 ? '' : `ns-${i % 1000}`;
    index.putBinding(
      namespace,
      binding(`b-${i}`, `role-${i % 50}`, i % 2 === 0 ? subject('Group', `team-${i % 200}`) : subject('User', `user-${i % 3000}`)),
    );
  }
  return index;
}

function worst(): PolicyIndex {
  const index = new PolicyIndex();
  for (let i = 0; i < bindings; i++) {
    index.putRole('', role(`role-${i}`, [`kind-${i}`]));
    index.putBinding('', binding(`b-${i}`, `role-${i}`, subject('Group', 'everybody')));
  }
  return index;
}

/** Microseconds of one decision, the best of several rounds. */
function measure(index: PolicyIndex, questions: readonly Attributes[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < decisionsPerRound; i++) index.decide(questions[i % questions.length]!);
    best = Math.min(best, ((performance.now() - start) * 1000) / decisionsPerRound);
  }
  return best;
}

const usual = asTheyAre();
const hard = worst();
const teams = Array.from({ length: 100 }, (_, i) => user(`user-${i * 2 + 1}`, `team-${i * 2}`, 'team-12', 'team-14'));
const member = user('x', 'a', 'b', 'c', 'everybody');
const cases: [string, PolicyIndex, Attributes[]][] = [
  ['allowed in a namespace', usual, teams.map((who, i) => ask(who, 'get', 'pods', `ns-${i * 2 + 2}`))],
  ['refused in a namespace', usual, teams.map((who, i) => ask(who, 'get', 'nodes', `ns-${i}`))],
  ['worst: the last of 10,000 roles of a group', hard, [ask(member, 'get', `kind-${bindings - 1}`, 'ns')]],
  ['worst: refused', hard, [ask(member, 'get', 'nodes', 'ns')]],
];
printTable(
  ['RBAC decision', 'µs', 'decisions/s'],
  cases.map(([name, index, questions]) => {
    const micros = measure(index, questions);
    return [name, micros.toFixed(2), count(1e6 / micros)];
  }),
);
