import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import { expression, within, type Variables } from '../expressions.js';
import type { Random } from '../random.js';

const admission = '/apis/admissionregistration.k8s.io/v1';
const core = '/api/v1/namespaces/${ns}';
const configMaps = `${core}/configmaps`;
const merge = 'application/merge-patch+json';

const variables: Variables = {
  int: ['int(object.data.i)', 'size(object.data)', 'variables.i', 'size(params.data)', 'size(request.userInfo.groups)'],
  string: [
    'object.data.s',
    'object.metadata.name',
    'object.metadata.?generateName.orValue("")',
    'oldObject.data.s',
    'oldObject.metadata.name',
    'request.operation',
    'request.name',
    'request.namespace',
    'request.kind.kind',
    'request.resource.resource',
    'request.requestKind.version',
    'request.subResource',
    'request.userInfo.username',
    'request.options.kind',
    'namespaceObject.metadata.name',
    "namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
    'namespaceObject.status.phase',
    'params.data.s',
    'params.metadata.name',
    'variables.s',
    "authorizer.group('').resource('pods').namespace(request.namespace).check('get').reason()",
    "authorizer.requestResource.check('delete').reason()",
    'object.kind',
    'object.apiVersion',
  ],
  bool: [
    'has(object.data)',
    'has(object.data.s)',
    'has(object.metadata.labels)',
    'object == null',
    'oldObject == null',
    'params == null',
    'object == oldObject',
    'object.data == oldObject.data',
    'request.dryRun',
    'has(request.name)',
    'has(request.options.fieldManager)',
    'variables.b',
    "authorizer.group('').resource('configmaps').namespace(request.namespace).name('a').check('update').allowed()",
    "authorizer.serviceAccount(request.namespace, 'default').group('').resource('pods').namespace(request.namespace).check('get').allowed()",
    "authorizer.path('/healthz').check('get').allowed()",
    "authorizer.requestResource.check('get').allowed()",
    "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=x').check('list').errored()",
    'object.?immutable.orValue(false)',
  ],
  map: ['object.data', 'object.metadata.labels', 'params.data', 'namespaceObject.metadata.labels', 'oldObject.data'],
  list: ['request.userInfo.groups', 'object.metadata.finalizers', 'variables.l'],
  any: [
    'object',
    'oldObject',
    'params',
    'object.data',
    'request.options',
    'request.kind',
    'namespaceObject.spec',
    'variables.s',
    'request.userInfo',
  ],
  timestamp: ['object.metadata.creationTimestamp', 'namespaceObject.metadata.creationTimestamp'],
};

const paramKind = { apiVersion: 'differential.example.com/v1', kind: 'Parameter' };
const text = { type: 'string' };
const parameterSchema = { type: 'object', properties: { data: { type: 'object', additionalProperties: text } } };

const parameters: readonly Step[] = ['p', 'q'].map((name) => ({
  do: `POST /apis/${paramKind.apiVersion}/namespaces/\${ns}/parameters`,
  body: { ...paramKind, metadata: { name, labels: { role: 'parameter', name } }, data: { s: `of ${name}`, a: 'b' } },
}));

function generate(random: Random): Sequence {
  const mutates = random.chance(0.45);
  const takes = random.chance(0.45);
  const kind = mutates ? 'Mutating' : 'Validating';
  const path = `${admission}/${kind.toLowerCase()}admissionpolic`;
  return {
    steps: [
      { do: `POST ${configMaps}`, body: { metadata: { name: 'before', labels: { a: 'b' } }, data: { s: 'before' } } },
      ...(takes ? parameters : []),
      { do: `POST ${path}ies`, body: policy(kind, takes, random) },
      // The reference visits bindings in random order.
      { do: `POST ${path}ybindings`, body: binding(kind, takes, random) },
      ...(mutates ? mutatingProbe : validatingProbe),
      ...random.times(6, () => asked(random)),
    ],
  };
}

const accounts = `${core}/serviceaccounts`;
const ofNamespace = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '${ns}' } } };
const createsOf = (resource: string): JsonObject => ({
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }],
});

