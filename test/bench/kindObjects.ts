import type { Kind } from '../../workers/codecs/contract.js';
import { podKind, pod } from './codecObjects.js';

/** The most written kinds, with objects as clients send them. */
export interface KindObject {
  readonly title: string;
  readonly kind: Kind;
  readonly plural: string;
  readonly value: object;
}

const core = (kind: string): Kind => ({ group: '', version: 'v1', kind });
const meta = (name: string): object => ({ name, namespace: 'default', labels: { 'app.kubernetes.io/name': 'shop', tier: 'backend' } });
const of = (kind: Kind, plural: string, members: object, title = kind.kind): KindObject => ({
  title,
  kind,
  plural,
  value: {
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: meta(kind.kind.toLowerCase()),
    ...members,
  },
});

/** A Pod as clients send it, without server-set parts. */
function sentPod(containers: number): object {
  const { spec } = pod(containers) as { readonly spec: object };
  return { spec };
}

const template = { metadata: { labels: { app: 'shop' } }, ...sentPod(1) };

export const kindObjects: readonly KindObject[] = [
  of(core('ConfigMap'), 'configmaps', { data: { 'config.yaml': 'key: value\n'.repeat(50), mode: 'on' } }),
  of(core('Secret'), 'secrets', { type: 'Opaque', data: { password: Buffer.alloc(300, 'x').toString('base64'), user: 'YWRtaW4=' } }),
  of(podKind, 'pods', sentPod(2), 'Pod of 3 KiB'),
  of(podKind, 'pods', sentPod(36), 'Pod of 30 KiB'),
  of({ group: 'apps', version: 'v1', kind: 'Deployment' }, 'deployments', {
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'shop' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      template,
    },
  }),
  of(core('Service'), 'services', {
    spec: {
      type: 'ClusterIP',
      selector: { app: 'shop' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
        { name: 'metrics', port: 9090, targetPort: 9090 },
      ],
    },
  }),
  of({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' }, 'leases', {
    spec: {
      holderIdentity: 'manager-1_4c9f3d4e',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:10.123456Z',
      leaseTransitions: 2,
    },
  }),
  of(core('Event'), 'events', {
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'shop-1', uid: '4c9f3d4e-6d0b-4b8e-9a51-0a7f3c1a2b3c', apiVersion: 'v1' },
    reason: 'Scheduled',
    message: 'Successfully assigned default/shop-1 to node-7',
    source: { component: 'default-scheduler' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 1,
    type: 'Normal',
  }),
];
