import { daemonSets, deployments, replicaSets, statefulSets } from '../../../api/types/apps/v1.js';
import { subjectAccessReviews } from '../../../api/types/authorization/v1.js';
import { horizontalPodAutoscalers } from '../../../api/types/autoscaling/v2.js';
import { cronJobs, jobs } from '../../../api/types/batch/v1.js';
import { certificateSigningRequests } from '../../../api/types/certificates/v1.js';
import { clusterTrustBundles, podCertificateRequests } from '../../../api/types/certificates/v1beta1.js';
import { leases } from '../../../api/types/coordination/v1.js';
import {
  configMaps,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  services,
  type Node,
  type Pod,
  type Service,
} from '../../../api/types/core/v1.js';
import { storageVersions } from '../../../api/types/apiserverinternal/v1alpha1.js';
import { ipAddresses, serviceCIDRs } from '../../../api/types/networking/v1.js';
import { resourceClaims, resourceClaimTemplates, resourceSlices } from '../../../api/types/resource/v1.js';
import { resourcePoolStatusRequests } from '../../../api/types/resource/v1alpha3.js';
import { podGroups, type PodGroup } from '../../../api/types/scheduling/v1alpha2.js';
import { storageVersionMigrations } from '../../../api/types/storagemigration/v1beta1.js';
import { volumeAttributesClasses } from '../../../api/types/storage/v1.js';
// Imported here because a world does not wait for the lazy import at the first request.
import '../../../controllers/certificates/request.js';
import type { FakeClock } from '../../fixtures/fakeClock.js';
import type { MemoryApi } from '../../fixtures/memoryApi.js';
import type { MemoryCloud } from '../../fixtures/memoryCloud.js';
import { signingRequest } from '../../fixtures/signingRequest.js';

/** A controller's task: the initial state and later changes. */
export interface Work {
  /** Its name in `--controllers`. */
  readonly controller: string;
  readonly what: string;
  readonly flags?: readonly string[];
  readonly rootCa?: string | null;
  /** Creates the cloud for cloud controllers. */
  readonly cloud?: (cloud: MemoryCloud) => MemoryCloud;
  readonly seed: (api: MemoryApi) => unknown;
  /** Steps that run after everything has settled. */
  readonly meanwhile?: readonly ((api: MemoryApi, clock: FakeClock) => unknown)[];
  /** The decisive part where several results are right; default the whole state. */
  readonly end?: (api: MemoryApi) => readonly string[];
  /** The time at the end; default a minute. */
  readonly waitMs?: number;
}

const deletionTimestamp = '2026-01-01T00:00:00Z';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const names = ['a', 'b', 'c'];
const node = (name: string, more: Partial<Node> = {}): Node => ({ metadata: { name }, ...more });
const readyNode = (name: string): Node => ({
  metadata: { name, creationTimestamp: deletionTimestamp },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: 'True', reason: 'K', message: 'm', lastHeartbeatTime: deletionTimestamp }] },
});
const pod = (name: string, spec: object, more: object = {}): Pod => ({ metadata: { name, namespace: 'n', ...more }, spec });
const serves =
  (path: string, ...resources: readonly string[]) =>
  (api: MemoryApi) =>
    api.answers.set(path, () => ({ resources: resources.map((name) => ({ name })) }));
const minutes =
  (count: number) =>
  (_: MemoryApi, clock: FakeClock): Promise<void> =>
    clock.advance(count * 60_000);