/** A later policy with its binding: once it is effective, so are the case's. */
function probeOf(kind: string, spec: JsonObject, bound: JsonObject, where: NonNullable<Step['where']>): readonly Step[] {
  const path = `${admission}/${kind}admissionpolic`;
  const matchConstraints = { ...ofNamespace, ...createsOf('serviceaccounts') };
  return [
    { do: `POST ${path}ies`, body: { metadata: { name: 'z-${r}' }, spec: { matchConstraints, ...spec } }, keep: ['/message'] },
    {
      do: `POST ${path}ybindings`,
      body: { metadata: { name: 'z-${r}' }, spec: { policyName: 'z-${r}', ...bound } },
      keep: ['/message'],
    },
    { eventually: `POST ${accounts}?dryRun=All`, body: { metadata: { name: 'probe' } }, within: 20, where, keep: ['/kind'] },
  ];
}

const validatingProbe = probeOf(
  'validating',
  { validations: [{ expression: 'false', message: 'at work' }] },
  { validationActions: ['Deny'] },
  { '/status': 'Failure' },
);
const mutatingProbe = probeOf(
  'mutating',
  {
    reinvocationPolicy: 'Never',
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"at": "work"}}}' },
      },
    ],
  },
  {},
  { '/metadata/labels/at': 'work' },
);

/**
 * The parameter kind, and permanent policies that refer to it: the reference notices a new kind late, and stops reading a built-in kind without policies
 * forever.
 */
