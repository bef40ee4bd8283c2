import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import type { Random } from '../random.js';

/** Admission plugins, one at a time, with their objects. */
export const admission: Area = {
  name: 'admission',
  about:
    'LimitRanger, NamespaceLifecycle, ServiceAccount, Priority, PodSecurity, tolerations, runtime and storage classes, ingress classes, taints',
  generate: (random) => random.pick([limited, secured, secured, accounted, prioritized, living, classed, tolerated])(random),
};

const pods = '/api/v1/namespaces/${ns}/pods';
const namespace = '/api/v1/namespaces/${ns}';
const merge = 'application/merge-patch+json';
const labelled = (labels: JsonObject): Step => ({
  do: `PATCH ${namespace}`,
  type: merge,
  body: { metadata: { labels } },
  keep: ['/message', '/metadata/labels'],
});
const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const tried = (body: JsonObject): Step => ({ do: `POST ${pods}?dryRun=All`, body });

const quantity = (random: Random): string => random.pick(['1', '2', '100m', '500m', '1Gi', '64Mi', '0', '1500m']);
const amounts = (random: Random): JsonObject =>
  Object.fromEntries(
    ['cpu', 'memory', 'ephemeral-storage', 'example.com/x'].flatMap((name) =>
      random.chance(name === 'cpu' ? 0.7 : 0.35) ? [[name, quantity(random)]] : [],
    ),
  );
const resources = (random: Random): JsonObject => ({
  ...(random.chance(0.6) ? { requests: amounts(random) } : {}),
  ...(random.chance(0.6) ? { limits: amounts(random) } : {}),
});

function limited(random: Random): Sequence {
  const item = (): JsonObject => {
    const type = random.pick(['Container', 'Container', 'Pod', 'PersistentVolumeClaim', 'example.com/other']);
    const part = (probability: number, name: string): JsonObject =>
      random.chance(probability) ? { [name]: type === 'PersistentVolumeClaim' ? { storage: quantity(random) } : amounts(random) } : {};
    return {
      type,
      ...part(0.5, 'min'),
      ...part(0.5, 'max'),
      ...part(0.3, 'default'),
      ...part(0.3, 'defaultRequest'),
      ...(random.chance(0.3) ? { maxLimitRequestRatio: { cpu: random.pick(['2', '1', '0', '1500m']) } } : {}),
    };
  };
  const container = (name: string): JsonObject => ({
    name,
    image: 'i',
    ...(random.chance(0.8) ? { resources: resources(random) } : {}),
    ...(random.chance(0.1) ? { restartPolicy: 'Always' } : {}),
  });
  const asked = (): Step =>
    random.pick<Step>([
      tried(
        pod({
          containers: random.upTo(2, (index) => {
            const { restartPolicy: _, ...rest } = container(`c${index}`);
            return rest;
          }),
          ...(random.chance(0.3) ? { initContainers: [container('i')] } : {}),
          ...(random.chance(0.2) ? { resources: resources(random) } : {}),
        }),
      ),
      {
        do: 'POST /api/v1/namespaces/${ns}/persistentvolumeclaims?dryRun=All',
        body: { metadata: { name: 'v' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: quantity(random) } } } },
      },
      {
        do: 'POST /apis/apps/v1/namespaces/${ns}/deployments?dryRun=All',
        body: {
          metadata: { name: 'd' },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', resources: resources(random) }] } },
          },
        },
      },
    ]);
  return {
    steps: [
      ...random.upTo(2, (index): Step => ({
        do: 'POST /api/v1/namespaces/${ns}/limitranges',
        body: { metadata: { name: `l${index}` }, spec: { limits: random.upTo(2, item) } },
      })),
      ...random.upTo(4, asked),
    ],
  };
}