const serviceOf = (name: string): Service => ({
  metadata: { name, namespace: 'n' },
  spec: {
    selector: { app: 'w' },
    clusterIP: '10.96.0.1',
    ipFamilies: ['IPv4'],
    ports: [{ name: 'p', port: 80, targetPort: 80, protocol: 'TCP' }],
  },
});
const runningPod = (name: string, index: number): Pod => ({
  metadata: { name, namespace: 'n', labels: { app: 'w' } },
  spec: { nodeName: 'x', containers: [] },
  status: {
    phase: 'Running',
    podIP: `10.0.0.${index + 1}`,
    podIPs: [{ ip: `10.0.0.${index + 1}` }],
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});
const template = { metadata: { labels: { app: 'w' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector = { matchLabels: { app: 'w' } };
const token = (id: string, expiration: string): object => ({
  metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(
    Object.entries({ 'token-id': id, 'token-secret': 's', 'usage-bootstrap-signing': 'true', expiration }).map(([key, value]) => [
      key,
      base64(value),
    ]),
  ),
});

/** A task for every writing controller, if possible with several writes. */
export const works: readonly Work[] = [
  {
    controller: 'node-ipam-controller',
    what: 'gives every node a range of its own',
    flags: ['--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16'],
    seed: (api) => api.seed(nodes, ...names.map((name) => node(name))),
    meanwhile: [(api) => api.seed(nodes, node('late')), (api) => api.evaporate(nodes, 'a'), (api) => api.seed(nodes, node('later'))],
    // The first free range that a manager tries is arbitrary.
    end: (api) => {
      const given = api.all(nodes).map(({ spec }) => spec?.podCIDR ?? 'none');
      return [
        ...api.all(nodes).map(({ metadata, spec }) => `${metadata.name ?? ''} ${(spec?.podCIDRs ?? []).length}`),
        `${new Set(given).size} ranges`,
      ];
    },
  },
  {
    controller: 'taint-eviction-controller',
    what: 'drives pods from tainted nodes',
    seed: (api) => {
      api.seed(nodes, node('a'));
      api.seed(
        pods,
        ...names.map((name) => pod(name, { nodeName: 'a' }, { finalizers: ['hold'] })),
        pod('patient', { nodeName: 'a', tolerations: [{ operator: 'Exists', tolerationSeconds: 10 }] }, { finalizers: ['hold'] }),
      );
    },
    meanwhile: [
      (api) =>
        api.change(nodes, 'a', (of) => ({ ...of, spec: { taints: [{ key: 't', effect: 'NoExecute', timeAdded: deletionTimestamp }] } })),
    ],
  },
  {
    controller: 'device-taint-eviction-controller',
    what: 'drives pods from tainted devices',
    seed: (api) => {
      api.seed(pods, ...names.map((name) => pod(name, { nodeName: 'a' }, { uid: `u-${name}`, finalizers: ['hold'] })));
      api.seed(resourceClaims, {
        metadata: { name: 'c', namespace: 'n' },
        spec: {},
        status: {
          reservedFor: names.map((name) => ({ resource: 'pods', name, uid: `u-${name}` })),
          allocation: { devices: { results: [{ request: 'r', driver: 'd', pool: 'q', device: 'dev' }] } },
        },
      });
      api.seed(resourceSlices, {
        metadata: { name: 's' },
        spec: {
          driver: 'd',
          pool: { name: 'q', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'dev', taints: [{ key: 'broken', effect: 'NoExecute', timeAdded: deletionTimestamp }] }],
        },
      });
    },
  },
  {
    controller: 'ephemeral-volume-controller',
    what: 'makes one claim for each volume',
    seed: (api) =>
      api.seed(
        pods,
        ...names.map((name) =>
          pod(name, {
            volumes: names.map((volume) => ({
              name: volume,
              ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } },
            })),
          }),
        ),
      ),
  },
  {
    controller: 'resourceclaim-controller',
    what: 'makes one claim of each template, and takes back what nobody uses',
    seed: (api) => {
      api.seed(resourceClaimTemplates, {
        metadata: { name: 't', namespace: 'n' },
        spec: { spec: { devices: { requests: [] } } },
      });
      api.seed(
        pods,
        ...names.map((name) =>
          pod(name, { nodeName: 'x', resourceClaims: names.map((claim) => ({ name: claim, resourceClaimTemplateName: 't' })) }),
        ),
      );
      api.seed(resourceClaims, {
        metadata: { name: 'left', namespace: 'n', finalizers: ['resource.kubernetes.io/delete-protection'], deletionTimestamp },
        spec: {},
        status: { allocation: { devices: { results: [] } }, reservedFor: [{ resource: 'pods', name: 'gone', uid: 'g' }] },
      });
    },
  },
  {
    controller: 'service-cidr-controller',
    what: 'protects ranges, and lets free ones go',
    seed: (api) => {
      api.seed(
        serviceCIDRs,
        { metadata: { name: 'a' }, spec: { cidrs: ['10.0.0.0/24'] } },
        {
          metadata: { name: 'b', deletionTimestamp, finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
          spec: { cidrs: ['10.1.0.0/24'] },
        },
      );
      api.seed(ipAddresses, { metadata: { name: '10.1.0.1' }, spec: {} as never });
    },
    meanwhile: [minutes(1), (api) => api.evaporate(ipAddresses, '10.1.0.1')],
  },
  {
    controller: 'persistentvolume-attach-detach-controller',
    what: 'attaches a volume once, and detaches it',
    seed: (api) => {
      const managed = { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } };
      api.seed(nodes, { metadata: { name: 'x', ...managed } });
      for (const name of names) {
        api.seed(persistentVolumes, {
          metadata: { name },
          spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: name }, claimRef: { namespace: 'n', name } },
        });
        api.seed(persistentVolumeClaims, { metadata: { name, namespace: 'n' }, spec: { volumeName: name }, status: { phase: 'Bound' } });
        api.seed(pods, pod(name, { nodeName: 'x', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }] }));
      }
    },
    meanwhile: [minutes(1), (api) => api.evaporate(pods, 'n/b')],
    waitMs: 20 * 60_000,
  },
  {
    controller: 'podgroup-protection-controller',
    what: 'protects groups until their last pod has ended',
    seed: (api) => {
      serves('/apis/scheduling.k8s.io/v1alpha2', 'podgroups')(api);
      for (const name of names) {
        api.seed(podGroups, { metadata: { name, namespace: 'n' }, spec: {} } as PodGroup);
        api.seed(pods, pod(name, { schedulingGroup: { podGroupName: name } }));
      }
    },
    meanwhile: [
      (api) =>
        api.change(podGroups, 'n/a', (of) => ({
          ...of,
          metadata: { ...of.metadata, finalizers: ['scheduling.k8s.io/podgroup-protection'], deletionTimestamp },
        })),
      (api) => api.change(pods, 'n/a', (of) => ({ ...of, status: { phase: 'Succeeded' } })),
    ],
  },
  {
    controller: 'ttl-controller',
    what: 'tells nodes how long secrets may be kept',
    seed: (api) => api.seed(nodes, ...names.map((name) => node(name))),
  },
  {
    controller: 'bootstrap-signer-controller',
    what: 'signs, and takes the signature away',
    seed: (api) => {
      api.seed(configMaps, { metadata: { name: 'cluster-info', namespace: 'kube-public' }, data: { kubeconfig: 'where' } });
      api.seed(secrets, token('abcdef', '2026-01-01T00:00:50Z') as never, token('ghijkl', '2036-01-01T00:00:00Z') as never);
    },
    meanwhile: [minutes(1)],
  },
  {
    controller: 'token-cleaner-controller',
    what: 'deletes tokens that have ended',
    seed: (api) => api.seed(secrets, token('abcdef', '2026-01-01T00:00:05Z') as never, token('ghijkl', '2026-01-01T00:00:10Z') as never),
  },
  {
    controller: 'persistentvolume-binder-controller',
    what: 'binds each claim to one volume, and releases it',
    seed: (api) => {
      for (const name of names) {
        api.seed(persistentVolumes, {
          metadata: { name, uid: `v-${name}` },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'c',
            persistentVolumeReclaimPolicy: 'Retain',
          },
          status: { phase: 'Pending' },
        });
        api.seed(persistentVolumeClaims, {
          metadata: { name, namespace: 'n', uid: `c-${name}` },
          spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'c', resources: { requests: { storage: '1Gi' } } },
          status: { phase: 'Pending' },
        });
      }
    },
    meanwhile: [minutes(1), (api) => api.evaporate(persistentVolumeClaims, 'n/b')],
    // Any volume fits, but each only once.
    end: (api) => {
      const reported = api
        .all(persistentVolumes)
        .map(({ spec, status }) => `${status?.phase ?? ''} for ${spec?.claimRef?.name ?? 'nobody'}`);
      const bound = api.all(persistentVolumeClaims).map(({ metadata, spec, status }) => {
        const volume = api.peek(persistentVolumes, spec?.volumeName ?? '');
        return `${metadata.name ?? ''} ${status?.phase ?? ''} ${volume?.spec?.claimRef?.uid === metadata.uid ? 'by both' : 'by one'}`;
      });
      return [...reported.sort(), ...bound];
    },
  },
  {
    controller: 'persistentvolume-protection-controller',
    what: 'protects volumes, and lets free ones go',
    seed: (api) =>
      api.seed(
        persistentVolumes,
        { metadata: { name: 'v', finalizers: ['kubernetes.io/pv-protection'], deletionTimestamp }, status: { phase: 'Released' } },
        ...names.map((name) => ({ metadata: { name } })),
      ),
  },
  {
    controller: 'persistentvolumeclaim-protection-controller',
    what: 'protects claims, and lets free ones go',
    seed: (api) =>
      api.seed(
        persistentVolumeClaims,
        { metadata: { name: 'g', namespace: 'n', finalizers: ['kubernetes.io/pvc-protection'], deletionTimestamp } },
        ...names.map((name) => ({ metadata: { name, namespace: 'n' } })),
      ),
  },
  {
    controller: 'volumeattributesclass-protection-controller',
    what: 'protects classes, and lets free ones go',
    seed: (api) =>
      api.seed(
        volumeAttributesClasses,
        { metadata: { name: 'g', finalizers: ['kubernetes.io/vac-protection'], deletionTimestamp }, driverName: 'd' },
        ...names.map((name) => ({ metadata: { name }, driverName: 'd' })),
      ),
  },
  {
    controller: 'node-lifecycle-controller',
    what: 'taints a silent node and marks its pods',
    seed: (api) => {
      api.seed(nodes, readyNode('a'), readyNode('b'));
      api.seed(
        pods,
        ...names.map((name) => ({ ...pod(name, { nodeName: 'a' }), status: { conditions: [{ type: 'Ready', status: 'True' }] } })),
      );
    },
    meanwhile: Array.from({ length: 9 }, (_, round) => async (api: MemoryApi, clock: FakeClock): Promise<void> => {
      api.seed(leases, {
        metadata: { name: 'b', namespace: 'kube-node-lease' },
        spec: { renewTime: new Date(Date.UTC(2026, 0, 1) + round * 20_000).toISOString().replace('Z', '000Z') },
      });
      await clock.advance(20_000);
    }),
    waitMs: 10_000,
  },
  {
    controller: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    what: 'publishes one bundle',
    rootCa: 'PEM',
    seed: (api) => {
      serves('/apis/certificates.k8s.io/v1beta1', 'clustertrustbundles')(api);
      api.seed(clusterTrustBundles, {
        metadata: { name: 'kubernetes.io:kube-apiserver-serving:old' },
        spec: { signerName: 'kubernetes.io/kube-apiserver-serving', trustBundle: 'old' },
      });
    },
  },
  {
    controller: 'podcertificaterequest-cleaner-controller',
    what: 'removes old requests',
    seed: (api) => {
      serves('/apis/certificates.k8s.io/v1beta1', 'podcertificaterequests')(api);
      api.seed(podCertificateRequests, ...names.map((name) => ({ metadata: { name, namespace: 'n' }, spec: {} as never })));
    },
    waitMs: 17 * 60_000,
  },
  {
    controller: 'certificatesigningrequest-cleaner-controller',
    what: 'removes old requests',
    seed: (api) =>
      api.seed(
        certificateSigningRequests,
        ...names.map((name) => ({
          metadata: { name },
          spec: { signerName: 's/s', request: '' },
          status: { conditions: [{ type: 'Denied', status: 'True', lastUpdateTime: deletionTimestamp }] },
        })),
      ),
    waitMs: 3 * 3_600_000,
  },
  {
    controller: 'storageversion-garbage-collector-controller',
    what: 'forgets servers that are gone',
    seed: (api) => {
      serves('/apis/internal.apiserver.k8s.io/v1alpha1', 'storageversions')(api);
      const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
      api.seed(leases, ...['a', 'b'].map((name) => ({ metadata: { name, namespace: 'kube-system', labels } })));
      api.seed(
        storageVersions,
        ...names.map((name) => ({
          metadata: { name },
          spec: {},
          status: { storageVersions: ['a', 'b'].map((apiServerID) => ({ apiServerID, encodingVersion: 'v1' })) },
        })),
      );
    },
    meanwhile: [(api) => api.evaporate(leases, 'kube-system/b')],
  },
  {
    controller: 'storage-version-migrator-controller',
    what: 'writes every object anew, and says so once',
    seed: (api) => {
      serves('/apis/storagemigration.k8s.io/v1beta1', 'storageversionmigrations')(api);
      api.answers.set('/api/v1', () => ({ resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] }));
      api.seed(configMaps, ...names.map((name) => ({ metadata: { name, namespace: 'n' } })));
      api.seed(storageVersionMigrations, { metadata: { name: 'm' }, spec: { resource: { group: '', resource: 'configmaps' } } });
    },
  },
  {
    controller: 'resourcepoolstatusrequest-controller',
    what: 'answers each request once',
    flags: ['--feature-gates=DRAResourcePoolStatus=true'],
    seed: (api) => {
      serves('/apis/resource.k8s.io/v1alpha3', 'resourcepoolstatusrequests')(api);
      api.seed(resourceSlices, {
        metadata: { name: 's' },
        spec: { driver: 'd', nodeName: 'a', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices: [{ name: 'x' }] },
      });
      api.seed(resourcePoolStatusRequests, ...names.map((name) => ({ metadata: { name }, spec: { driver: 'd' } })));
    },
  },
  {
    controller: 'deployment-controller',
    what: 'makes one replica set',
    seed: (api) => api.seed(deployments, { metadata: { name: 'w', namespace: 'n' }, spec: { replicas: 3, selector, template } }),
  },
  {
    controller: 'replicaset-controller',
    what: 'makes as many pods as are asked for',
    seed: (api) => api.seed(replicaSets, { metadata: { name: 'w', namespace: 'n' }, spec: { replicas: 5, selector, template } }),
    meanwhile: [(api) => api.change(replicaSets, 'n/w', (of) => ({ ...of, spec: { ...of.spec, replicas: 2, selector } }))],
  },
  {
    controller: 'statefulset-controller',
    what: 'makes its pods and claims',
    seed: (api) =>
      api.seed(statefulSets, {
        metadata: { name: 'w', namespace: 'n' },
        spec: {
          replicas: 2,
          serviceName: 's',
          selector,
          template,
          podManagementPolicy: 'Parallel',
          volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { accessModes: ['ReadWriteOnce'] } }],
        },
      }),
  },
  {
    controller: 'job-controller',
    what: 'makes its pods, and counts each once',
    seed: (api) =>
      api.seed(jobs, {
        metadata: { name: 'w', namespace: 'n', uid: 'j' },
        spec: { parallelism: 3, completions: 3, backoffLimit: 6, completionMode: 'NonIndexed', selector, template },
      }),
    meanwhile: [
      minutes(1),
      (api) => {
        for (const { metadata } of api.all(pods))
          api.change(pods, `n/${metadata.name ?? ''}`, (of) => ({ ...of, status: { phase: 'Succeeded' } }));
      },
      minutes(1),
    ],
  },
  {
    controller: 'namespace-controller',
    what: 'empties a namespace and lets it go',
    seed: (api) => {
      api.answers.set('/api/v1', () => ({
        resources: ['configmaps', 'pods', 'services'].map((name) => ({
          name,
          kind: name,
          namespaced: true,
          verbs: ['delete', 'list', 'deletecollection'],
        })),
      }));
      api.seed(namespaces, {
        metadata: { name: 'n', deletionTimestamp },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Terminating' },
      });
      api.seed(configMaps, ...names.map((name) => ({ metadata: { name, namespace: 'n' } })));
      api.seed(services, { metadata: { name: 's', namespace: 'n' } });
    },
  },
  {
    controller: 'serviceaccount-controller',
    what: 'makes an account in every namespace',
    seed: (api) => api.seed(namespaces, ...names.map((name) => ({ metadata: { name }, status: { phase: 'Active' } }))),
  },
  {
    controller: 'root-ca-certificate-publisher-controller',
    what: 'tells every namespace the authority',
    rootCa: 'PEM',
    seed: (api) => api.seed(namespaces, ...names.map((name) => ({ metadata: { name }, status: { phase: 'Active' } }))),
  },
  {
    controller: 'endpointslice-controller',
    what: 'lists the pods of services',
    seed: (api) => {
      api.seed(services, ...names.map((name) => serviceOf(name)));
      api.seed(pods, ...names.map(runningPod));
    },
    meanwhile: [minutes(1), (api) => api.evaporate(pods, 'n/b')],
  },
  {
    controller: 'endpoints-controller',
    what: 'lists the pods of services',
    seed: (api) => {
      api.seed(services, ...names.map((name) => serviceOf(name)));
      api.seed(pods, ...names.map(runningPod));
    },
    meanwhile: [minutes(1), (api) => api.evaporate(pods, 'n/b')],
  },
  {
    controller: 'daemonset-controller',
    what: 'makes a pod on each node',
    seed: (api) => {
      api.seed(nodes, ...names.map(readyNode));
      api.seed(daemonSets, {
        metadata: { name: 'w', namespace: 'n' },
        spec: { selector, template, updateStrategy: { type: 'RollingUpdate' } },
      });
    },
  },
  {
    controller: 'cronjob-controller',
    what: 'makes one job each time',
    seed: (api) =>
      api.seed(cronJobs, {
        metadata: { name: 'w', namespace: 'n', creationTimestamp: deletionTimestamp },
        spec: { schedule: '0 0 1 1 *', concurrencyPolicy: 'Allow', suspend: false, jobTemplate: { spec: { template } } },
      }),
    meanwhile: [(_, clock) => clock.advance(365 * 24 * 3_600_000 + 1_000)],
  },
  {
    controller: 'ttl-after-finished-controller',
    what: 'removes jobs that have ended',
    seed: (api) =>
      api.seed(
        jobs,
        ...names.map((name) => ({
          metadata: { name, namespace: 'n' },
          spec: { ttlSecondsAfterFinished: 5, template },
          status: {
            completionTime: deletionTimestamp,
            conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: deletionTimestamp }],
          },
        })),
      ),
  },
  {
    controller: 'service-lb-controller',
    what: 'has one balancer made for each service',
    cloud: (cloud) => cloud,
    seed: (api) => {
      api.seed(nodes, readyNode('a'));
      api.seed(services, ...names.map((name) => ({ metadata: { name, namespace: 'n' }, spec: { type: 'LoadBalancer' } })));
    },
    meanwhile: [(api) => api.change(services, 'n/b', (of) => ({ ...of, spec: { type: 'ClusterIP' } }))],
  },
  {
    controller: 'node-route-controller',
    what: 'has one route made to each node',
    flags: ['--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16'],
    cloud: (cloud) => cloud,
    seed: (api) => api.seed(nodes, ...names.map((name, index) => node(name, { spec: { podCIDRs: [`10.0.${index}.0/24`] }, status: {} }))),
  },
  {
    controller: 'cloud-node-lifecycle-controller',
    what: 'taints nodes whose machines are shut down, and removes those whose are gone',
    cloud: (cloud) => {
      cloud.machines.set('a', 'runs').set('b', 'is shut down');
      return cloud;
    },
    seed: (api) =>
      api.seed(nodes, ...names.map((name) => node(name, { spec: {}, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }))),
  },
  {
    controller: 'horizontal-pod-autoscaler-controller',
    what: 'scales once for one load',
    seed: (api) => {
      loadedWorkload(api);
      api.seed(horizontalPodAutoscalers, {
        metadata: { name: 'h', namespace: 'n' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' },
          minReplicas: 1,
          maxReplicas: 10,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
        },
      });
    },
    waitMs: 10 * 60_000,
    // The time of the last scaling is lost if its manager ends before it reports it.
    end: (api) => {
      const { metadata, spec } = api.peek(deployments, 'n/w') ?? { metadata: {} };
      return [`${String(spec?.replicas)} replicas, scaled ${metadata.annotations?.['times'] ?? ''} times`];
    },
  },
  {
    controller: 'certificatesigningrequest-approving-controller',
    what: 'approves what nodes ask for',
    seed: async (api) => {
      const create = api.create.bind(api);
      api.create = async (type, object) =>
        type.resource === subjectAccessReviews.resource ? { ...object, status: { allowed: true } } : create(type, object);
      for (const name of names)
        api.seed(certificateSigningRequests, {
          metadata: { name },
          spec: {
            signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
            usages: ['client auth', 'digital signature', 'key encipherment'],
            username: `system:node:${name}`,
            request: await signingRequest(`system:node:${name}, O=system:nodes`),
          },
        });
    },
    end: (api) =>
      api
        .all(certificateSigningRequests)
        .map(({ metadata, status }) => `${metadata.name ?? ''} ${JSON.stringify(status?.conditions?.map(({ type }) => type))}`),
  },
];

