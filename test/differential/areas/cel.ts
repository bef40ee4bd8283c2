import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import { collection, defined, definition, widget } from '../definitions.js';
import { expression, within, type Variables } from '../expressions.js';
import { all, anyOf, list, map, of, some } from '../grammar.js';
import type { Random } from '../random.js';

/** Generated expressions: whether they are accepted, and their results. */
export const cel: Area = {
  name: 'cel',
  about: 'rules of schemas and expressions of admission policies: which are accepted, what they cost, what values and messages they give',
  generate(random) {
    const way = random.below(12);
    if (way < 4) return accepted(random);
    if (way < 7) return evaluated(random);
    if (way < 9) return policies(random);
    if (way < 10) return conditions(random);
    return way < 11 ? mutations(random) : decided(random);
  },
};

/** Definitions as dry runs: errors include types and costs. */
const accepted = (random: Random): Sequence => ({
  steps: random.upTo(3, (): Step => ({
    do: 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
    body: definition([{ name: 'v1', schema: schema(random, () => random.upTo(3, () => rule(random))) }]),
  })),
});

/** Each rule fails with a value in its message, so one answer shows many. */
function evaluated(random: Random): Sequence {
  const body = definition([{ name: 'v1', schema: schema(random, () => random.upTo(4, () => telling(random))) }]);
  const object = (): JsonObject => widget({ spec: spec(random) });
  return {
    steps: [
      ...defined(body),
      ...random.times(3, (): Step => ({ do: `POST ${collection()}?dryRun=All`, body: object() })),
      { do: `POST ${collection()}`, body: object() },
      ...random.times(2, (): Step => ({ do: `PUT ${collection()}/a`, body: object() })),
    ],
  };
}

/* Rules of schemas. */

