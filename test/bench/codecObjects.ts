import type { Kind } from '../../workers/codecs/contract.js';

/** Objects to measure codecs with: a Pod is dense, a ConfigMap is mostly text. */
export const podKind: Kind = { group: '', version: 'v1', kind: 'Pod' };
export const configMapKind: Kind = { group: '', version: 'v1', kind: 'ConfigMap' };

const container = (index: number): object => ({
  name: `container-${index}`,
  image: 'registry.example.com/team/application:v1.2.3',
  imagePullPolicy: 'IfNotPresent',
  command: ['/bin/application', '--listen', ':8080'],
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'LEVEL', value: 'info' },
  ],
  ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP' }],
  resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
  livenessProbe: {
    httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
    periodSeconds: 10,
    timeoutSeconds: 1,
    successThreshold: 1,
    failureThreshold: 3,
  },
  volumeMounts: [
    { name: 'data', mountPath: '/var/data' },
    { name: 'config', mountPath: '/etc/application', readOnly: true },
  ],
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
});

const metadata = {
  name: 'application-7d4b9c5f6d-x2x8z',
  generateName: 'application-7d4b9c5f6d-',
  namespace: 'production',
  uid: '4c9f3d4e-6d0b-4b8e-9a51-0a7f3c1a2b3c',
  resourceVersion: '123456',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'application', 'pod-template-hash': '7d4b9c5f6d' },
  annotations: { 'example.com/checksum': 'a'.repeat(64) },
  ownerReferences: [
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'application-7d4b9c5f6d',
      uid: '1d2c3b4a-0000-4000-8000-000000000000',
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
  managedFields: [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} }, 'f:ownerReferences': { '.': {} } },
        'f:spec': { 'f:containers': { 'k:{"name":"container-0"}': { '.': {}, 'f:image': {}, 'f:name': {} } }, 'f:dnsPolicy': {} },
      },
    },
  ],
};

const condition = (type: string): object => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' });

/** Some 3 KiB of JSON with one container, and 850 bytes for each further one. */
export const pod = (containers: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: {
    containers: Array.from({ length: containers }, (_item, index) => container(index)),
    volumes: [
      { name: 'data', emptyDir: {} },
      { name: 'config', configMap: { name: 'application', defaultMode: 420 } },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    nodeName: 'node-1',
    schedulerName: 'default-scheduler',
    securityContext: {},
    enableServiceLinks: true,
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
  },
  status: {
    phase: 'Running',
    hostIP: '10.0.0.1',
    podIP: '10.1.0.5',
    qosClass: 'Burstable',
    startTime: '2026-01-01T00:00:00Z',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
  },
});

/** Texts of a kibibyte each. */
export const configMap = (bytes: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  data: Object.fromEntries(
    Array.from({ length: Math.floor(bytes / 1056) }, (_item, index) => [`entry-${index}.txt`, 'text of the entry\n'.repeat(56)]),
  ),
});
