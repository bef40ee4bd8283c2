import type { JsonObject } from '../../api/object.js';
import type { Step } from '../golden/recordings.js';
import { collection, defined, definition, widget } from './definitions.js';
import { all, anyOf, list, map, of, some, type Make } from './grammar.js';

/** Objects with several writers: keyed lists, sets, atomic parts and maps, of built-in kinds and custom resources. */

export interface Target {
  /** Prerequisites. */
  readonly before?: readonly Step[];
  readonly path: string;
  readonly name: string;
  /** An applied configuration. */
  readonly body: Make<JsonObject>;
  readonly whole?: Make<JsonObject>;
  readonly subresources: readonly string[];
  /** The path and name in another version. */
  readonly other?: { readonly path: string; readonly apiVersion: string };
}

/* Few values, so that managers meet. */

const text = of('x', 'y', '');
const labels = map(['a', 'b'], text);
const metadata = (name: string): Make<JsonObject> =>
  some(
    {
      labels,
      annotations: map(['a', 'example.com/b'], text),
      finalizers: list(of('example.com/a', 'example.com/b'), 2),
      ownerReferences: list(all({ apiVersion: of('v1'), kind: of('ConfigMap'), name: of('o'), uid: of('u1', 'u2') }), 2),
    },
    { name: of(name) },
    0.25,
  );

const object =
  (apiVersion: string, kind: string, name: string, members: Make<JsonObject>): Make<JsonObject> =>
  (random) => ({
    apiVersion,
    kind,
    metadata: metadata(name)(random),
    ...members(random),
  });

const condition = some(
  { message: text, reason: of('R', 'S'), lastTransitionTime: of('2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z') },
  { type: of('A', 'B'), status: of('True', 'False') },
);

const container = some(
  {
    image: of('i:1', 'i:2'),
    command: list(of('a', 'b')),
    env: list(some({ value: text }, { name: of('E', 'F') }, 0.7)),
    ports: list(some({ protocol: of('TCP', 'UDP'), name: of('p', 'q'), hostPort: of(1, 2) }, { containerPort: of(80, 81) }), 2),
    resources: some({ limits: map(['cpu', 'memory'], of('1', '2', '1000m')), requests: map(['cpu'], of('1', '500m')) }),
    volumeMounts: list(some({ readOnly: of(true, false) }, { name: of('v'), mountPath: of('/a', '/b') }), 2),
    securityContext: some({ runAsUser: of(1, 2), capabilities: some({ add: list(of('A', 'B'), 2) }) }),
    terminationMessagePath: of('/a', '/b'),
  },
  { name: of('c', 'd') },
  0.3,
);

const podSpec = some(
  {
    volumes: list(
      some({ emptyDir: some({ medium: of('Memory', '') }), configMap: some({ name: of('m', 'n') }) }, { name: of('v', 'w') }, 0.4),
      2,
    ),
    tolerations: list(some({ key: of('k', 'l'), operator: of('Exists', 'Equal'), effect: of('NoSchedule') }), 2),
    nodeSelector: map(['a', 'b'], text),
    imagePullSecrets: list(some({ name: of('s', 't') }, {}, 0.9), 2),
    hostAliases: list(some({ hostnames: list(of('h', 'i'), 2) }, { ip: of('10.0.0.1', '10.0.0.2') }), 2),
    topologySpreadConstraints: list(
      some(
        { labelSelector: some({ matchLabels: labels }) },
        { topologyKey: of('z', 'y'), whenUnsatisfiable: of('DoNotSchedule', 'ScheduleAnyway'), maxSkew: of(1, 2) },
      ),
      2,
    ),
    securityContext: some({ sysctls: list(all({ name: of('a.b'), value: text }), 2), supplementalGroups: list(of(1, 2), 2) }),
    serviceAccountName: of('default', 'other'),
    schedulingGates: list(all({ name: of('g', 'h') }), 2),
  },
  { containers: list(container, 3), automountServiceAccountToken: of(false) },
  0.2,
);