const properties: JsonObject = {
  i: { type: 'integer', maximum: 100 },
  d: { type: 'number' },
  s: { type: 'string', maxLength: 20 },
  b: { type: 'boolean' },
  t: { type: 'string', format: 'date-time' },
  u: { type: 'string', format: 'duration' },
  y: { type: 'string', format: 'byte', maxLength: 20 },
  e: { 'x-kubernetes-int-or-string': true },
  n: { type: 'string', nullable: true, maxLength: 20 },
  list: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
  ints: { type: 'array', maxItems: 5, items: { type: 'integer' } },
  set: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 }, 'x-kubernetes-list-type': 'set' },
  map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string', maxLength: 10 } },
  keyed: {
    type: 'array',
    maxItems: 5,
    items: { type: 'object', required: ['k'], properties: { k: { type: 'string', maxLength: 5 }, v: { type: 'integer' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  },
  sub: { type: 'object', properties: { a: { type: 'string', maxLength: 10 }, 'b-c': { type: 'integer' }, in: { type: 'string' } } },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  res: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
};

/** Bounds are optional, because cost estimates use them. */
function schema(random: Random, rules: () => JsonObject[]): JsonObject {
  const unbounded = random.chance(0.25);
  const shown = unbounded
    ? (JSON.parse(JSON.stringify(properties, (key, value: unknown) => (key.startsWith('max') ? undefined : value))) as JsonObject)
    : properties;
  const withRules = (name: string, type: string): JsonObject => ({
    [name]: { ...(shown[name] as JsonObject), 'x-kubernetes-validations': random.upTo(2, () => fieldRule(type, random)) },
  });
  const fields = random.chance(0.4)
    ? withRules(
        ...random.pick<[string, string]>([
          ['s', 'string'],
          ['i', 'int'],
          ['list', 'list'],
          ['map', 'map'],
          ['ints', 'ints'],
          ['b', 'bool'],
          ['d', 'double'],
          ['t', 'timestamp'],
          ['u', 'duration'],
          ['y', 'bytes'],
        ]),
      )
    : {};
  return {
    type: 'object',
    properties: { spec: { type: 'object', properties: { ...shown, ...fields }, 'x-kubernetes-validations': rules() } },
  };
}

const variables = (self: string): Variables => ({
  int: [`${self}.i`, `${self}.i`, `size(${self}.list)`, `${self}.keyed[0].v`, `${self}.sub.b__dash__c`, `int(${self}.e)`],
  double: [`${self}.d`],
  string: [
    `${self}.s`,
    `${self}.s`,
    `${self}.sub.a`,
    `${self}.n`,
    `${self}.map['a']`,
    `${self}.list[0]`,
    `${self}.sub.__in__`,
    `string(${self}.e)`,
    `${self}.res.metadata.name`,
    `${self}.res.kind`,
  ],
  bool: [
    `${self}.b`,
    `has(${self}.s)`,
    `has(${self}.n)`,
    `has(${self}.sub.a)`,
    `${self}.e == 1`,
    `${self}.keyed.exists(x, x.v == 1)`,
    `${self}.keyed.all(x, x.k != 'a')`,
    `${self}.set == ['a', 'b']`,
    `has(${self}.free.a)`,
    `type(${self}.e) == int`,
    `${self}.keyed == ${self}.keyed`,
  ],
  list: [`${self}.list`, `${self}.set`, `${self}.keyed.map(x, x.k)`, `${self}.set + ${self}.set`],
  ints: [`${self}.ints`],
  map: [`${self}.map`],
  timestamp: [`${self}.t`],
  duration: [`${self}.u`],
  bytes: [`${self}.y`],
  any: [`${self}.e`, `${self}.sub`, `${self}.keyed`, `${self}.res`, `${self}.n`],
});

const selfVariables = variables('self');
const bothVariables: Variables = Object.fromEntries(
  Object.entries(selfVariables).map(([type, known]) => [type, [...known, ...(variables('oldSelf')[type] ?? [])]]),
);

function rule(random: Random): JsonObject {
  const known = random.chance(0.2) ? bothVariables : selfVariables;
  return { rule: random.chance(0.04) ? random.pick(broken) : expression('bool', known, random), ...ruleMembers(known, random) };
}

const broken: readonly string[] = [
  '',
  ' ',
  'self.',
  'true &&',
  '1',
  'self.none',
  'x',
  "'a",
  'self.s + 1',
  'size()',
  'self.all(x, true)',
  'self.in',
  'a b',
  '[1, "a"]',
  '{1: 2, "a": 3}',
  'self.list.map(x, x)',
  'true // c',
  'self.free.a',
  'has(self)',
  'oldSelf.hasValue()',
];

const ruleMembers = (known: Variables, random: Random): JsonObject =>
  some(
    {
      message: of('no', '', 'a\nb', ' ', 'x'.repeat(100)),
      messageExpression: (choices) => expression('string', known, choices, 2),
      reason: of('FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate', 'x'),
      fieldPath: of('.s', '.sub.a', '.none', 's', '.map.a', ".map['a']", '.list[0]', '.keyed', '', '.sub', ".sub['b-c']"),
      optionalOldSelf: of(true, false),
    },
    {},
    0.2,
  )(random);

const telling = (random: Random): JsonObject => {
  const known = random.chance(0.2) ? bothVariables : selfVariables;
  const reported = random.pick(['string', 'string', 'int', 'double', 'bool', 'timestamp', 'duration', 'list', 'map', 'ints']);
  const value = expression(reported, known, random);
  const text = reported === 'string' ? value : ['list', 'map', 'ints'].includes(reported) ? `'%s'.format([${value}])` : `string(${value})`;
  if (random.chance(0.3)) return { rule: expression('bool', known, random), ...ruleMembers(known, random) };
  return { rule: random.chance(0.8) ? 'false' : `${expression('bool', known, random, 1)} && false`, messageExpression: text };
};

/** A rule of a field, where `self` is a scalar, list or map. */
const fieldRule = (type: string, random: Random): JsonObject => {
  const known: Variables = { [type]: ['self', 'self', ...(random.chance(0.2) ? ['oldSelf'] : [])] };
  return {
    rule: expression('bool', known, random),
    ...some({ message: of('no'), messageExpression: of("'m'", 'string(self)'), optionalOldSelf: of(true) }, {}, 0.15)(random),
  };
};

const text = of('', 'a', 'b', 'x', 'é😀', '10', '1.2.3.4', 'a,b');
const spec = some(
  {
    i: of(0, 1, -1, 50),
    d: of(0, 1.5, -1, 2),
    s: text,
    b: of(true, false),
    t: of('2020-01-01T00:00:00Z', '2020-06-01T12:00:00.5+02:00'),
    u: of('1h', '1.5s', '90m'),
    y: of('eA==', ''),
    e: of(1, '1', 'x'),
    n: of('n', null),
    list: list(text),
    ints: list(of(0, 1, 2, 3)),
    set: of(['a', 'b'], ['b', 'a'], []),
    map: map(['a', 'b'], text),
    keyed: of([{ k: 'a', v: 1 }], [{ k: 'a' }, { k: 'b', v: 2 }], [{ k: 'b', v: 2 }, { k: 'a' }]),
    sub: some({ a: text, 'b-c': of(1, 2), in: text }, {}, 0.7),
    free: anyOf(of({}), all({ a: of(1, 'x') })),
    res: all({ apiVersion: of('v1'), kind: of('ConfigMap'), metadata: some({ name: of('x') }, {}, 0.8) }),
  },
  {},
  0.8,
);

/* Admission policies. */

const policyPath = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

const policyVariables: Variables = {
  int: ['int(object.data.i)', 'size(object.data)', 'variables.i', 'object.metadata.generation'],
  string: [
    'object.data.s',
    'object.metadata.name',
    'request.operation',
    'request.kind.kind',
    'namespaceObject.metadata.name',
    "object.data['a']",
    'request.userInfo.username',
    'variables.s',
    'params.data.s',
    'request.namespace',
    'object.none',
  ],
  bool: [
    'has(object.data)',
    'has(object.metadata.labels)',
    'oldObject == null',
    'request.dryRun',
    "authorizer.group('').resource('pods').namespace('default').check('get').allowed()",
    "authorizer.path('/x').check('get').allowed()",
    'has(object.spec)',
    'variables.b',
    'has(request.subResource)',
  ],
  map: ['object.data', 'object.metadata.labels'],
  list: ['request.userInfo.groups', 'object.metadata.finalizers'],
  any: ['object', 'oldObject', 'params', 'request', 'object.data', 'variables.s', 'namespaceObject.metadata.labels'],
  timestamp: ['object.metadata.creationTimestamp'],
};

const policies = (random: Random): Sequence => ({
  steps: random.upTo(4, (): Step => ({
    do: `POST ${policyPath}?dryRun=All`,
    body: policy(
      random,
      random.upTo(3, () => validation(random)),
    ),
  })),
});

const validation = (random: Random): JsonObject => ({
  expression: random.chance(0.05) ? random.pick(broken) : expression('bool', policyVariables, random),
  ...some(
    {
      message: of('no', '', 'a\nb'),
      messageExpression: (choices) => expression('string', policyVariables, choices, 2),
      reason: of('Invalid', 'Forbidden', 'Unauthorized', 'RequestEntityTooLarge', 'x'),
    },
    {},
    0.25,
  )(random),
});

const policy = (random: Random, validations: JsonObject[]): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p-${r}' },
  spec: {
    failurePolicy: random.pick(['Fail', 'Fail', 'Ignore']),
    matchConstraints: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '${ns}' } },
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
    },
    variables: [
      { name: 'i', expression: random.chance(0.7) ? '1' : expression('int', {}, random, 2) },
      { name: 's', expression: random.chance(0.7) ? "'v'" : expression('string', {}, random, 2) },
      { name: 'b', expression: random.chance(0.7) ? 'true' : expression('bool', {}, random, 2) },
    ],
    ...(random.chance(0.15)
      ? { matchConditions: [{ name: random.pick(['a', 'A b', '']), expression: expression('bool', policyVariables, random, 2) }] }
      : {}),
    ...(random.chance(0.2)
      ? { auditAnnotations: [{ key: random.pick(['a', 'a b']), valueExpression: expression('string', policyVariables, random, 2) }] }
      : {}),
    ...(random.chance(0.1) ? { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } : {}),
    validations,
  },
});

