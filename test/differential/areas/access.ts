import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import type { Random } from '../random.js';

/** Authorization: roles and bindings, escalation, impersonation, and access reviews. */
export const access: Area = {
  name: 'access',
  about: 'roles, bindings, resourceNames, escalation, bind, impersonation, access reviews and rules reviews',
  generate: (random) => random.pick([allowed, allowed, escalated, impersonated, reviewed, invalid])(random),
};

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roles = `${rbac}/namespaces/\${ns}/roles`;
const bindings = `${rbac}/namespaces/\${ns}/rolebindings`;
const configMaps = '/api/v1/namespaces/${ns}/configmaps';

const user = 'u-${r}';
const group = 'g-${r}';
const someone = (random: Random): NonNullable<Step['as']> =>
  random.pick([
    { user },
    { user: 'other', groups: [group] },
    { user: 'other' },
    { user: 'system:serviceaccount:${ns}:a' },
    { user: 'system:anonymous' },
  ]);

const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  '*',
  'escalate',
  'bind',
  'impersonate',
] as const;
const resources = [
  'configmaps',
  'secrets',
  'pods',
  'pods/log',
  'pods/*',
  '*/scale',
  '*',
  'roles',
  'rolebindings',
  'deployments',
  'deployments/scale',
  'serviceaccounts',
  'serviceaccounts/token',
] as const;
const groups = ['', '*', 'apps', 'rbac.authorization.k8s.io'] as const;

const rule = (random: Random): JsonObject => ({
  verbs: random.upTo(4, () => random.pick(verbs)),
  apiGroups: random.chance(0.6) ? [''] : random.upTo(2, () => random.pick(groups)),
  resources: random.chance(0.5) ? ['configmaps'] : random.upTo(3, () => random.pick(resources)),
  ...(random.chance(0.35) ? { resourceNames: random.upTo(2, () => random.pick(['a', 'b', 'c'])) } : {}),
});

const role = (name: string, random: Random): JsonObject => ({ metadata: { name }, rules: random.upTo(3, () => rule(random)) });

const subject = (random: Random): JsonObject =>
  random.pick<JsonObject>([
    { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user },
    { kind: 'User', name: user },
    { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: group },
    { kind: 'ServiceAccount', name: 'a', namespace: '${ns}' },
    { kind: 'ServiceAccount', name: 'a' },
    { kind: 'Group', name: 'system:serviceaccounts:${ns}' },
    { kind: 'Group', name: 'system:authenticated' },
  ]);

const binding = (name: string, random: Random, ref: JsonObject = { kind: 'Role', name: 'r' }): JsonObject => ({
  metadata: { name },
  subjects: random.upTo(2, () => subject(random)),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...ref },
});

/** Requests that a role in the namespace may allow. */
const request = (random: Random): Step => {
  const name = random.pick(['a', 'b', 'x']);
  return random.pick<Step>([
    { do: `GET ${configMaps}/${name}` },
    { do: `GET ${configMaps}`, ignore: ['/metadata/resourceVersion'] },
    { do: `GET ${configMaps}?fieldSelector=metadata.name=${name}`, ignore: ['/metadata/resourceVersion'] },
    { do: `POST ${configMaps}?dryRun=All`, body: { metadata: { name } } },
    { do: `POST ${configMaps}?dryRun=All`, body: { metadata: { generateName: 'b' } }, ignore: ['/metadata/name'] },
    { do: `PUT ${configMaps}/${name}?dryRun=All`, body: { metadata: { name } } },
    { do: `PATCH ${configMaps}/${name}?dryRun=All`, type: 'application/merge-patch+json', body: { data: { a: 'b' } } },
    {
      do: `PATCH ${configMaps}/${name}?dryRun=All&fieldManager=m`,
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
    },
    { do: `DELETE ${configMaps}/${name}?dryRun=All` },
    { do: `DELETE ${configMaps}?dryRun=All`, ignore: ['/metadata/resourceVersion'] },
    { do: `GET /api/v1/namespaces/\${ns}/secrets`, ignore: ['/metadata/resourceVersion'] },
    { do: `GET /api/v1/namespaces/\${ns}/pods/${name}/log` },
    { do: `GET /apis/apps/v1/namespaces/\${ns}/deployments/${name}/scale` },
    { do: `GET /apis/apps/v1/namespaces/\${ns}/absent` },
    { do: 'GET /api/v1/namespaces/${ns}' },
    { do: 'GET /api/v1/nodes' },
    { do: 'GET /healthz' },
    { do: 'GET /metrics' },
    { do: 'GET /apis', keep: ['/kind'] },
    { do: `POST /api/v1/namespaces/\${ns}/serviceaccounts/default/token`, body: { spec: {} }, keep: ['/message', '/kind'] },
  ]);
};

const prepared = (random: Random): Step[] => [
  { do: `POST ${configMaps}`, body: { metadata: { name: 'a' } } },
  { do: `POST ${roles}`, body: role('r', random) },
  { do: `POST ${bindings}`, body: binding('b', random) },
];

