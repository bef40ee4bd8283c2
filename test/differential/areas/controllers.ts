import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { Area, AskedStep, PodState, Sequence } from '../area.js';
import { all, of, some, type Make } from '../grammar.js';
import type { Random } from '../random.js';

/** What controllers make of objects: the state once they have nothing left to do, with a kubelet that is played. */
export const controllers: Area = {
  name: 'controllers',
  about: 'state after quiescence of workloads, endpoints, budgets, claims, quotas, owners and namespaces (needs controllers on both sides)',
  needsControllers: true,
  generate: (random) => random.pick(scenarios)(random),
};

const namespaced = (group: string, resource: string): string =>
  `${group === 'v1' ? '/api/v1' : `/apis/${group}`}/namespaces/\${ns}/${resource}`;
const pods = namespaced('v1', 'pods');
const replicaSets = namespaced('apps/v1', 'replicasets');
const revisions = namespaced('apps/v1', 'controllerrevisions');
const claims = namespaced('v1', 'persistentvolumeclaims');
const configMaps = namespaced('v1', 'configmaps');
const secrets = namespaced('v1', 'secrets');
const events = namespaced('v1', 'events');

const merge = 'application/merge-patch+json';
const quiet = (...paths: readonly string[]): AskedStep => ({ quiet: paths });
const often: readonly PodState[] = ['ready', 'ready', 'ready', 'unready', 'failed', 'succeeded'];
const seldom: readonly PodState[] = ['mixed', 'refused', 'disrupted', 'firstFailed', 'firstRefused', 'firstSucceeded'];
const states: readonly PodState[] = [...often, ...often, ...seldom];
const lived = (random: Random): AskedStep => ({ pods: random.pick(states) });

const container = all({ name: of('c'), image: of('i:1', 'i:2') });
const podSpec: Make<JsonObject> = all({
  containers: (random) => [container(random)],
  terminationGracePeriodSeconds: of(0, 1, 30),
});
const template = (labels: JsonObject, more: JsonObject = {}): Make<JsonObject> =>
  all({ metadata: of({ labels }), spec: (random: Random) => ({ ...podSpec(random), ...more }) });
const app = { app: 'a' };
const amount = of(0, 1, 2, '25%', '50%', '100%');

/** A workload, changes of it and of its pods, and its end; between all of them everybody comes to rest. */
function workload(
  random: Random,
  { path, object, changes, seen }: { path: string; object: JsonObject; changes: readonly Make<JsonValue>[]; seen: readonly string[] },
): Sequence {
  const at = `${path}/${String((object['metadata'] as JsonObject)['name'])}`;
  const rest = quiet(path, ...seen, events);
  const act = (): readonly AskedStep[] =>
    random.pick<() => readonly AskedStep[]>([
      () => [lived(random), rest],
      () => [lived(random), rest],
      () => [{ do: `PATCH ${at}`, type: merge, body: random.pick(changes)(random), keep: [] }, rest],
      () => [{ do: `PATCH ${at}`, type: merge, body: random.pick(changes)(random), keep: [] }, rest],
      () => [{ pods: 'gone' }, rest],
      () => [random.pick(accidents(path, at)), rest],
    ])();
  const end = (): readonly AskedStep[] => [
    { do: `DELETE ${at}?propagationPolicy=${random.pick(['Background', 'Foreground', 'Orphan'])}`, keep: [] },
    rest,
    ...random.pick([[], [{ pods: 'gone' as const }, rest], [{ do: `POST ${path}`, body: object, keep: [] }, rest]]),
  ];
  const before = random.chance(0.15) ? hindrance(random) : [];
  const all = [...before, { do: `POST ${path}`, body: object, keep: [] }, rest, ...random.upTo(4, act).flat()];
  return { steps: [...all, ...(random.chance(0.4) ? end() : [])] };
}

/** What somebody else does to a workload and to what it made. */
const accidents = (path: string, at: string): readonly AskedStep[] => [
  { do: `DELETE ${pods}`, keep: [] },
  { do: `DELETE ${replicaSets}`, keep: [] },
  { do: `DELETE ${replicaSets}?propagationPolicy=Orphan`, keep: [] },
  // Ours restores those of StatefulSets at once, the reference when the next thing happens.
  ...(path.endsWith('daemonsets') ? [{ do: `DELETE ${revisions}`, keep: [] }] : []),
  { do: `PATCH ${at}`, type: merge, body: { metadata: { finalizers: ['example.com/a'] } }, keep: [] },
  { do: `PATCH ${at}`, type: merge, body: { spec: { template: { spec: { serviceAccountName: 'absent' } } } }, keep: [] },
  { do: `PATCH ${at}`, type: merge, body: { metadata: { labels: { x: 'y' } } }, keep: [] },
];