/** A workload of two pods at twice their target, with metrics and scaling. */
function loadedWorkload(api: MemoryApi): void {
  const busyMillicores = 200;
  const replicas = (): number => api.peek(deployments, 'n/w')?.spec?.replicas ?? 0;
  const resize = (count: number, times: number): void => {
    api.seed(deployments, {
      metadata: { name: 'w', namespace: 'n', annotations: { times: String(times) } },
      spec: { replicas: count, selector, template },
    });
    for (let index = 0; index < count; index += 1)
      if (api.peek(pods, `n/p${index}`) === undefined)
        api.seed(pods, {
          metadata: { name: `p${index}`, namespace: 'n', labels: { app: 'w' } },
          spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
          status: {
            phase: 'Running',
            startTime: '2025-01-01T00:00:00Z',
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:10Z' }],
          },
        });
  };
  resize(2, 0);
  api.answers.set('/apis/apps/v1', () => ({
    resources: [
      { name: 'deployments', kind: 'Deployment', namespaced: true },
      { name: 'deployments/scale', kind: 'Scale' },
    ],
  }));
  api.answers.set('/apis/apps/v1/namespaces/n/deployments/w/scale', () => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'w', namespace: 'n' },
    spec: { replicas: replicas() },
    status: { replicas: replicas(), selector: 'app=w' },
  }));
  api.answers.set('/apis/metrics.k8s.io/v1beta1/namespaces/n/pods?labelSelector=app%3Dw', () => ({
    items: Array.from({ length: replicas() }, (_, index) => ({
      metadata: { name: `p${index}` },
      timestamp: deletionTimestamp,
      window: '30s',
      containers: [{ name: 'c', usage: { cpu: `${Math.round(busyMillicores / replicas())}m` } }],
    })),
  }));
  const update = api.update.bind(api);
  api.update = async (type, object, options) => {
    if (options?.subresource !== 'scale') return update(type, object, options);
    const { spec } = object as unknown as { readonly spec: { readonly replicas?: number } };
    resize(spec.replicas ?? 0, Number(api.peek(deployments, 'n/w')?.metadata.annotations?.['times'] ?? 0) + 1);
    return object;
  };
}