const allowed = (random: Random): Sequence => ({
  steps: [...prepared(random), ...random.upTo(6, () => ({ ...request(random), as: someone(random) }))],
});

/** Users create roles and bindings with rights that they lack. */
function escalated(random: Random): Sequence {
  const as = { user };
  const own: JsonObject = {
    metadata: { name: 'own' },
    rules: [
      {
        verbs: ['create', 'update', 'patch', 'get', ...random.pick([[], [], ['escalate'], ['bind']])],
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
      },
      ...random.upTo(2, () => rule(random)),
    ],
  };
  const written = (): Step =>
    random.pick<Step>([
      { do: `POST ${roles}?dryRun=All`, body: role('new', random) },
      { do: `PUT ${roles}/r?dryRun=All`, body: role('r', random) },
      { do: `PATCH ${roles}/r?dryRun=All`, type: 'application/merge-patch+json', body: { rules: [rule(random)] } },
      { do: `POST ${bindings}?dryRun=All`, body: binding('new', random) },
      {
        do: `POST ${bindings}?dryRun=All`,
        body: binding('new', random, { kind: 'ClusterRole', name: random.pick(['cluster-admin', 'system:basic-user', 'absent']) }),
      },
      { do: `POST ${bindings}?dryRun=All`, body: binding('new', random, { kind: 'Role', name: 'absent' }) },
      { do: `PATCH ${bindings}/b?dryRun=All`, type: 'application/merge-patch+json', body: { subjects: [subject(random)] } },
      { do: `PATCH ${bindings}/b?dryRun=All`, type: 'application/merge-patch+json', body: { roleRef: { name: 'own' } } },
    ]);
  return {
    steps: [
      { do: `POST ${roles}`, body: own },
      {
        do: `POST ${bindings}`,
        body: { metadata: { name: 'own' }, subjects: [{ kind: 'User', name: user }], roleRef: { kind: 'Role', name: 'own' } },
      },
      ...prepared(random).slice(1),
      ...random.upTo(4, () => ({ ...written(), as })),
    ],
  };
}

