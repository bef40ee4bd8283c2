/** Valid objects by `group/Kind` as starting points. */

const labels = { app: 'f' };
const container = {
  name: 'c',
  image: 'i',
  ports: [{ containerPort: 80, name: 'http' }],
  env: [{ name: 'A', value: 'b' }],
  resources: { limits: { cpu: '1', memory: '1Gi' } },
};
const podSpec = { containers: [container], automountServiceAccountToken: false, volumes: [{ name: 'v', emptyDir: {} }] };
const template = { metadata: { labels }, spec: podSpec };
const workload = { selector: { matchLabels: labels }, template };
const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
const rbac = 'rbac.authorization.k8s.io';

const contents: Readonly<Record<string, object>> = {
  '/ConfigMap': { data: { a: 'b' }, binaryData: { c: 'ZA==' } },
  '/Secret': { type: 'Opaque', data: { a: 'Yg==' }, stringData: { c: 'd' } },
  '/Pod': { spec: podSpec },
  '/Service': { spec: { selector: labels, ports: [{ port: 80, targetPort: 'http', name: 'http' }] } },
  '/ServiceAccount': { secrets: [{ name: 's' }] },
  '/Namespace': { spec: {} },
  '/Node': {
    spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], capacity: { cpu: '4' } },
  },
  '/Endpoints': { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
  '/Event': { involvedObject: { kind: 'Pod', namespace: 'fuzz', name: 'f0' }, reason: 'r', message: 'm', type: 'Normal' },
  'events.k8s.io/Event': {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: 'fuzz', name: 'f0' },
  },
  '/LimitRange': { spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] } },
  '/ResourceQuota': { spec: { hard: { pods: '1000' } } },
  '/PersistentVolumeClaim': { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  '/PersistentVolume': { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' } } },
  '/PodTemplate': { template },
  '/ReplicationController': { spec: { selector: labels, template } },
  'apps/Deployment': { spec: workload },
  'apps/ReplicaSet': { spec: workload },
  'apps/StatefulSet': { spec: { ...workload, serviceName: 's' } },
  'apps/DaemonSet': { spec: workload },
  'apps/ControllerRevision': { revision: 1, data: { a: 1 } },
  'batch/Job': jobTemplate,
  'batch/CronJob': { spec: { schedule: '*/5 * * * *', jobTemplate } },
  'autoscaling/HorizontalPodAutoscaler': {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'f0' }, maxReplicas: 3 },
  },
  'policy/PodDisruptionBudget': { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  'networking.k8s.io/NetworkPolicy': { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] } },
  'networking.k8s.io/Ingress': {
    spec: {
      rules: [
        {
          host: 'a.example.com',
          http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }] },
        },
      ],
    },
  },
  'networking.k8s.io/IngressClass': { spec: { controller: 'example.com/c' } },
  'discovery.k8s.io/EndpointSlice': { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
  'coordination.k8s.io/Lease': { spec: { holderIdentity: 'h', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } },
  'scheduling.k8s.io/PriorityClass': { value: 10 },
  'storage.k8s.io/StorageClass': { provisioner: 'example.com/p' },
  'storage.k8s.io/CSIDriver': { spec: {} },
  'node.k8s.io/RuntimeClass': { handler: 'h' },
  [`${rbac}/Role`]: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  [`${rbac}/ClusterRole`]: { rules: [{ nonResourceURLs: ['/livez'], verbs: ['get'] }] },
  [`${rbac}/RoleBinding`]: {
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'f0' },
    subjects: [{ kind: 'User', apiGroup: rbac, name: 'u' }],
  },
  [`${rbac}/ClusterRoleBinding`]: {
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'fuzz', name: 's' }],
  },
  'apiextensions.k8s.io/CustomResourceDefinition': {
    spec: {
      group: 'fuzz.example.com',
      scope: 'Namespaced',
      names: { plural: 'fs', kind: 'F' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  'x-kubernetes-validations': [{ rule: 'has(self.a)' }],
                  properties: { a: { type: 'string', pattern: '^a' } },
                },
              },
            },
          },
        },
      ],
    },
  },
  'apiregistration.k8s.io/APIService': {
    spec: {
      group: 'fuzz.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: 'fuzz', name: 's' },
      insecureSkipTLSVerify: true,
    },
  },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': {
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
      },
      validations: [{ expression: 'object.spec.replicas < 5' }],
    },
  },
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': {
    webhooks: [
      {
        name: 'a.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [],
      },
    ],
  },
  'authorization.k8s.io/SelfSubjectAccessReview': { spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'fuzz' } } },
  'authorization.k8s.io/SubjectAccessReview': { spec: { user: 'u', groups: ['g'], resourceAttributes: { verb: 'get', resource: 'pods' } } },
  'authentication.k8s.io/TokenReview': { spec: { token: 'x' } },
};

export const hasValidContent = (group: string, kind: string): boolean => Object.hasOwn(contents, `${group}/${kind}`);

/** A complete object; unlisted kinds have only a name. */
export function validObject(group: string, version: string, kind: string, name: string): Record<string, unknown> {
  // Definitions and API services must have the name of their content.
  const named = kind === 'CustomResourceDefinition' ? 'fs.fuzz.example.com' : kind === 'APIService' ? 'v1.fuzz.example.com' : name;
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { name: named, labels },
    ...structuredClone(contents[`${group}/${kind}`] ?? {}),
  };
}
