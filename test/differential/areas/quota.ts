import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import type { Random } from '../random.js';

/** Quotas with a given status, and the objects they count. */
export const quota: Area = {
  name: 'quota',
  about: 'quotas by resource, count, scope and scope selector, with the status that a controller would set, and what uses them up',
  generate,
};

const namespace = '/api/v1/namespaces/${ns}';
const merge = 'application/merge-patch+json';

const limits = [
  'pods',
  'requests.cpu',
  'limits.cpu',
  'cpu',
  'memory',
  'requests.memory',
  'limits.memory',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'configmaps',
  'secrets',
  'persistentvolumeclaims',
  'requests.storage',
  'sc.storageclass.storage.k8s.io/requests.storage',
  'sc.storageclass.storage.k8s.io/persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'count/configmaps',
  'count/deployments.apps',
  'count/jobs.batch',
  'count/pods',
  'requests.example.com/gpu',
  'ephemeral-storage',
  'requests.ephemeral-storage',
  'hugepages-2Mi',
  'requests.hugepages-2Mi',
] as const;

const scopes = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'] as const;
const amount = (random: Random): string => random.pick(['0', '1', '2', '3', '500m', '1Gi']);
const hardOf = (random: Random): JsonObject => Object.fromEntries(random.upTo(4, () => [random.pick(limits), amount(random)]));

const selector = (random: Random): JsonObject => ({
  matchExpressions: random.upTo(2, () => ({
    scopeName: random.pick(scopes),
    operator: random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']),
    ...(random.chance(0.5) ? { values: [random.pick(['system-node-critical', 'x'])] } : {}),
  })),
});

function generate(random: Random): Sequence {
  const steps: Step[] = [];
  for (let index = 0; index <= random.below(2); index++) {
    const hard = hardOf(random);
    const scoped = random.chance(0.35);
    steps.push({
      do: `POST ${namespace}/resourcequotas`,
      body: {
        metadata: { name: `q${index}` },
        spec: {
          hard: scoped && random.chance(0.7) ? { pods: amount(random) } : hard,
          ...(scoped
            ? random.pick<JsonObject>([
                { scopes: [random.pick(scopes)] },
                { scopes: random.upTo(2, () => random.pick(scopes)) },
                { scopeSelector: selector(random) },
              ])
            : {}),
        },
      },
      save: { hard: '/spec/hard' },
    });
    // The controller's first status, without which creates are refused.
    if (random.chance(0.85)) {
      const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
      steps.push({
        do: `PATCH ${namespace}/resourcequotas/q${index}/status`,
        type: merge,
        body: { status: { hard: scoped ? { pods: amount(random) } : hard, used: scoped ? { pods: '0' } : used } },
      });
    }
  }
  steps.push(...random.upTo(5, () => used(random)));
  steps.push({ do: `GET ${namespace}/resourcequotas`, ignore: ['/metadata/resourceVersion', '/items/*/metadata/managedFields'] });
  return { steps };
}

function used(random: Random): Step {
  const name = `o${random.below(100)}`;
  const dry = random.chance(0.15) ? '?dryRun=All' : '';
  const resources = (): JsonObject => ({
    ...(random.chance(0.7) ? { requests: { cpu: amount(random), ...(random.chance(0.4) ? { memory: '1Gi' } : {}) } } : {}),
    ...(random.chance(0.6)
      ? {
          limits: { cpu: '3', ...(random.chance(0.5) ? { memory: '1Gi' } : {}), ...(random.chance(0.2) ? { 'example.com/gpu': '1' } : {}) },
        }
      : {}),
  });
  const spec = (): JsonObject => ({
    containers: [{ name: 'c', image: 'i', ...(random.chance(0.7) ? { resources: resources() } : {}) }],
    ...(random.chance(0.2) ? { initContainers: [{ name: 'i', image: 'i', resources: resources() }] } : {}),
    ...(random.chance(0.25) ? { activeDeadlineSeconds: 5 } : {}),
    ...(random.chance(0.2) ? { priorityClassName: 'system-node-critical' } : {}),
    ...(random.chance(0.15)
      ? { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', namespaces: ['x'] }] } } }
      : {}),
  });
  return random.pick<Step>([
    { do: `POST ${namespace}/pods${dry}`, body: { metadata: { name }, spec: spec() } },
    { do: `POST ${namespace}/pods${dry}`, body: { metadata: { name }, spec: spec() } },
    { do: `POST ${namespace}/pods${dry}`, body: { metadata: { name }, spec: spec() } },
    { do: `POST ${namespace}/configmaps${dry}`, body: { metadata: { name } } },
    { do: `POST ${namespace}/secrets${dry}`, body: { metadata: { name } } },
    {
      do: `POST ${namespace}/services${dry}`,
      body: {
        metadata: { name },
        spec: {
          type: random.pick(['ClusterIP', 'NodePort', 'LoadBalancer']),
          ports: random.pick([
            [{ port: 80 }],
            [
              { port: 80, name: 'a' },
              { port: 81, name: 'b' },
            ],
          ]),
        },
      },
    },
    {
      do: `POST ${namespace}/persistentvolumeclaims${dry}`,
      body: {
        metadata: { name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          ...(random.chance(0.6) ? { storageClassName: 'sc' } : {}),
          resources: { requests: { storage: amount(random) } },
        },
      },
    },
    {
      do: `POST /apis/apps/v1/namespaces/\${ns}/deployments${dry}`,
      body: {
        metadata: { name },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    },
    {
      do: `POST /apis/batch/v1/namespaces/\${ns}/jobs${dry}`,
      body: {
        metadata: { name },
        spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
    },
    {
      do: `POST ${namespace}/replicationcontrollers${dry}`,
      body: {
        metadata: { name },
        spec: {
          replicas: 0,
          selector: { a: 'b' },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    },
    { do: `POST ${namespace}/resourcequotas${dry}`, body: { metadata: { name }, spec: { hard: { pods: '1' } } } },
    {
      do: `PATCH ${namespace}/resourcequotas/q0`,
      type: merge,
      body: random.pick<JsonObject>([
        { spec: { hard: { pods: '1' } } },
        { spec: { scopes: ['BestEffort'] } },
        { spec: { hard: { x: '1' } } },
      ]),
    },
    {
      do: `PATCH ${namespace}/resourcequotas/q0/status`,
      type: merge,
      body: { status: { used: { pods: random.pick(['0', '5']), configmaps: '1' } } },
    },
    { do: `DELETE ${namespace}/pods/${name}?gracePeriodSeconds=0` },
  ]);
}