/** Impersonation headers, alone and with users who may use them. */
function impersonated(random: Random): Sequence {
  const headers = (): Record<string, string> => ({
    ...(random.chance(0.85)
      ? {
          'impersonate-user': random.pick([
            user,
            'system:serviceaccount:${ns}:a',
            'system:serviceaccount:x',
            'system:serviceaccount:${ns}',
            'system:anonymous',
            '',
          ]),
        }
      : {}),
    ...(random.chance(0.4)
      ? { 'impersonate-group': random.pick([group, 'system:masters', 'system:authenticated', 'system:unauthenticated', '']) }
      : {}),
    ...(random.chance(0.25) ? { 'impersonate-uid': random.pick(['1', 'x', '']) } : {}),
    ...(random.chance(0.3)
      ? {
          [random.pick([
            'impersonate-extra-scopes',
            'impersonate-extra-a%2Fb',
            'impersonate-extra-',
            'impersonate-extra-Upper',
            'impersonate-extra-example.com%2fx',
          ])]: random.pick(['a', '', 'ä']),
        }
      : {}),
  });
  const who: Step = { do: 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews', body: {} };
  return {
    steps: random.upTo(4, () => ({
      ...random.pick([who, who, { do: `GET ${configMaps}`, ignore: ['/metadata/resourceVersion'] }]),
      headers: headers(),
    })),
  };
}

function reviewed(random: Random): Sequence {
  const attributes = (): JsonObject => ({
    ...(random.chance(0.8) ? { namespace: random.pick(['${ns}', '', 'x']) } : {}),
    ...(random.chance(0.9) ? { verb: random.pick(verbs) } : {}),
    ...(random.chance(0.6) ? { group: random.pick(groups) } : {}),
    ...(random.chance(0.2) ? { version: random.pick(['v1', '*']) } : {}),
    ...(random.chance(0.9) ? { resource: random.pick(['configmaps', 'pods', 'deployments', '*']) } : {}),
    ...(random.chance(0.2) ? { subresource: random.pick(['log', 'scale', '*']) } : {}),
    ...(random.chance(0.4) ? { name: random.pick(['a', 'b']) } : {}),
    ...(random.chance(0.25)
      ? {
          fieldSelector: random.pick<JsonObject>([
            { rawSelector: random.pick(['metadata.name=a', 'x']) },
            {
              requirements: [
                {
                  key: random.pick(['metadata.name', '']),
                  operator: random.pick(['In', 'NotIn', 'Exists', 'x']),
                  values: random.pick([[], ['a'], ['a', 'b']]),
                },
              ],
            },
            { requirements: [], rawSelector: '' },
            { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
          ]),
        }
      : {}),
    ...(random.chance(0.2)
      ? {
          labelSelector: random.pick<JsonObject>([
            { rawSelector: 'a in (b' },
            { requirements: [{ key: 'a', operator: random.pick(['In', 'Exists', 'y']), values: ['b'] }] },
            {},
          ]),
        }
      : {}),
  });
  const spec = (): JsonObject => ({
    ...(random.chance(0.8) ? { resourceAttributes: attributes() } : {}),
    ...(random.chance(0.25)
      ? { nonResourceAttributes: random.pick<JsonObject>([{ path: '/healthz', verb: 'get' }, { path: '/x', verb: 'get' }, {}]) }
      : {}),
  });
  const of = (): JsonObject => ({
    ...(random.chance(0.8) ? { user: random.pick([user, 'system:serviceaccount:${ns}:a', '']) } : {}),
    ...(random.chance(0.4) ? { groups: random.pick([[group], ['system:masters'], []]) } : {}),
    ...(random.chance(0.1) ? { uid: 'x', extra: { a: ['b'] } } : {}),
  });
  const authorization = '/apis/authorization.k8s.io/v1';
  const review = (): Step =>
    random.pick<Step>([
      { do: `POST ${authorization}/subjectaccessreviews`, body: { spec: { ...spec(), ...of() } } },
      {
        do: `POST ${authorization}/namespaces/\${ns}/localsubjectaccessreviews`,
        body: { ...(random.chance(0.3) ? { metadata: { namespace: random.pick(['${ns}', 'x']) } } : {}), spec: { ...spec(), ...of() } },
      },
      { do: `POST ${authorization}/selfsubjectaccessreviews`, body: { spec: spec() }, as: someone(random) },
      {
        do: `POST ${authorization}/selfsubjectrulesreviews`,
        body: { spec: random.pick<JsonObject>([{ namespace: '${ns}' }, { namespace: '' }, { namespace: 'x' }]) },
        as: someone(random),
        keep: ['/kind', '/message', '/status/incomplete', '/status/resourceRules', '/status/evaluationError'],
      },
    ]);
  return { steps: [...prepared(random), ...random.upTo(5, review)] };
}

/** Roles and bindings with invalid content. */
function invalid(random: Random): Sequence {
  const odd = (): JsonObject =>
    random.pick<JsonObject>([
      { verbs: [], apiGroups: [''], resources: ['a'] },
      { verbs: ['get'] },
      { verbs: ['get'], apiGroups: [''] },
      { verbs: ['get'], resources: ['a'] },
      { verbs: ['get'], nonResourceURLs: ['/x'] },
      { verbs: ['get'], nonResourceURLs: ['/x'], resources: ['a'], apiGroups: [''] },
      rule(random),
    ]);
  const clusterRole: JsonObject = {
    metadata: { name: 'c-${r}' },
    ...(random.chance(0.6) ? { rules: random.upTo(2, odd) } : {}),
    ...(random.chance(0.4)
      ? {
          aggregationRule: random.pick<JsonObject>([
            { clusterRoleSelectors: [{ matchLabels: { 'x-${r}': 'true' } }] },
            {},
            { clusterRoleSelectors: [] },
            { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'x' }] }] },
          ]),
        }
      : {}),
  };
  const ref = random.pick<JsonObject>([
    { kind: 'Role', name: 'r' },
    { kind: 'ClusterRole', name: '' },
    { kind: 'x', name: 'r' },
    { apiGroup: 'x', kind: 'Role', name: 'r' },
    { kind: 'ClusterRole', name: 'a/b' },
    {},
  ]);
  const bad = random.pick<JsonObject>([
    { kind: 'User' },
    { kind: 'x', name: 'a' },
    { kind: 'ServiceAccount', name: 'a', apiGroup: 'x' },
    { kind: 'ServiceAccount', name: 'A_' },
    { kind: 'Group', name: 'g', namespace: 'n', apiGroup: 'y' },
  ]);
  return {
    steps: [
      { do: `POST ${roles}?dryRun=All`, body: { metadata: { name: random.pick(['r', 'R:x', 'a/b', '%']) }, rules: random.upTo(3, odd) } },
      { do: `POST ${rbac}/clusterroles`, body: clusterRole },
      {
        do: `POST ${bindings}`,
        body: { metadata: { name: 'b' }, subjects: random.upTo(2, () => (random.chance(0.5) ? bad : subject(random))), roleRef: ref },
      },
      {
        do: `POST ${rbac}/clusterrolebindings`,
        body: {
          metadata: { name: 'cb-${r}' },
          subjects: random.upTo(2, () => subject(random)),
          roleRef: random.pick([ref, { kind: 'ClusterRole', name: 'view' }]),
        },
      },
      {
        do: `PATCH ${rbac}/clusterrolebindings/cb-\${r}`,
        type: 'application/merge-patch+json',
        body: random.pick<JsonObject>([{ roleRef: { name: 'edit' } }, { subjects: null }, { subjects: [bad] }]),
      },
      {
        do: `PATCH ${bindings}/b?fieldManager=m`,
        type: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: 'b' },
          subjects: [subject(random)],
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        },
      },
    ],
  };
}