/** Pods that may not be made: more than a quota allows, or refused by a policy of the namespace. */
const hindrance = (random: Random): readonly AskedStep[] => {
  const quotas = namespaced('v1', 'resourcequotas');
  return random.pick<readonly AskedStep[]>([
    [{ do: `POST ${quotas}`, body: { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } }, keep: [] }, quiet(quotas)],
    [
      {
        do: 'PATCH /api/v1/namespaces/${ns}',
        type: merge,
        body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
        keep: [],
      },
    ],
  ]);
};

const replicas: Make<JsonValue> = (random) => ({ spec: { replicas: random.below(4) } });
const image: Make<JsonValue> = (random) => ({
  spec: { template: { spec: { containers: [{ name: 'c', image: random.pick(['i:1', 'i:2', 'i:3']) }] } } },
});
const annotated: Make<JsonValue> = (random) => ({ metadata: { annotations: { x: random.pick(['1', '2']) } } });

function deployment(random: Random): Sequence {
  const rolling = all({ type: of('RollingUpdate'), rollingUpdate: some({ maxSurge: amount, maxUnavailable: amount }) });
  const spec = some(
    {
      strategy: (choices: Random) => (choices.chance(0.3) ? { type: 'Recreate' } : rolling(choices)),
      revisionHistoryLimit: of(0, 1, 2),
      paused: of(true, false),
      minReadySeconds: of(0, 1),
      progressDeadlineSeconds: of(600, 5),
    },
    { replicas: of(0, 1, 2, 3), selector: of({ matchLabels: app }), template: template(app) },
    0.4,
  );
  const changes = [
    replicas,
    image,
    image,
    image,
    annotated,
    (choices: Random): JsonValue => ({ spec: { paused: choices.chance(0.5) } }),
    (choices: Random): JsonValue => ({ spec: { revisionHistoryLimit: choices.below(2) } }),
    of({ spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
  ];
  const object = { metadata: { name: 'web' }, spec: spec(random) };
  return workload(random, { path: namespaced('apps/v1', 'deployments'), object, changes, seen: [replicaSets, pods] });
}

function replicaSet(random: Random): Sequence {
  const spec = all({ replicas: of(0, 1, 2, 3), selector: of({ matchLabels: app }), template: template(app) });
  const object = { metadata: { name: 'set' }, spec: spec(random) };
  const bare = { metadata: { name: 'bare', labels: app }, spec: podSpec(random) };
  const work = workload(random, { path: replicaSets, object, changes: [replicas, image, annotated], seen: [pods] });
  const before: readonly AskedStep[] = random.chance(0.5) ? [{ do: `POST ${pods}`, body: bare, keep: [] }] : [];
  const released: readonly AskedStep[] = random.chance(0.3)
    ? [{ do: `PATCH ${pods}/bare`, type: merge, body: { metadata: { labels: { app: 'z' } } }, keep: [] }, quiet(replicaSets, pods, events)]
    : [];
  return { steps: [...before, ...work.steps, ...released] };
}

function replicationController(random: Random): Sequence {
  const object = { metadata: { name: 'rc' }, spec: all({ replicas: of(0, 1, 2), selector: of(app), template: template(app) })(random) };
  return workload(random, {
    path: namespaced('v1', 'replicationcontrollers'),
    object,
    changes: [replicas, image, annotated],
    seen: [pods],
  });
}

function statefulSet(random: Random): Sequence {
  const claim = {
    metadata: { name: 'd' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
  };
  const rolling = all({ type: of('RollingUpdate'), rollingUpdate: some({ partition: of(0, 1, 2), maxUnavailable: of(1, 2) }) });
  const spec = some(
    {
      podManagementPolicy: of('OrderedReady', 'Parallel'),
      updateStrategy: (choices: Random) => (choices.chance(0.3) ? { type: 'OnDelete' } : rolling(choices)),
      volumeClaimTemplates: of([claim]),
      persistentVolumeClaimRetentionPolicy: all({ whenDeleted: of('Retain', 'Delete'), whenScaled: of('Retain', 'Delete') }),
      ordinals: of({ start: 2 }),
      revisionHistoryLimit: of(0, 1, 2),
    },
    { serviceName: of('s'), replicas: of(0, 1, 2, 3), selector: of({ matchLabels: app }), template: template(app) },
    0.4,
  );
  const changes = [
    replicas,
    image,
    image,
    annotated,
    (choices: Random): JsonValue => ({
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: choices.below(3) } } },
    }),
  ];
  const object = { metadata: { name: 'db' }, spec: spec(random) };
  return workload(random, { path: namespaced('apps/v1', 'statefulsets'), object, changes, seen: [pods, claims, revisions] });
}