const standing: readonly Step[] = [
  {
    do: 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: 'parameters.differential.example.com' },
      spec: {
        group: 'differential.example.com',
        scope: 'Namespaced',
        names: { plural: 'parameters', singular: 'parameter', kind: 'Parameter', listKind: 'ParameterList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: parameterSchema } }],
      },
    },
  },
  ...keeper('Validating', { validations: [{ expression: 'true' }] }, { validationActions: ['Deny'] }),
  ...keeper('Mutating', { reinvocationPolicy: 'Never', mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[]' } }] }, {}),
];

/** A policy that refuses one priority class without parameters, once it is effective. */
function keeper(kind: string, content: JsonObject, bound: JsonObject): Step[] {
  const path = `${admission}/${kind.toLowerCase()}admissionpolic`;
  const name = `${kind.toLowerCase()}-\${r}`;
  const resourceRules = [{ apiGroups: ['scheduling.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['priorityclasses'] }];
  const matchConditions = [{ name: 'one', expression: `request.name == '${name}'` }];
  const paramRef = { name: 'none', namespace: 'default', parameterNotFoundAction: 'Deny' };
  return [
    {
      do: `POST ${path}ies`,
      body: { metadata: { name }, spec: { paramKind, matchConstraints: { resourceRules }, matchConditions, ...content } },
    },
    { do: `POST ${path}ybindings`, body: { metadata: { name }, spec: { policyName: name, paramRef, ...bound } } },
    {
      eventually: 'POST /apis/scheduling.k8s.io/v1/priorityclasses?dryRun=All',
      body: { metadata: { name }, value: 1 },
      within: 60,
      where: { '/message': absentParameters(kind, name) },
    },
  ];
}

function absentParameters(kind: string, name: string): string {
  const refused = `'${name}' with binding '${name}' denied request: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`;
  return kind === 'Mutating'
    ? `policy ${refused}`
    : `priorityclasses.scheduling.k8s.io "${name}" is forbidden: ValidatingAdmissionPolicy ${refused}`;
}

/** Policies must apply only to the namespace of their case, and have a probe. */
function isSound({ steps }: Sequence): boolean {
  const written = JSON.stringify(steps);
  const isProbed = [validatingProbe, mutatingProbe].some((probe) => written.includes(JSON.stringify(probe).slice(1, -1)));
  return isProbed && steps.every(({ do: request = '', body }) => !/policies$/.test(request) || isOfNamespace(body));
}

const isOfNamespace = (policy: unknown): boolean => JSON.stringify(policy).includes(JSON.stringify(ofNamespace).slice(1, -1));

export const policies: Area = {
  name: 'policies',
  about: 'validating and mutating policies as requests meet them: parameters, bindings, conditions, variables, actions, faults and patches',
  standing,
  isSound,
  generate,
};

function policy(kind: string, takes: boolean, random: Random): JsonObject {
  const text = (type: string, depth = 1): string => expression(type, variables, random, depth);
  const operations = random.pick([['*'], ['CREATE', 'UPDATE'], ['CREATE', 'UPDATE', 'DELETE'], ['CREATE'], ['UPDATE']]);
  return {
    metadata: { name: 'p-${r}' },
    spec: {
      failurePolicy: random.pick(['Fail', 'Fail', 'Ignore']),
      ...(takes ? { paramKind } : {}),
      matchConstraints: {
        ...ofNamespace,
        ...(random.chance(0.15)
          ? {
              objectSelector: random.pick<JsonObject>([
                { matchLabels: { a: 'b' } },
                { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
              ]),
            }
          : {}),
        ...(random.chance(0.1)
          ? {
              excludeResourceRules: [
                { apiGroups: [''], apiVersions: ['*'], operations: ['*'], resources: ['configmaps'], resourceNames: ['b'] },
              ],
            }
          : {}),
        ...(random.chance(0.2) ? { matchPolicy: random.pick(['Exact', 'Equivalent']) } : {}),
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations,
            resources: random
              .pick([['configmaps'], ['configmaps', 'services'], ['*'], ['configmaps', 'replicationcontrollers/scale']])
              .filter((name) => name !== '*'),
            ...(random.chance(0.1) ? { resourceNames: ['a'] } : {}),
          },
        ].map((rule) => (rule.resources.length > 0 ? rule : { ...rule, resources: ['configmaps'] })),
      },
      ...(random.chance(0.3)
        ? {
            matchConditions: random.upTo(2, (index) => ({
              name: `c${index}`,
              expression: random.chance(0.5) ? "request.name != 'skipped'" : text('bool', 1),
            })),
          }
        : {}),
      variables: [
        { name: 'i', expression: random.chance(0.5) ? '1' : text('int').replaceAll('variables.', 'object.') },
        {
          name: 's',
          expression: random.chance(0.5)
            ? "'v'"
            : text('string')
                .replaceAll('variables.s', "'x'")
                .replace(/variables\.[bl]/g, 'object'),
        },
        { name: 'b', expression: random.chance(0.5) ? 'variables.i == 1' : "variables.s == 'v'" },
        { name: 'l', expression: "['a', variables.s]" },
      ],
      ...(kind === 'Mutating' ? mutating(random) : validating(random, text)),
    },
  };
}

const validating = (random: Random, text: (type: string, depth?: number) => string): JsonObject => ({
  validations: random.upTo(3, () => ({
    expression: random.pick([
      () => text('bool'),
      () => `${text('bool', 1)} && false`,
      () => 'false',
      () => "object.metadata.name == 'b'",
    ])(),
    ...(random.chance(0.3) ? { message: random.pick(['no', 'never']) } : {}),
    ...(random.chance(0.6) ? { messageExpression: text('string') } : {}),
    ...(random.chance(0.3) ? { reason: random.pick(['Invalid', 'Forbidden', 'Unauthorized', 'RequestEntityTooLarge']) } : {}),
  })),
  ...(random.chance(0.2) ? { auditAnnotations: [{ key: 'k', valueExpression: text('string') }] } : {}),
});

const patches: readonly string[] = [
  "[JSONPatch{op: 'add', path: '/data/x', value: {string}}]",
  "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey({string}), value: 'v'}]",
  "[JSONPatch{op: 'replace', path: '/data/s', value: {string}}, JSONPatch{op: 'copy', from: '/data/s', path: '/data/t'}]",
  "[JSONPatch{op: 'test', path: '/data/s', value: {string}}, JSONPatch{op: 'remove', path: '/data/s'}]",
  "{bool} ? [JSONPatch{op: 'add', path: '/metadata/labels', value: {'c': {string}}}] : []",
  "[JSONPatch{op: 'add', path: '/data', value: {map}}]",
  "[JSONPatch{op: 'move', from: '/data/a', path: '/data/b'}]",
  "[JSONPatch{op: 'add', path: '/none/x', value: {int}}]",
  "[JSONPatch{op: 'add', path: '/immutable', value: {bool}}]",
  "[JSONPatch{op: 'add', path: '/data/x', value: {any}}]",
  "[JSONPatch{op: 'add', path: '/metadata/name', value: 'other'}]",
];
const applied: readonly string[] = [
  'Object{metadata: Object.metadata{labels: {"c": {string}}}}',
  'Object{metadata: Object.metadata{annotations: {map}}}',
  'Object{data: {map}}',
  'Object{data: {"x": {string}}, immutable: {bool}}',
  'Object{metadata: Object.metadata{?generateName: optional.of({string})}}',
  '{bool} ? Object{} : Object{data: {"s": {string}}}',
  'Object{none: {string}}',
  'Object{metadata: Object.metadata{finalizers: {list}}}',
  'Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{apiVersion: "v1", kind: "ConfigMap", name: {string}, uid: "u"}]}}',
];

const mutating = (random: Random): JsonObject => ({
  reinvocationPolicy: random.pick(['Never', 'IfNeeded']),
  mutations: random.upTo(2, (): JsonObject => {
    const isPatch = random.chance(0.5);
    const expressed = { expression: within(random.pick(isPatch ? patches : applied), variables, random, 1) };
    return isPatch ? { patchType: 'JSONPatch', jsonPatch: expressed } : { patchType: 'ApplyConfiguration', applyConfiguration: expressed };
  }),
});

function binding(kind: string, takes: boolean, random: Random): JsonObject {
  const paramRef = (): JsonObject => ({
    parameterNotFoundAction: 'Deny',
    ...random.pick<JsonObject>([
      { name: 'p' },
      { name: 'p', namespace: '${ns}' },
      { name: 'absent', parameterNotFoundAction: random.pick(['Deny', 'Allow']) },
      { selector: { matchLabels: { role: 'parameter' } } },
      { selector: { matchLabels: { role: 'none' } }, namespace: '${ns}', parameterNotFoundAction: random.pick(['Deny', 'Allow']) },
    ]),
  });
  return {
    metadata: { name: 'p-${r}' },
    spec: {
      policyName: 'p-${r}',
      ...(takes && random.chance(0.9) ? { paramRef: paramRef() } : {}),
      ...(kind === 'Validating'
        ? { validationActions: random.pick([['Deny'], ['Deny'], ['Warn'], ['Warn', 'Audit'], ['Deny', 'Audit'], ['Audit']]) }
        : {}),
      ...(random.chance(0.25)
        ? {
            matchResources: random.pick<JsonObject>([
              { objectSelector: { matchLabels: { a: 'b' } } },
              { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }] },
              { namespaceSelector: { matchLabels: { none: 'x' } } },
              { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }] },
            ]),
          }
        : {}),
    },
  };
}