const security = (random: Random): JsonObject => {
  const some = (members: Readonly<Record<string, unknown>>, probability: number): JsonObject =>
    Object.fromEntries(Object.entries(members).filter(() => random.chance(probability))) as JsonObject;
  return some(
    {
      privileged: random.chance(0.5),
      allowPrivilegeEscalation: random.chance(0.3),
      runAsNonRoot: random.chance(0.7),
      runAsUser: random.pick([0, 1000]),
      capabilities: random.pick([
        { drop: ['ALL'] },
        { add: ['NET_ADMIN'] },
        { add: ['NET_BIND_SERVICE', 'CHOWN'], drop: ['ALL'] },
        { drop: ['KILL'] },
        {},
      ]),
      seccompProfile: random.pick([{ type: 'RuntimeDefault' }, { type: 'Unconfined' }, { type: 'Localhost', localhostProfile: 'x' }]),
      appArmorProfile: random.pick([{ type: 'RuntimeDefault' }, { type: 'Unconfined' }]),
      seLinuxOptions: random.pick([{ type: 'container_t' }, { type: 'x' }, { user: 'u' }, { role: 'r' }]),
      procMount: random.pick(['Default', 'Unmasked']),
      windowsOptions: random.pick([{ hostProcess: true }, { runAsUserName: 'u' }]),
    },
    0.35,
  );
};

function secured(random: Random): Sequence {
  const level = (): string => random.pick(['privileged', 'baseline', 'restricted', 'restricted', 'x', '']);
  const version = (): string => random.pick(['latest', 'v1.0', 'v1.22', 'v1.25', 'v1.36', 'v1.99', 'x', '']);
  const labels: Record<string, string> = {};
  for (const mode of ['enforce', 'warn', 'audit']) {
    if (random.chance(0.75)) labels[`pod-security.kubernetes.io/${mode}`] = level();
    if (random.chance(0.25)) labels[`pod-security.kubernetes.io/${mode}-version`] = version();
  }
  const container = (name: string): JsonObject => ({
    name,
    image: 'i',
    securityContext: security(random),
    ...(random.chance(0.15) ? { ports: [{ containerPort: 80, hostPort: random.pick([0, 80]) }] } : {}),
    ...(random.chance(0.1) ? { livenessProbe: { httpGet: { port: 80, host: random.pick(['127.0.0.1', '8.8.8.8', '']) } } } : {}),
    ...(random.chance(0.1) ? { lifecycle: { postStart: { tcpSocket: { port: 80, host: 'x' } } } } : {}),
  });
  const spec = (): JsonObject => {
    const { privileged: _, allowPrivilegeEscalation: __, capabilities: ___, procMount: ____, ...context } = security(random);
    return {
      containers: random.upTo(2, (index) => container(`c${index}`)),
      ...(random.chance(0.2) ? { initContainers: [container('i')] } : {}),
      ...(random.chance(0.7)
        ? {
            securityContext: {
              ...context,
              ...(random.chance(0.2)
                ? { sysctls: [{ name: random.pick(['kernel.shm_rmid_forced', 'net.core.x', 'net.ipv4.tcp_rmem']), value: '1' }] }
                : {}),
            },
          }
        : {}),
      ...(random.chance(0.15) ? { hostNetwork: true } : {}),
      ...(random.chance(0.15) ? { hostPID: true } : {}),
      ...(random.chance(0.1) ? { hostIPC: true } : {}),
      ...(random.chance(0.1) ? { hostUsers: random.chance(0.5) } : {}),
      ...(random.chance(0.25) ? { os: { name: random.pick(['linux', 'windows']) } } : {}),
      ...(random.chance(0.3)
        ? {
            volumes: random.upTo(2, (index) => ({
              name: `v${index}`,
              ...random.pick<JsonObject>([
                { hostPath: { path: '/x' } },
                { emptyDir: {} },
                { nfs: { server: 's', path: '/' } },
                { csi: { driver: 'd' } },
                { secret: { secretName: 's' } },
                { image: { reference: 'i' } },
              ]),
            })),
          }
        : {}),
    };
  };
  const asked = (): Step =>
    random.pick<Step>([
      tried(
        pod(
          spec(),
          random.chance(0.2)
            ? {
                annotations: {
                  'container.apparmor.security.beta.kubernetes.io/c0': random.pick(['unconfined', 'runtime/default', 'localhost/x', '']),
                },
              }
            : {},
        ),
      ),
      tried(pod(spec())),
      {
        do: 'POST /apis/apps/v1/namespaces/${ns}/deployments?dryRun=All',
        body: {
          metadata: { name: 'd' },
          spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: spec() } },
        },
      },
      {
        do: 'POST /apis/batch/v1/namespaces/${ns}/cronjobs?dryRun=All',
        body: {
          metadata: { name: 'd' },
          spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', ...spec() } } } } },
        },
      },
    ]);
  const before: Step[] = random.chance(0.3) ? [{ do: `POST ${pods}`, body: pod(spec()) }] : [];
  return { steps: [...before, labelled(labels), ...random.upTo(5, asked)] };
}