/** Nodes of its own: those of other cases lack the label. */
function daemonSet(random: Random): Sequence {
  const node = (index: number): AskedStep => ({
    do: 'POST /api/v1/nodes',
    body: {
      metadata: { name: `n${index}-\${r}`, labels: { case: '${r}', ...(random.chance(0.3) ? { other: 'x' } : {}) } },
      spec: random.pick<JsonObject>([{}, {}, { unschedulable: true }, { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }]),
    },
    keep: [],
  });
  const more = { nodeSelector: { case: '${r}' }, ...(random.chance(0.3) ? { tolerations: [{ operator: 'Exists' }] } : {}) };
  const spec = some(
    {
      updateStrategy: of(
        { type: 'OnDelete' },
        { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
        { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      ),
      revisionHistoryLimit: of(0, 1),
    },
    { selector: of({ matchLabels: app }), template: template(app, more) },
    0.5,
  );
  const changes = [image, image, annotated, of({ spec: { template: { spec: { nodeSelector: { other: 'x' } } } } })];
  const object = { metadata: { name: 'agent' }, spec: spec(random) };
  const work = workload(random, { path: namespaced('apps/v1', 'daemonsets'), object, changes, seen: [pods, revisions] });
  return { steps: [...random.upTo(2, node), ...work.steps] };
}

const failureRule = (random: Random): JsonObject => ({
  action: random.pick(['FailJob', 'Ignore', 'Count', 'FailIndex']),
  ...random.pick<JsonObject>([
    { onExitCodes: { operator: random.pick(['In', 'NotIn']), values: [42] } },
    { onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
  ]),
});

const jobSpec = (random: Random): JsonObject => {
  const spec = some(
    {
      parallelism: of(0, 1, 2, 3),
      completions: of(1, 2, 3),
      backoffLimit: of(0, 1, 6),
      suspend: of(true, false),
      completionMode: of('Indexed', 'NonIndexed'),
      activeDeadlineSeconds: of(1000, 5),
      ttlSecondsAfterFinished: of(0, 1000),
      podReplacementPolicy: of('Failed', 'TerminatingOrFailed'),
      managedBy: of('example.com/other', 'kubernetes.io/job-controller'),
    },
    { template: template({ job: 'x' }, { restartPolicy: 'Never' }) },
    0.3,
  )(random);
  return random.pick<() => JsonObject>([
    () => spec,
    () => spec,
    () => ({ ...spec, podReplacementPolicy: 'Failed', podFailurePolicy: { rules: random.upTo(2, () => failureRule(random)) } }),
    () => ({ ...spec, ...perIndex(random) }),
    () => ({ ...spec, ...perIndex(random), successPolicy: { rules: [random.pick(successRules)] } }),
  ])();
};

const perIndex = (random: Random): JsonObject => ({
  completionMode: 'Indexed',
  completions: 1 + random.below(3),
  ...(random.chance(0.7) ? { backoffLimitPerIndex: random.below(2) } : {}),
  ...(random.chance(0.3) ? { backoffLimitPerIndex: 0, maxFailedIndexes: random.below(2) } : {}),
});
const successRules: readonly JsonObject[] = [
  { succeededCount: 1 },
  { succeededIndexes: '0' },
  { succeededIndexes: '0-1', succeededCount: 1 },
];

function job(random: Random): Sequence {
  const changes: readonly Make<JsonValue>[] = [
    (choices) => ({ spec: { parallelism: choices.below(4) } }),
    (choices) => ({ spec: { suspend: choices.chance(0.5) } }),
    annotated,
  ];
  return workload(random, {
    path: namespaced('batch/v1', 'jobs'),
    object: { metadata: { name: 'work' }, spec: jobSpec(random) },
    changes,
    seen: [pods],
  });
}

function cronJob(random: Random): Sequence {
  const spec = some(
    { suspend: of(true, false), startingDeadlineSeconds: of(5, 100), timeZone: of('Etc/UTC', 'Europe/Berlin') },
    { schedule: of('0 0 29 2 *', '@yearly'), jobTemplate: all({ spec: jobSpec }) },
  );
  const changes = [(choices: Random): JsonValue => ({ spec: { suspend: choices.chance(0.5) } }), annotated];
  const object = { metadata: { name: 'nightly' }, spec: spec(random) };
  return workload(random, { path: namespaced('batch/v1', 'cronjobs'), object, changes, seen: [namespaced('batch/v1', 'jobs'), pods] });
}

const barePod = (random: Random, index: number): AskedStep => ({
  do: `POST ${pods}`,
  body: {
    metadata: { name: `p${index}`, labels: random.pick<JsonObject>([app, app, { app: 'b' }]) },
    spec: {
      containers: [{ name: 'c', image: 'i', ports: random.pick<JsonValue>([[], [{ name: 'http', containerPort: 8080 }]]) }],
      ...(random.chance(0.3) ? { hostname: `h${index}`, subdomain: 's' } : {}),
      // Who has an address has a node; ours does not insist.
      nodeName: random.pick(['n-${r}', 'n-${r}', 'n-${r}', 'absent-${r}']),
      terminationGracePeriodSeconds: 0,
    },
  },
  keep: [],
});

function endpoints(random: Random): Sequence {
  const services = namespaced('v1', 'services');
  const port = some({ name: of('http'), targetPort: of('http', 8080, 9090), appProtocol: of('h2c') }, { port: of(80) });
  const spec = some(
    {
      clusterIP: of('None'),
      publishNotReadyAddresses: of(true),
      internalTrafficPolicy: of('Local'),
      trafficDistribution: of('PreferClose'),
    },
    { ports: (choices: Random): JsonValue => [port(choices)], selector: of(app, app, { app: 'none' }) },
    0.3,
  );
  const seen = quiet(services, namespaced('v1', 'endpoints'), namespaced('discovery.k8s.io/v1', 'endpointslices'), pods, events);
  const change = (): readonly AskedStep[] => [
    random.pick<AskedStep>([
      lived(random),
      { pods: 'gone' },
      { do: `PATCH ${services}/s`, type: merge, body: { spec: { selector: { app: random.pick(['a', 'b']) } } }, keep: [] },
      { do: `PATCH ${services}/s`, type: merge, body: { metadata: { labels: { x: random.pick(['1', '2']) } } }, keep: [] },
      { do: `PATCH ${pods}/p0`, type: merge, body: { metadata: { labels: { app: 'b' } } }, keep: [] },
      { do: `DELETE ${services}/s`, keep: [] },
    ]),
    seen,
  ];
  const service: AskedStep = { do: `POST ${services}`, body: { metadata: { name: 's' }, spec: spec(random) }, keep: [] };
  const all = random.times(1 + random.below(3), (index) => barePod(random, index));
  const node: AskedStep = { do: 'POST /api/v1/nodes', body: { metadata: { name: 'n-${r}' } }, keep: [] };
  return { steps: [node, service, ...all, lived(random), seen, ...random.upTo(3, change).flat()] };
}

function mirrored(random: Random): Sequence {
  const path = namespaced('v1', 'endpoints');
  const seen = quiet(path, namespaced('discovery.k8s.io/v1', 'endpointslices'));
  const subsets = (): JsonValue =>
    random.times(random.below(3), (index) => ({
      addresses: [{ ip: `10.2.${index}.1` }, ...(random.chance(0.5) ? [{ ip: `10.2.${index}.2`, hostname: 'h' }] : [])],
      ...(random.chance(0.4) ? { notReadyAddresses: [{ ip: `10.3.${index}.1` }] } : {}),
      ports: [{ port: 80 + index, name: `p${index}` }],
    }));
  const annotations = random.pick<JsonObject>([{}, { a: 'b' }, { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }]);
  const labels = random.pick<JsonObject>([{}, { a: 'b' }, { 'endpointslice.kubernetes.io/skip-mirror': 'true' }]);
  return {
    steps: [
      { do: `POST ${namespaced('v1', 'services')}`, body: { metadata: { name: 'e' }, spec: { ports: [{ port: 80 }] } }, keep: [] },
      { do: `POST ${path}`, body: { metadata: { name: 'e', annotations, labels }, subsets: subsets() }, keep: [] },
      seen,
      ...random
        .upTo(2, (): AskedStep[] => [
          { do: `PUT ${path}/e`, body: { metadata: { name: 'e', annotations, labels }, subsets: subsets() }, keep: [] },
          seen,
        ])
        .flat(),
    ],
  };
}

function budget(random: Random): Sequence {
  const path = namespaced('policy/v1', 'poddisruptionbudgets');
  const limits = random.pick<JsonObject>([
    { minAvailable: random.pick<JsonValue>([0, 1, 2, '50%']) },
    { maxUnavailable: random.pick<JsonValue>([0, 1, '30%']) },
  ]);
  const workloads = [replicaSet, deployment, statefulSet, replicationController, job];
  const owner = random.chance(0.7)
    ? random
        .pick(workloads)(random)
        .steps.find((step) => step.do?.startsWith('POST /apis') ?? false)
    : barePod(random, 0);
  const seen = quiet(path, pods, events);
  const evict: AskedStep = {
    do: `POST ${pods}/p0/eviction`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p0' } },
    keep: [],
  };
  return {
    steps: [
      { do: `POST ${path}`, body: { metadata: { name: 'b' }, spec: { selector: { matchLabels: app }, ...limits } }, keep: [] },
      ...(owner === undefined ? [] : [owner]),
      barePod(random, 1),
      seen,
      ...random.upTo(3, (): AskedStep[] => [random.pick([lived(random), lived(random), evict, { pods: 'gone' as const }]), seen]).flat(),
    ],
  };
}

/** A tree of owners, some of them absent, and the deletion of its root. */
function owners(random: Random): Sequence {
  const names = ['a', 'b', 'c', 'd'] as const;
  const made = names.map((name, index): AskedStep => {
    const parents = names.slice(0, index).filter(() => random.chance(0.5));
    const references = parents.map((parent) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: parent,
      uid: `\${${parent}}`,
      ...(random.chance(0.5) ? { blockOwnerDeletion: true } : {}),
    }));
    const stray = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '11111111-2222-3333-4444-555555555555' };
    const ownerReferences = random.chance(0.15) ? [...references, stray] : references;
    const finalizers = random.chance(0.15) ? ['example.com/a'] : [];
    return {
      do: `POST ${configMaps}`,
      body: { metadata: { name, ownerReferences, finalizers } },
      save: { [name]: '/metadata/uid' },
      keep: [],
    };
  });
  const end = (): AskedStep[] => [
    {
      do: `DELETE ${configMaps}/${random.pick(names)}?propagationPolicy=${random.pick(['Background', 'Foreground', 'Orphan'])}`,
      keep: [],
    },
    quiet(configMaps),
  ];
  return { steps: [...made, quiet(configMaps), ...random.upTo(2, end).flat()] };
}