/** Webhook conditions as dry runs, without the variables of policies. */
const conditions = (random: Random): Sequence => ({
  steps: random.upTo(3, (): Step => ({
    do: 'POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'w-${r}' },
      webhooks: [
        {
          name: 'w.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          matchConditions: random.upTo(4, (index) => ({ name: `c${index}`, expression: expression('bool', policyVariables, random) })),
        },
      ],
    },
  })),
});

const patches: readonly string[] = [
  "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey({string}), value: {any}}]",
  '[JSONPatch{op: {string}, path: {string}, from: {string}}]',
  "{list}.map(x, JSONPatch{op: 'remove', path: '/' + x})",
  "{bool} ? [JSONPatch{op: 'test', path: {string}, value: {map}}] : []",
  "[JSONPatch{op: 'add', ?path: optional.of({string}), value: Object.data{a: {string}}}]",
  '[JSONPatch{op: {int}, other: {string}}]',
  '{any}',
];
const applied: readonly string[] = [
  'Object{metadata: Object.metadata{labels: {map}}}',
  'Object{data: {map}, ?none: optional.of({string})}',
  'Object{spec: Object.spec{items: {list}.map(x, Object.spec.items.item{name: x, size: {int}})}}',
  '{bool} ? Object{} : Object{metadata: Object.metadata{annotations: {any}}}',
  'Object.metadata{labels: {map}}',
  '{any}',
];