const apps = '/apis/apps/v1/namespaces/${ns}';
const core = '/api/v1/namespaces/${ns}';
const selector = all({ matchLabels: all({ app: of('x') }) });
const template = (probability: number): Make<JsonObject> =>
  all({ metadata: all({ labels: some({ b: text }, { app: of('x') }, probability) }), spec: podSpec });

export const builtInTargets: readonly Target[] = [
  {
    path: `${core}/configmaps`,
    name: 'a',
    body: object(
      'v1',
      'ConfigMap',
      'a',
      some({ data: map(['x', 'y', 'z'], text), binaryData: map(['v', 'x'], of('eA==', '')), immutable: of(false) }, {}, 0.7),
    ),
    subresources: [],
  },
  {
    path: `${apps}/deployments`,
    name: 'a',
    body: object('apps/v1', 'Deployment', 'a', (random) => ({
      spec: some(
        {
          replicas: of(1, 2, 3),
          minReadySeconds: of(1, 2),
          strategy: some({ type: of('Recreate', 'RollingUpdate'), rollingUpdate: some({ maxSurge: of(1, '50%', '1') }) }, {}, 0.6),
        },
        { selector, template: template(0.3) },
      )(random),
      ...some({ status: some({ replicas: of(1, 2), conditions: list(condition, 2) }) }, {}, 0.3)(random),
    })),
    subresources: ['status', 'scale', 'scale'],
  },
  {
    path: `${core}/services`,
    name: 'a',
    body: object(
      'v1',
      'Service',
      'a',
      all({
        spec: some(
          {
            selector: map(['a', 'b'], text),
            type: of('ClusterIP', 'ExternalName', 'NodePort'),
            externalName: of('a.b'),
            externalIPs: list(of('1.2.3.4', '1.2.3.5'), 2),
            sessionAffinity: of('None', 'ClientIP'),
            clusterIP: of('None'),
          },
          { ports: list(some({ name: of('p', 'q'), protocol: of('TCP', 'UDP'), targetPort: of(1, 'x', '1') }, { port: of(80, 81) })) },
          0.25,
        ),
      }),
    ),
    subresources: ['status'],
  },
  {
    path: `${core}/pods`,
    name: 'a',
    body: object('v1', 'Pod', 'a', (random) => ({
      spec: podSpec(random),
      ...some(
        {
          status: some({
            conditions: list(condition, 2),
            phase: of('Running', 'Failed'),
            podIPs: list(all({ ip: of('1.1.1.1', '1.1.1.2') }), 2),
          }),
        },
        {},
        0.4,
      )(random),
    })),
    subresources: ['status', 'resize', 'ephemeralcontainers'],
  },
  {
    path: '/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers',
    name: 'a',
    body: object('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', (random) => ({
      spec: some(
        { minReplicas: of(1, 2) },
        { maxReplicas: of(3, 4), scaleTargetRef: all({ kind: of('Deployment'), name: of('a', 'b'), apiVersion: of('apps/v1') }) },
      )(random),
    })),
    other: { path: '/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers', apiVersion: 'autoscaling/v1' },
    subresources: ['status'],
  },
  {
    path: `${core}/serviceaccounts`,
    name: 'a',
    body: object(
      'v1',
      'ServiceAccount',
      'a',
      some({
        secrets: list(some({ namespace: of('n', 'm') }, { name: of('x', 'y') })),
        imagePullSecrets: list(all({ name: of('x', 'y') })),
        automountServiceAccountToken: of(true, false),
      }),
    ),
    subresources: [],
  },
  {
    path: '/api/v1/nodes',
    name: 'n-${r}',
    body: object('v1', 'Node', 'n-${r}', (random) => ({
      spec: some({
        taints: list(some({ value: text }, { key: of('k', 'l'), effect: of('NoSchedule', 'NoExecute') }), 2),
        podCIDRs: list(of('10.1.0.0/24', 'fd00::/64'), 2),
        unschedulable: of(true, false),
      })(random),
      ...some(
        {
          status: some({
            conditions: list(condition, 2),
            addresses: list(all({ type: of('InternalIP', 'Hostname'), address: of('1.1.1.1', 'h') })),
            capacity: map(['cpu', 'memory'], of('1', '2', '1000m')),
          }),
        },
        {},
        0.4,
      )(random),
    })),
    subresources: ['status'],
  },
];