function volumes(random: Random): Sequence {
  const storage = of('1Gi', '2Gi', '5Gi');
  const modes = of(['ReadWriteOnce'], ['ReadOnlyMany'], ['ReadWriteOnce', 'ReadWriteMany']);
  const volume = (index: number): AskedStep => ({
    do: 'POST /api/v1/persistentvolumes',
    body: {
      metadata: { name: `v${index}-\${r}`, labels: random.pick<JsonObject>([{}, { tier: 'x' }]) },
      spec: {
        capacity: { storage: storage(random) },
        accessModes: modes(random),
        storageClassName: 'c-${r}',
        persistentVolumeReclaimPolicy: random.pick(['Retain', 'Delete']),
        hostPath: { path: '/tmp/x' },
        ...(random.chance(0.2) ? { claimRef: { namespace: '${ns}', name: 'k0' } } : {}),
        ...(random.chance(0.2) ? { volumeMode: 'Block' } : {}),
      },
    },
    keep: [],
  });
  const claim = (index: number): AskedStep => ({
    do: `POST ${claims}`,
    body: {
      metadata: { name: `k${index}` },
      spec: {
        accessModes: modes(random),
        storageClassName: 'c-${r}',
        resources: { requests: { storage: storage(random) } },
        ...(random.chance(0.2) ? { selector: { matchLabels: { tier: 'x' } } } : {}),
        ...(random.chance(0.2) ? { volumeName: 'v0-${r}' } : {}),
        ...(random.chance(0.1) ? { storageClassName: '' } : {}),
      },
    },
    keep: [],
  });
  const one = (name: string): string => `/api/v1/persistentvolumes?fieldSelector=metadata.name=${name}-\${r}`;
  const seen = quiet(claims, one('v0'), one('v1'), pods, events);
  const using: AskedStep = {
    do: `POST ${pods}`,
    body: {
      metadata: { name: 'user' },
      spec: {
        nodeName: 'absent-${r}',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'k0' } }],
      },
    },
    keep: [],
  };
  const act = (): AskedStep[] => [
    random.pick<AskedStep>([
      { do: `DELETE ${claims}/k0`, keep: [] },
      { do: 'DELETE /api/v1/persistentvolumes/v0-${r}', keep: [] },
      using,
      { do: `DELETE ${pods}/user`, keep: [] },
      { do: `PATCH ${claims}/k0`, type: merge, body: { spec: { resources: { requests: { storage: '6Gi' } } } }, keep: [] },
      claim(1),
      volume(1),
    ]),
    seen,
  ];
  const first = [volume(0), claim(0)];
  // Claims are looked at again every fifteen seconds.
  const settled: AskedStep = { wait: 17_000 };
  const storageClass: AskedStep = {
    do: 'POST /apis/storage.k8s.io/v1/storageclasses',
    body: {
      metadata: { name: 'c-${r}' },
      provisioner: random.pick(['kubernetes.io/no-provisioner', 'example.com/p', 'kubernetes.io/aws-ebs']),
      volumeBindingMode: random.pick(['Immediate', 'WaitForFirstConsumer']),
      allowVolumeExpansion: random.chance(0.7),
    },
    keep: [],
  };
  return {
    steps: [
      ...(random.chance(0.5) ? [storageClass] : []),
      ...(random.chance(0.5) ? first : [...first].reverse()),
      settled,
      seen,
      ...random.upTo(3, act).flat(),
    ],
  };
}