function asked(random: Random): Step {
  const name = random.pick(['a', 'b', 'before', 'skipped']);
  const dry = random.chance(0.3) ? '?dryRun=All' : '';
  const and = dry === '' ? '?' : `${dry}&`;
  const data = random.pick<JsonObject>([
    { data: { s: random.pick(['x', '', 'é😀']), i: random.pick(['7', 'x']), a: 'x' } },
    { data: { s: 'v' } },
    {},
    { data: {}, immutable: random.chance(0.5) },
  ]);
  const metadata = { name, ...(random.chance(0.5) ? { labels: { a: 'b' } } : {}) };
  const at = `${configMaps}/${name}`;
  const user = random.chance(0.15) ? { as: { user: 'u-${r}', groups: ['system:masters'] } } : {};
  const step = random.pick<Step>([
    { do: `POST ${configMaps}${dry}`, body: { metadata, ...data } },
    { do: `POST ${configMaps}${dry}`, body: { metadata, ...data } },
    { do: `POST ${configMaps}?dryRun=All`, body: { metadata: { generateName: 'g-' }, ...data }, ignore: ['/message', '/details'] },
    { do: `PUT ${at}${dry}`, body: { metadata, ...data } },
    { do: `PATCH ${at}${dry}`, type: merge, body: data },
    { do: `PATCH ${configMaps}/before${dry}`, type: merge, body: data },
    {
      do: `PATCH ${at}${and}fieldManager=m&force=true`,
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...data },
    },
    { do: `DELETE ${at}${dry}` },
    { do: `DELETE ${configMaps}${and}labelSelector=a%3Db`, ignore: ['/metadata/resourceVersion'] },
    { do: `POST ${core}/services?dryRun=All`, body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } } },
    { do: `GET ${at}` },
  ]);
  return { ...step, ...user };
}
