import type { JsonObject, JsonValue } from '../../../../api/object.js';
import type { AskedStep, Sequence } from '../../area.js';
import { of, some } from '../../grammar.js';
import type { Random } from '../../random.js';
import { app, barePod, events, lived, merge, namespaced, podSpec, pods, quiet, replicaSets, secrets } from './steps.js';
import { deployment, job, replicaSet, replicationController, statefulSet } from './workloads.js';

/** Scenarios of budgets, quotas, taints and autoscalers. */

export function budget(random: Random): Sequence {
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

export function counted(random: Random): Sequence {
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

/** Pods on their own node with changing taints. */
export function tainted(random: Random): Sequence {
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

/** The status of an autoscaler without metrics. */
export function autoscaled(random: Random): Sequence {
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
      // Autoscalers are synced every fifteen seconds.
      { wait: 18_000 },
      quiet(path, namespaced('apps/v1', 'deployments'), replicaSets, events),
    ],
  };
}