function ending(random: Random): Sequence {
  const path = '/api/v1/namespaces/t-${r}';
  const content = (): AskedStep => {
    const name = random.pick(['a', 'b']);
    const finalizers = random.chance(0.4) ? ['example.com/a'] : [];
    return random.pick<AskedStep>([
      { do: `POST ${path}/configmaps`, body: { metadata: { name, finalizers } }, keep: [] },
      { do: `POST ${path}/secrets`, body: { metadata: { name, finalizers } }, keep: [] },
      { do: `POST ${path}/pods`, body: { metadata: { name, finalizers }, spec: podSpec(random) }, keep: [] },
      { do: `POST ${path}/services`, body: { metadata: { name, finalizers }, spec: { clusterIP: 'None' } }, keep: [] },
    ]);
  };
  const seen = quiet(
    '/api/v1/namespaces?fieldSelector=metadata.name=t-${r}',
    `${path}/configmaps`,
    `${path}/secrets`,
    `${path}/pods`,
    `${path}/events`,
  );
  const free: AskedStep = { do: `PATCH ${path}/configmaps/a`, type: merge, body: { metadata: { finalizers: null } }, keep: [] };
  return {
    steps: [
      { do: 'POST /api/v1/namespaces', body: { metadata: { name: 't-${r}' } }, keep: [] },
      ...random.upTo(3, content),
      { do: `DELETE ${path}`, keep: [] },
      // A namespace is emptied five seconds after its deletion.
      { wait: 6_000 },
      seen,
      ...(random.chance(0.5) ? [free, seen] : []),
    ],
  };
}