function accounted(random: Random): Sequence {
  const account: JsonObject = {
    metadata: {
      name: 'a',
      ...(random.chance(0.3) ? { annotations: { 'kubernetes.io/enforce-mountable-secrets': random.pick(['true', 'false', 'x']) } } : {}),
    },
    ...(random.chance(0.4) ? { secrets: [{ name: 's' }] } : {}),
    ...(random.chance(0.4) ? { imagePullSecrets: [{ name: 'pull' }] } : {}),
    ...(random.chance(0.4) ? { automountServiceAccountToken: random.chance(0.5) } : {}),
  };
  const asked = (): Step =>
    tried(
      pod(
        {
          ...(random.chance(0.7) ? { serviceAccountName: random.pick(['a', 'a', 'absent', 'default', '']) } : {}),
          ...(random.chance(0.2) ? { serviceAccount: random.pick(['a', 'default']) } : {}),
          ...(random.chance(0.3) ? { automountServiceAccountToken: random.chance(0.5) } : {}),
          ...(random.chance(0.3) ? { imagePullSecrets: [{ name: random.pick(['pull', 'mine']) }] } : {}),
          ...(random.chance(0.3)
            ? {
                volumes: [
                  {
                    name: 'v',
                    ...random.pick<JsonObject>([
                      { secret: { secretName: 's' } },
                      { secret: { secretName: 'other' } },
                      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
                    ]),
                  },
                ],
              }
            : {}),
          containers: [
            {
              name: 'c',
              image: 'i',
              ...(random.chance(0.3)
                ? { volumeMounts: [{ name: 'v', mountPath: random.pick(['/x', '/var/run/secrets/kubernetes.io/serviceaccount']) }] }
                : {}),
              ...(random.chance(0.3)
                ? { env: [{ name: 'E', valueFrom: { secretKeyRef: { name: random.pick(['s', 'other']), key: 'k' } } }] }
                : {}),
              ...(random.chance(0.2) ? { envFrom: [{ secretRef: { name: random.pick(['s', 'other']) } }] } : {}),
            },
          ],
        },
        random.chance(0.2) ? { annotations: { 'kubernetes.io/config.mirror': 'x' } } : {},
      ),
    );
  return { steps: [{ do: `POST ${namespace}/serviceaccounts`, body: account }, ...random.upTo(5, asked)] };
}

function prioritized(random: Random): Sequence {
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const made: Step = {
    do: `POST ${classes}`,
    body: {
      metadata: { name: random.pick(['c-${r}', 'c-${r}', 'system-${r}']) },
      value: random.pick([0, 10, -5, 1_000_000_000, 1_000_000_001, 2_147_483_647]),
      ...(random.chance(0.4) ? { preemptionPolicy: random.pick(['Never', 'PreemptLowerPriority', 'x']) } : {}),
      description: 'x',
    },
  };
  const asked = (): Step =>
    random.pick<Step>([
      tried(
        pod({
          ...(random.chance(0.8)
            ? { priorityClassName: random.pick(['c-${r}', 'absent', 'system-node-critical', 'system-cluster-critical', '']) }
            : {}),
          ...(random.chance(0.4) ? { priority: random.pick([0, 10, 2_000_000_000, 2_000_001_000, -1]) } : {}),
          ...(random.chance(0.3) ? { preemptionPolicy: random.pick(['Never', 'PreemptLowerPriority', 'x']) } : {}),
        }),
      ),
      {
        do: `PATCH ${classes}/c-\${r}`,
        type: merge,
        body: random.pick<JsonObject>([{ value: 11 }, { description: 'y' }, { preemptionPolicy: 'Never' }, { globalDefault: null }]),
      },
      { do: `DELETE ${classes}/${random.pick(['c-${r}?dryRun=All', 'system-node-critical?dryRun=All'])}` },
      {
        do: `PATCH ${classes}/system-node-critical?dryRun=All`,
        type: merge,
        body: random.pick<JsonObject>([{ value: 1 }, { description: 'z' }]),
        ignore: ['/metadata/managedFields', '/metadata/creationTimestamp'],
      },
    ]);
  return { steps: [made, ...random.upTo(4, asked)] };
}

