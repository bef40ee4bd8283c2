import type { JsonObject, JsonValue } from '../../../../api/object.js';
import type { AskedStep, Sequence } from '../../area.js';
import { all, of, some, type Make } from '../../grammar.js';
import type { Random } from '../../random.js';
import { amount, app, claims, events, lived, merge, namespaced, podSpec, pods, quiet, replicaSets, revisions, template } from './steps.js';

/** A workload, changes to it and its pods, and its deletion, each followed by quiescence. */
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

/** Foreign changes to a workload and its objects. */
const accidents = (path: string, at: string): readonly AskedStep[] => [
  { do: `DELETE ${pods}`, keep: [] },
  { do: `DELETE ${replicaSets}`, keep: [] },
  { do: `DELETE ${replicaSets}?propagationPolicy=Orphan`, keep: [] },
  // Ours restores those of StatefulSets at once, the reference at the next event.
  ...(path.endsWith('daemonsets') ? [{ do: `DELETE ${revisions}`, keep: [] }] : []),
  { do: `PATCH ${at}`, type: merge, body: { metadata: { finalizers: ['example.com/a'] } }, keep: [] },
  { do: `PATCH ${at}`, type: merge, body: { spec: { template: { spec: { serviceAccountName: 'absent' } } } }, keep: [] },
  { do: `PATCH ${at}`, type: merge, body: { metadata: { labels: { x: 'y' } } }, keep: [] },
];

/** Pods that a quota or a policy of the namespace refuses. */
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

export function deployment(random: Random): Sequence {
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

export function replicaSet(random: Random): Sequence {
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

export function replicationController(random: Random): Sequence {
  const object = { metadata: { name: 'rc' }, spec: all({ replicas: of(0, 1, 2), selector: of(app), template: template(app) })(random) };
  return workload(random, {
    path: namespaced('v1', 'replicationcontrollers'),
    object,
    changes: [replicas, image, annotated],
    seen: [pods],
  });
}

export function statefulSet(random: Random): Sequence {
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

/** Own nodes: those of other cases lack the label. */
export function daemonSet(random: Random): Sequence {
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

export function job(random: Random): Sequence {
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

export function cronJob(random: Random): Sequence {
  const spec = some(
    { suspend: of(true, false), startingDeadlineSeconds: of(5, 100), timeZone: of('Etc/UTC', 'Europe/Berlin') },
    { schedule: of('0 0 29 2 *', '@yearly'), jobTemplate: all({ spec: jobSpec }) },
  );
  const changes = [(choices: Random): JsonValue => ({ spec: { suspend: choices.chance(0.5) } }), annotated];
  const object = { metadata: { name: 'nightly' }, spec: spec(random) };
  return workload(random, { path: namespaced('batch/v1', 'cronjobs'), object, changes, seen: [namespaced('batch/v1', 'jobs'), pods] });
}