function counted(random: Random): Sequence {
  const path = namespaced('v1', 'resourcequotas');
  const hard = some(
    {
      pods: of('5'),
      secrets: of('3'),
      'count/replicasets.apps': of('2'),
      'count/secrets': of('9'),
      services: of('4'),
      'requests.cpu': of('2'),
      'limits.memory': of('4Gi'),
      persistentvolumeclaims: of('3'),
    },
    {},
    0.5,
  );
  const scopes = random.pick<JsonObject>([{}, {}, { scopes: ['BestEffort'] }, { scopes: ['NotTerminating'] }]);
  const act = (): AskedStep =>
    random.pick<AskedStep>([
      { do: `POST ${secrets}`, body: { metadata: { name: random.pick(['a', 'b']) } }, keep: [] },
      { do: `DELETE ${secrets}/a`, keep: [] },
      barePod(random, random.below(3)),
      { do: `DELETE ${pods}/p0`, keep: [] },
      lived(random),
    ]);
  const seen = quiet(path);
  return {
    steps: [
      ...random.upTo(2, act),
      { do: `POST ${path}`, body: { metadata: { name: 'q' }, spec: { hard: hard(random), ...scopes } }, keep: [] },
      seen,
      ...random.upTo(3, act),
      seen,
    ],
  };
}