/* Custom resources. */

const string = { type: 'string' };
const integer = { type: 'integer' };
const object_ = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const listOf = (items: JsonObject, listType: string, more: JsonObject = {}): JsonObject => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': listType,
  ...more,
});

const keyed = listOf(
  object_({ name: string, port: { ...integer, default: 1 }, value: string, tags: listOf(string, 'set') }, { required: ['name'] }),
  'map',
  {
    'x-kubernetes-list-map-keys': ['name', 'port'],
  },
);

const typedSpec: JsonObject = {
  replicas: integer,
  keyed,
  set: listOf(string, 'set'),
  numbers: listOf({ type: 'number' }, 'set'),
  atomic: listOf(string, 'atomic'),
  plain: { type: 'array', items: object_({ name: string, value: string }) },
  granular: { type: 'object', additionalProperties: string },
  atomicMap: { type: 'object', additionalProperties: string, 'x-kubernetes-map-type': 'atomic' },
  atomicStruct: object_({ a: string, b: string }, { 'x-kubernetes-map-type': 'atomic' }),
  nested: object_({ deep: object_({ a: string, b: integer }), keyed }),
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: string } },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  either: { 'x-kubernetes-int-or-string': true },
  maybe: { ...string, nullable: true },
  defaulted: { ...string, default: 'd' },
  maps: { type: 'object', additionalProperties: listOf(string, 'set') },
};

const conditions = listOf(object_({ type: string, status: string, reason: string }, { required: ['type'] }), 'map', {
  'x-kubernetes-list-map-keys': ['type'],
});
const typedSchema = object_({ spec: object_(typedSpec), status: object_({ replicas: integer, selector: string, conditions }) });
const freeSchema: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const item = some({ port: of(1, 2), value: text, tags: list(of('s', 't'), 2) }, { name: of('n', 'm') });
const anything = anyOf(text, of(1, null, true), list(of(1, 'a', null)), some({ a: text, b: of(1, 2) }));
const spec = some(
  {
    replicas: of(1, 2),
    keyed: list(item),
    set: list(of('a', 'b', 'c')),
    numbers: list(of(1, 1.5, 2)),
    atomic: list(of('a', 'b')),
    plain: list(some({ name: of('n', 'm'), value: text })),
    granular: map(['a', 'b'], text),
    atomicMap: map(['a', 'b'], text),
    atomicStruct: some({ a: text, b: text }),
    nested: some({ deep: some({ a: text, b: of(1, 2) }), keyed: list(item) }),
    free: some({ known: text, unknown: anything, list: list(anything) }),
    any: anything,
    either: of(1, '1', '50%'),
    maybe: of('x', null),
    defaulted: of('d', 'e'),
    maps: map(['a', 'b'], list(of('s', 't'), 2)),
    unknown: of(1),
  },
  {},
  0.25,
);
const customBody: Make<JsonObject> = (random) =>
  widget({
    metadata: metadata('a')(random),
    ...some(
      {
        spec,
        status: some({ replicas: of(1, 2), conditions: list(some({ reason: text }, { type: of('A', 'B') }), 2), selector: of('a=b') }),
      },
      {},
      0.7,
    )(random),
  });

const subresources: JsonObject = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
};

const customTarget = (schemas: readonly [JsonObject, JsonObject], more: JsonObject, names: readonly string[]): Target => ({
  before: defined(
    definition([
      { name: 'v1', schema: schemas[0], more },
      { name: 'v1beta1', schema: schemas[1], more },
    ]),
  ),
  path: collection(),
  name: 'a',
  body: customBody,
  subresources: names,
  other: { path: collection('v1beta1'), apiVersion: '${r}.example.com/v1beta1' },
});

export const customTargets: readonly Target[] = [
  customTarget([typedSchema, typedSchema], { subresources }, ['status', 'scale']),
  customTarget([typedSchema, freeSchema], {}, []),
  customTarget([freeSchema, freeSchema], { subresources: { status: {} } }, ['status']),
];