const mutations = (random: Random): Sequence => ({
  steps: random.upTo(3, (): Step => {
    const { spec: whole, ...rest } = policy(random, []);
    const { validations: _, auditAnnotations: __, ...kept } = whole as JsonObject;
    const written = random.upTo(3, (): JsonObject => {
      const patch = random.chance(0.5);
      const text = within(random.pick(patch ? patches : applied), policyVariables, random);
      return patch
        ? { patchType: 'JSONPatch', jsonPatch: { expression: text } }
        : { patchType: 'ApplyConfiguration', applyConfiguration: { expression: text } };
    });
    return {
      do: 'POST /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies?dryRun=All',
      body: { ...rest, kind: 'MutatingAdmissionPolicy', spec: { ...kept, reinvocationPolicy: 'Never', mutations: written } },
    };
  }),
});

const toldMax = 6;

/** A policy with values in its messages, one expression for each name. */
function decided(random: Random): Sequence {
  const names = Array.from({ length: toldMax }, (_, index) => `e${index}`);
  const reported = names.map((name): JsonObject => ({
    expression: `object.metadata.name != '${name}'${random.chance(0.3) ? ` || (${expression('bool', policyVariables, random)})` : ''}`,
    messageExpression: expression('string', policyVariables, random),
    ...(random.chance(0.2) ? { message: 'otherwise', reason: 'Forbidden' } : {}),
  }));
  const probe = { expression: "object.metadata.name != 'probe'", message: 'is there' };
  const { spec: whole, ...rest } = policy(random, [probe, ...reported]);
  const { matchConditions: _, paramKind: __, auditAnnotations: ___, ...kept } = whole as JsonObject;
  const post = 'POST /api/v1/namespaces/${ns}/configmaps?dryRun=All';
  return {
    steps: [
      { do: `POST ${policyPath}`, body: { ...rest, spec: kept } },
      {
        do: 'POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
        body: {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicyBinding',
          metadata: { name: 'p-${r}' },
          spec: { policyName: 'p-${r}', validationActions: random.pick([['Deny'], ['Deny'], ['Warn'], ['Deny', 'Audit']]) },
        },
      },
      {
        eventually: post,
        body: { metadata: { name: 'probe' } },
        within: 5,
        where: {
          '/message': `configmaps "probe" is forbidden: ValidatingAdmissionPolicy 'p-\${r}' with binding 'p-\${r}' denied request: is there`,
        },
      },
      ...names.map((name): Step => ({
        do: post,
        body: { metadata: { name, labels: { a: 'b' } }, data: { s: text(random), i: '7', a: 'x' } },
      })),
    ],
  };
}