/** Pods on a node of their own whose taints come and go. */
function tainted(random: Random): Sequence {
  const taint = (): JsonObject => ({
    key: random.pick(['k', 'l']),
    value: 'v',
    effect: random.pick(['NoExecute', 'NoExecute', 'NoSchedule']),
  });
  const toleration = random.pick<JsonObject>([
    { key: 'k', operator: 'Exists', effect: 'NoExecute' },
    { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
    { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 1000 },
    { operator: 'Exists' },
    { key: 'k', operator: 'Equal', value: 'w' },
  ]);
  const pod = (index: number): AskedStep => ({
    do: `POST ${pods}`,
    body: {
      metadata: { name: `t${index}` },
      spec: { ...podSpec(random), nodeName: 'n-${r}', ...(random.chance(0.6) ? { tolerations: [toleration] } : {}) },
    },
    keep: [],
  });
  const taints = (): AskedStep => ({
    do: 'PATCH /api/v1/nodes/n-${r}',
    type: merge,
    body: { spec: { taints: random.upTo(2, taint) } },
    keep: [],
  });
  const seen = quiet(pods, events);
  return {
    steps: [
      { do: 'POST /api/v1/nodes', body: { metadata: { name: 'n-${r}' } }, keep: [] },
      ...random.upTo(2, pod),
      ...(random.chance(0.5) ? [lived(random)] : []),
      taints(),
      seen,
      ...random.pick([[], [taints(), seen], [{ pods: 'gone' as const }, seen]]),
    ],
  };
}

/** Without metrics: what an autoscaler says of its target. */
function autoscaled(random: Random): Sequence {
  const path = namespaced('autoscaling/v2', 'horizontalpodautoscalers');
  const target = random
    .pick([deployment, replicaSet, statefulSet])(random)
    .steps.find((step) => step.do?.startsWith('POST /apis') ?? false);
  const metric = random.pick<JsonObject>([
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
    { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
    { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } },
    { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: { type: 'AverageValue', averageValue: '1' } } },
  ]);
  const scaleTargetRef = random.pick<JsonObject>([
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set' },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
    { apiVersion: 'example.com/v1', kind: 'Absent', name: 'a' },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' },
  ]);
  const [minReplicas, maxReplicas] = random.pick([
    [1, 2],
    [2, 3],
    [3, 3],
  ] as const);
  const spec = { scaleTargetRef, minReplicas, maxReplicas, ...(random.chance(0.7) ? { metrics: [metric] } : {}) };
  return {
    steps: [
      ...(target === undefined ? [] : [target]),
      { do: `POST ${path}`, body: { metadata: { name: 'h' }, spec }, keep: [] },
      // An autoscaler is looked at every fifteen seconds.
      { wait: 18_000 },
      quiet(path, namespaced('apps/v1', 'deployments'), replicaSets, events),
    ],
  };
}