/** Namespaces that are absent, terminating or undeletable. */
function living(random: Random): Sequence {
  const cm = (name: string): Step => ({ do: `POST /api/v1/namespaces/${name}/configmaps`, body: { metadata: { name: 'a' } } });
  const asked = (): Step =>
    random.pick<Step>([
      cm('${ns}'),
      cm('absent-${r}'),
      { do: 'PUT /api/v1/namespaces/${ns}/configmaps/b', body: { metadata: { name: 'b' } } },
      {
        do: 'PATCH /api/v1/namespaces/${ns}/configmaps/c?fieldManager=m',
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
      },
      { do: `POST ${namespace}/events`, body: { metadata: { name: 'e' }, involvedObject: { namespace: '${ns}' } } },
      {
        do: `DELETE /api/v1/namespaces/${random.pick(['default', 'kube-system', 'kube-public', 'kube-node-lease'])}?dryRun=All`,
        keep: ['/message', '/reason', '/kind'],
      },
      { do: `DELETE ${namespace}?dryRun=All`, keep: ['/message', '/status/phase'] },
      { do: `DELETE ${namespace}`, keep: ['/message', '/status/phase', '/spec'] },
      { do: `POST ${namespace}/pods/absent/eviction`, body: { metadata: { name: 'absent' } } },
      {
        do: `POST /apis/authorization.k8s.io/v1/namespaces/\${ns}/localsubjectaccessreviews`,
        body: { spec: { user: 'a', resourceAttributes: { namespace: '${ns}', verb: 'get', resource: 'pods' } } },
      },
      {
        do: 'POST /api/v1/namespaces?dryRun=All',
        body: { metadata: { name: 'x-${r}', labels: random.pick<JsonObject>([{}, { 'kubernetes.io/metadata.name': 'y' }]) } },
      },
      {
        do: `PUT ${namespace}/finalize`,
        body: { metadata: { name: '${ns}' }, spec: { finalizers: random.pick([['kubernetes'], ['x'], ['example.com/y', 'kubernetes']]) } },
        keep: ['/message', '/spec'],
      },
    ]);
  return { steps: random.upTo(6, asked) };
}

