import type { JsonObject } from '../../../../api/object.js';
import type { AskedStep, Sequence } from '../../area.js';
import { of } from '../../grammar.js';
import type { Random } from '../../random.js';
import { claims, events, lived, merge, namespaced, podSpec, pods, quiet } from './steps.js';

/** Scenarios of volumes, and of claims. */

export function volumes(random: Random): Sequence {
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
  // Claims are resynced every fifteen seconds.
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

/** Claims for volumes and for pods' resources. */
export function claimed(random: Random): Sequence {
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