/** Claims of volumes and of resources that pods bring with them. */
function claimed(random: Random): Sequence {
  const resourceClaims = namespaced('resource.k8s.io/v1', 'resourceclaims');
  const device = { devices: { requests: [{ name: 'd', exactly: { deviceClassName: 'x' } }] } };
  const volumeClaim = { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } } };
  const volume = { name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, ...volumeClaim } } };
  const source = random.pick<JsonObject>([
    { resourceClaimTemplateName: 't' },
    { resourceClaimTemplateName: 'absent' },
    { resourceClaimName: 'own' },
  ]);
  const pod: AskedStep = {
    do: `POST ${pods}`,
    body: {
      metadata: { name: 'p' },
      spec: {
        ...podSpec(random),
        ...(random.chance(0.3) ? { nodeName: 'absent-${r}' } : {}),
        ...(random.chance(0.5) ? { volumes: [volume] } : {}),
        ...(random.chance(0.7) ? { resourceClaims: [{ name: 'r', ...source }] } : {}),
      },
    },
    keep: [],
  };
  const seen = quiet(pods, claims, resourceClaims, events);
  const before: readonly AskedStep[] = [
    { do: `POST ${claims}`, body: { metadata: { name: 'p-v' }, ...volumeClaim }, keep: [] },
    { do: `POST ${resourceClaims}`, body: { metadata: { name: 'own' }, spec: device }, keep: [] },
  ];
  const act = (): readonly AskedStep[] => [
    random.pick<AskedStep>([lived(random), lived(random), { do: `DELETE ${pods}/p`, keep: [] }]),
    seen,
  ];
  return {
    steps: [
      {
        do: `POST ${resourceClaims}`.replace('claims', 'claimtemplates'),
        body: { metadata: { name: 't' }, spec: { spec: device } },
        keep: [],
      },
      ...before.filter(() => random.chance(0.3)),
      pod,
      seen,
      ...random.upTo(2, act).flat(),
    ],
  };
}

/** What a namespace and its accounts are given, and given again. */
function accounts(random: Random): Sequence {
  const path = namespaced('v1', 'serviceaccounts');
  const token = (name: string): AskedStep => ({
    do: `POST ${secrets}`,
    body: {
      metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
    },
    keep: [],
  });
  const seen = quiet(path, secrets, configMaps, events);
  const act = (): readonly AskedStep[] => [
    random.pick<AskedStep>([
      { do: `DELETE ${path}/default`, keep: [] },
      { do: `DELETE ${path}/a`, keep: [] },
      { do: `POST ${path}`, body: { metadata: { name: 'a' } }, keep: [] },
      token(random.pick(['a', 'default', 'absent'])),
      { do: `DELETE ${configMaps}/kube-root-ca.crt`, keep: [] },
      { do: `PATCH ${configMaps}/kube-root-ca.crt`, type: merge, body: { data: { 'ca.crt': 'x', more: 'y' } }, keep: [] },
      { do: `PATCH ${secrets}/token`, type: merge, body: { data: { token: null } }, keep: [] },
      { do: `PATCH ${path}/a`, type: merge, body: { secrets: [{ name: 'token' }] }, keep: [] },
    ]),
    seen,
  ];
  return { steps: [{ do: `POST ${path}`, body: { metadata: { name: 'a' } }, keep: [] }, ...random.upTo(4, act).flat()] };
}

/** Roles that gather the rules of others. */
function aggregated(random: Random): Sequence {
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const rule = (): JsonObject => ({
    apiGroups: [''],
    resources: [random.pick(['pods', 'secrets'])],
    verbs: [random.pick(['get', 'list'])],
  });
  const part = (name: string): AskedStep => ({
    do: `POST ${path}`,
    body: { metadata: { name: `${name}-\${r}`, labels: { sum: random.pick(['${r}', '${r}', 'none']) } }, rules: random.upTo(2, rule) },
    keep: [],
  });
  const seen = quiet(`${path}?fieldSelector=metadata.name=s-\${r}`);
  const act = (): readonly AskedStep[] => [
    random.pick<AskedStep>([
      { do: `PATCH ${path}/a-\${r}`, type: merge, body: { metadata: { labels: { sum: random.pick(['${r}', null]) } } }, keep: [] },
      { do: `PATCH ${path}/s-\${r}`, type: merge, body: { rules: [rule()] }, keep: [] },
      { do: `DELETE ${path}/a-\${r}`, keep: [] },
      part('c'),
    ]),
    seen,
  ];
  return {
    steps: [
      part('b'),
      part('a'),
      {
        do: `POST ${path}`,
        body: { metadata: { name: 's-${r}' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { sum: '${r}' } }] }, rules: [] },
        keep: [],
      },
      seen,
      ...random.upTo(3, act).flat(),
    ],
  };
}

const scenarios = [
  ...[deployment, deployment, replicaSet, replicationController, statefulSet, statefulSet, daemonSet, job, job, cronJob],
  ...[endpoints, endpoints, mirrored, budget, owners, owners, volumes, ending, counted],
  ...[tainted, autoscaled, claimed, accounts, aggregated],
];