function classed(random: Random): Sequence {
  const overhead = random.chance(0.5) ? { overhead: { podFixed: { cpu: '10m', memory: '1Mi' } } } : {};
  const scheduling = random.chance(0.5)
    ? { scheduling: { nodeSelector: { a: 'b' }, ...(random.chance(0.5) ? { tolerations: [{ key: 'k', operator: 'Exists' }] } : {}) } }
    : {};
  const asked = (): Step =>
    random.pick<Step>([
      tried(
        pod({
          runtimeClassName: random.pick(['rc-${r}', 'absent']),
          ...(random.chance(0.4) ? { overhead: { cpu: random.pick(['10m', '20m']) } } : {}),
          ...(random.chance(0.4) ? { nodeSelector: { a: random.pick(['b', 'c']), d: 'e' } } : {}),
          ...(random.chance(0.3) ? { tolerations: [{ key: 'k', operator: 'Exists' }] } : {}),
        }),
      ),
      tried(pod({ overhead: { cpu: '1' } })),
      {
        do: `POST ${namespace}/persistentvolumeclaims?dryRun=All`,
        body: {
          metadata: { name: 'v' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            ...(random.chance(0.5) ? { storageClassName: random.pick(['sc-${r}', 'absent', '']) } : {}),
            resources: { requests: { storage: '1Gi' } },
          },
        },
      },
      {
        do: `PATCH ${namespace}/persistentvolumeclaims/v1`,
        type: merge,
        body: { spec: { resources: { requests: { storage: random.pick(['2Gi', '500Mi']) } } } },
      },
      {
        do: `POST /apis/networking.k8s.io/v1/namespaces/\${ns}/ingresses?dryRun=All`,
        body: {
          metadata: { name: 'i', ...(random.chance(0.3) ? { annotations: { 'kubernetes.io/ingress.class': 'x' } } : {}) },
          spec: {
            ...(random.chance(0.5) ? { ingressClassName: random.pick(['absent', 'ic-${r}']) } : {}),
            defaultBackend: { service: { name: 's', port: { number: 80 } } },
          },
        },
      },
      {
        do: `POST ${namespace}/services?dryRun=All`,
        body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }], externalIPs: random.pick([[], ['1.2.3.4']]) } },
      },
      {
        do: 'POST /api/v1/nodes?dryRun=All',
        body: { metadata: { name: 'n-${r}' }, ...(random.chance(0.4) ? { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } } : {}) },
      },
    ]);
  return {
    steps: [
      { do: 'POST /apis/node.k8s.io/v1/runtimeclasses', body: { metadata: { name: 'rc-${r}' }, handler: 'h', ...overhead, ...scheduling } },
      {
        do: 'POST /apis/storage.k8s.io/v1/storageclasses',
        body: {
          metadata: { name: 'sc-${r}' },
          provisioner: 'p',
          ...(random.chance(0.5) ? { allowVolumeExpansion: random.chance(0.7) } : {}),
        },
      },
      {
        do: `POST ${namespace}/persistentvolumeclaims`,
        body: {
          metadata: { name: 'v1' },
          spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'sc-${r}', resources: { requests: { storage: '1Gi' } } },
        },
      },
      ...random.upTo(5, asked),
    ],
  };
}

function tolerated(random: Random): Sequence {
  const toleration = (): JsonObject => ({
    key: random.pick(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'k', 'node.kubernetes.io/memory-pressure']),
    operator: random.pick(['Exists', 'Equal']),
    effect: random.pick(['NoExecute', 'NoSchedule']),
    ...(random.chance(0.3) ? { tolerationSeconds: random.pick([5, 300]) } : {}),
  });
  const asked = (): Step =>
    random.pick<Step>([
      tried(
        pod({
          ...(random.chance(0.8) ? { tolerations: random.upTo(3, toleration) } : {}),
          containers: [
            {
              name: 'c',
              image: random.pick(['i', 'i:latest', 'i:v1', 'i@sha256:' + 'a'.repeat(64), ':', '']),
              ...(random.chance(0.3) ? { imagePullPolicy: random.pick(['Always', 'Never', 'x']) } : {}),
              ...(random.chance(0.4) ? { resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } } } : {}),
            },
          ],
        }),
      ),
      tried(
        pod(
          {
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'zone',
                whenUnsatisfiable: 'DoNotSchedule',
                ...(random.chance(0.5) ? { labelSelector: { matchLabels: { a: 'b' } }, matchLabelKeys: random.pick([['x'], ['a']]) } : {}),
              },
            ],
          },
          { labels: { x: 'y' } },
        ),
      ),
      tried(
        pod(
          {
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  {
                    topologyKey: random.pick(['zone', '']),
                    labelSelector: { matchLabels: { a: 'b' } },
                    ...(random.chance(0.5) ? { matchLabelKeys: ['x'] } : {}),
                  },
                ],
              },
            },
          },
          { labels: { x: 'y' } },
        ),
      ),
    ]);
  return {
    steps: [
      ...(random.chance(0.3)
        ? [
            {
              do: `PATCH ${namespace}`,
              type: merge,
              body: {
                metadata: {
                  annotations: {
                    'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"z"}]',
                    'scheduler.alpha.kubernetes.io/node-selector': 'a=b',
                  },
                },
              },
              keep: ['/message'],
            },
          ]
        : []),
      ...random.upTo(5, asked),
    ],
  };
}
