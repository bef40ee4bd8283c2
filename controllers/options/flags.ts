import { cidrs } from '../../program/flags/checks.js';
import { commonFlags } from '../../program/flags/bothPrograms.js';
import { inGroup } from '../../program/flags/flag.js';
import type { FlagFacts, FlagValues } from '../../program/flags/flag.js';
import { featureFlagsOf } from '../../program/features/options.js';
import { gatesWith } from '../../program/features/gates.js';

const file = (help: string): FlagFacts & { kind: 'string'; default: null } => ({ kind: 'string', default: null, value: 'file', help });
type Count = Omit<FlagFacts, 'kind' | 'default'> & { readonly kind: 'int'; readonly default: number };
const count = (of: string, value: number): Count => ({
  kind: 'int',
  default: value,
  min: 1,
  max: 2_147_483_647,
  help: `How many ${of} are worked on at the same time.`,
});
const int32 = { min: 0, max: 2_147_483_647 } as const;

/** Every option of the controller manager, in the order of `--help`. */
export const controllerManagerFlags = {
  ...commonFlags,
  ...featureFlagsOf(gatesWith('manager')),
  ...inGroup('Secure serving of the controller manager', {
    'secure-port': { kind: 'int', default: 10_257, min: 0, max: 65_535, help: 'HTTPS port; 0 for none.' },
    'cert-dir': {
      kind: 'string',
      default: null,
      value: 'directory',
      help: 'Where the self-signed pair is kept when no certificate and key are given.',
    },
  }),
  ...inGroup('Connection to the API server', {
    kubeconfig: file('How to reach the API server, and as whom.'),
    master: { kind: 'string', default: null, value: 'url', help: 'Address of the API server; wins over --kubeconfig.' },
    'kube-api-qps': {
      kind: 'float',
      default: 20,
      help: 'Requests per second to the API server, for each controller; negative for no limit.',
    },
    'kube-api-burst': { kind: 'int', default: 30, ...int32, help: 'Requests at once after a quiet time.' },
    'kube-api-content-type': {
      kind: 'string',
      default: 'application/json',
      oneOf: ['application/json', 'application/vnd.kubernetes.protobuf', 'application/vnd.orch.protobuf', 'application/cbor'],
      help: 'Media type of what is sent to and asked of the API server. JSON takes less processor time in this program; Protobuf is what others use. Custom types, patches and discovery are in JSON in any case; application/cbor counts as JSON.',
    },
    'min-resync-period': {
      kind: 'duration',
      default: 43_200_000,
      help: 'Caches are gone through anew at random between this time and twice it.',
    },
    'use-service-account-credentials': { kind: 'bool', default: false, help: 'Let each controller act as a service account of its own.' },
  }),
  ...inGroup('Leader election', {
    'leader-elect': { kind: 'bool', default: true, help: 'Work only while holding the lease, so that several managers can run.' },
    'leader-elect-lease-duration': {
      kind: 'duration',
      default: 15_000,
      min: 1,
      help: 'How long others wait before they take over a lease that is not renewed.',
    },
    'leader-elect-renew-deadline': {
      kind: 'duration',
      default: 10_000,
      min: 1,
      help: 'How long the holder tries to renew before it gives up. Less than the lease duration.',
    },
    'leader-elect-retry-period': { kind: 'duration', default: 2_000, min: 1, help: 'Wait between tries.' },
    'leader-elect-resource-lock': { kind: 'string', default: 'leases', oneOf: ['leases'], help: 'Kind of the lock object.' },
    'leader-elect-resource-name': { kind: 'string', default: 'kube-controller-manager', help: 'Its name.' },
    'leader-elect-resource-namespace': { kind: 'string', default: 'kube-system', help: 'Its namespace.' },
    'leader-migration-config': file(
      'File of kind LeaderMigrationConfiguration: which controllers move, and under which lease. Needs --enable-leader-migration, and stands for the controllers of clouds without.',
    ),
    'enable-leader-migration': {
      kind: 'bool',
      default: false,
      help: 'Move controllers to or from another program without a gap: those that move have a lease of their own.',
    },
  }),
  ...inGroup('Which controllers run', {
    controllers: {
      kind: 'strings',
      default: ['*'],
      value: 'name,-name,*',
      help: 'Controllers to run: * for all that are on by default, foo to switch foo on, -foo to switch it off.',
    },
    'controller-start-interval': { kind: 'duration', default: 0, help: 'Wait between the starts of two controllers.' },
  }),
  ...inGroup('Work at the same time', {
    'concurrent-cron-job-syncs': count('cron jobs', 5),
    'concurrent-daemonset-syncs': count('daemon sets', 2),
    'concurrent-deployment-syncs': count('deployments', 5),
    'concurrent-endpoint-syncs': count('endpoints', 5),
    'concurrent-ephemeralvolume-syncs': count('ephemeral volumes', 5),
    'concurrent-gc-syncs': count('objects to collect', 20),
    'concurrent-horizontal-pod-autoscaler-syncs': count('autoscalers', 5),
    'concurrent-job-syncs': count('jobs', 5),
    'concurrent-namespace-syncs': count('namespaces', 10),
    'concurrent-rc-syncs': count('replication controllers', 5),
    'concurrent-replicaset-syncs': count('replica sets', 5),
    'concurrent-resource-quota-syncs': count('quotas', 5),
    'concurrent-resourceclaim-syncs': count('resource claims', 10),
    'concurrent-service-endpoint-syncs': { ...count('services, for their endpoint slices,', 5), max: 50 },
    'concurrent-service-syncs': count('services', 1),
    'concurrent-serviceaccount-token-syncs': count('service account tokens', 5),
    'concurrent-statefulset-syncs': count('stateful sets', 5),
    'concurrent-ttl-after-finished-syncs': count('finished jobs', 5),
    'concurrent-device-taint-eviction-syncs': count('pods with devices', 8),
    'concurrent-validating-admission-policy-status-syncs': count('admission policies', 5),
    'mirroring-concurrent-service-endpoint-syncs': count('endpoints to mirror', 5),
  }),
  ...inGroup('Endpoints', {
    'endpoint-updates-batch-period': {
      kind: 'duration',
      default: 0,
      help: 'How long changes of pods are collected before endpoints are updated.',
    },
    'endpointslice-updates-batch-period': { kind: 'duration', default: 0, help: 'The same for endpoint slices.' },
    'mirroring-endpointslice-updates-batch-period': { kind: 'duration', default: 0, help: 'The same for mirrored slices.' },
    'max-endpoints-per-slice': { kind: 'int', default: 100, min: 1, max: 1_000, help: 'Endpoints in one slice.' },
    'mirroring-max-endpoints-per-subset': { kind: 'int', default: 1_000, min: 1, max: 1_000, help: 'Endpoints in one mirrored slice.' },
  }),
  ...inGroup('Autoscaling', {
    'horizontal-pod-autoscaler-sync-period': {
      kind: 'duration',
      default: 15_000,
      min: 1,
      help: 'How often numbers of pods are computed.',
    },
    'horizontal-pod-autoscaler-downscale-stabilization': {
      kind: 'duration',
      default: 300_000,
      help: 'How far back a higher recommendation forbids scaling down.',
    },
    'horizontal-pod-autoscaler-cpu-initialization-period': {
      kind: 'duration',
      default: 300_000,
      help: 'Time after the start of a pod during which its CPU use may be skipped.',
    },
    'horizontal-pod-autoscaler-initial-readiness-delay': {
      kind: 'duration',
      default: 30_000,
      help: 'Time after the start of a pod during which changes of readiness count as the first.',
    },
    'horizontal-pod-autoscaler-tolerance': {
      kind: 'float',
      default: 0.1,
      min: 0,
      help: 'How far the ratio of wanted to actual use must be from 1 for anything to happen.',
    },
  }),
  ...inGroup('Nodes', {
    'allocate-node-cidrs': {
      kind: 'bool',
      default: false,
      help: 'Give each node a range of pod addresses. Needs --cluster-cidr.',
    },
    'cidr-allocator-type': {
      kind: 'string',
      default: 'RangeAllocator',
      oneOf: ['RangeAllocator'],
      help: 'How these ranges are chosen. Other kinds of the reference need a cloud provider that is built in, and there is none.',
    },
    'cluster-cidr': { kind: 'string', default: null, value: 'cidr[,cidr]', check: cidrs, help: 'Range of all pod addresses.' },
    'service-cluster-ip-range': {
      kind: 'string',
      default: null,
      value: 'cidr[,cidr]',
      check: cidrs,
      help: 'Range of service addresses, which nodes do not get.',
    },
    'node-cidr-mask-size': {
      kind: 'int',
      default: null,
      min: 1,
      max: 128,
      help: "Size of a node's range: 24 for IPv4, 64 for IPv6 unless given.",
    },
    'node-cidr-mask-size-ipv4': {
      kind: 'int',
      default: 24,
      min: 1,
      max: 32,
      help: 'The same for IPv4 where both families are in use.',
    },
    'node-cidr-mask-size-ipv6': { kind: 'int', default: 64, min: 1, max: 128, help: 'The same for IPv6.' },
    'node-monitor-grace-period': {
      kind: 'duration',
      default: 50_000,
      min: 1,
      help: 'How long a running node may be silent before it counts as unhealthy.',
    },
    'node-startup-grace-period': { kind: 'duration', default: 60_000, min: 1, help: 'The same for a node that starts.' },
    'node-monitor-period': { kind: 'duration', default: 5_000, min: 1, help: 'How often the status of nodes is looked at.' },
    'node-eviction-rate': {
      kind: 'float',
      default: 0.1,
      min: 0,
      help: 'Nodes per second whose pods are removed while the zone is healthy.',
    },
    'secondary-node-eviction-rate': {
      kind: 'float',
      default: 0.01,
      min: 0,
      help: 'The same while it is not; 0 in small clusters.',
    },
    'large-cluster-size-threshold': { kind: 'int', default: 50, ...int32, help: 'More nodes than this make a cluster large.' },
    'unhealthy-zone-threshold': {
      kind: 'float',
      default: 0.55,
      min: 0,
      max: 1,
      help: 'Share of nodes that are not ready, at least three, that makes a zone unhealthy.',
    },
    'terminated-pod-gc-threshold': {
      kind: 'int',
      default: 12_500,
      min: -2_147_483_648,
      max: 2_147_483_647,
      help: 'Ended pods that are kept; 0 and less keeps all.',
    },
  }),
  ...inGroup('Volumes', {
    'attach-detach-reconcile-sync-period': {
      kind: 'duration',
      default: 60_000,
      min: 1_001,
      help: 'Wait between two looks at attached volumes; more than a second.',
    },
    'disable-attach-detach-reconcile-sync': { kind: 'bool', default: false, help: 'Do not look at them again.' },
    'disable-force-detach-on-timeout': {
      kind: 'bool',
      default: false,
      help: 'Never detach by force when unmounting takes too long.',
    },
    'enable-dynamic-provisioning': { kind: 'bool', default: true, help: 'Make volumes for claims.' },
    'enable-hostpath-provisioner': {
      kind: 'bool',
      default: false,
      help: 'Make volumes in directories of the host; for tests only.',
    },
    'pvclaimbinder-sync-period': { kind: 'duration', default: 15_000, min: 1, help: 'How often volumes and claims are compared.' },
    'flex-volume-plugin-dir': {
      kind: 'string',
      default: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
      value: 'directory',
      help: 'Where FlexVolume drivers are. CSI drivers alone attach and expand volumes here: a manager that finds others there says in its log that it does not run them.',
    },
    'external-cloud-volume-plugin': {
      kind: 'string',
      default: null,
      oneOf: [''],
      help: 'Plugin for volumes of a cloud that is built in. None is, so only an empty name is taken.',
    },
    'pv-recycler-minimum-timeout-hostpath': {
      kind: 'int',
      default: 60,
      ...int32,
      help: 'Shortest life of a pod that empties a host path volume, in seconds.',
    },
    'pv-recycler-timeout-increment-hostpath': { kind: 'int', default: 30, ...int32, help: 'Seconds more for each Gi.' },
    'pv-recycler-pod-template-filepath-hostpath': file('Template of that pod.'),
    'pv-recycler-minimum-timeout-nfs': { kind: 'int', default: 300, ...int32, help: 'The same for NFS.' },
    'pv-recycler-increment-timeout-nfs': { kind: 'int', default: 30, ...int32, help: 'Seconds more for each Gi.' },
    'pv-recycler-pod-template-filepath-nfs': file('Template of that pod.'),
  }),
  ...inGroup('Namespaces, quotas and tokens', {
    'namespace-sync-period': { kind: 'duration', default: 300_000, min: 1, help: 'How often all namespaces are gone through.' },
    'resource-quota-sync-period': { kind: 'duration', default: 300_000, min: 1, help: 'How often all quotas are computed anew.' },
    'root-ca-file': file('Authority that is put into the tokens of service accounts.'),
    'service-account-private-key-file': file(
      'Key that signs the tokens of service accounts that are kept in secrets; without it none are made.',
    ),
    'legacy-service-account-token-clean-up-period': {
      kind: 'duration',
      default: 31_536_000_000,
      min: 1,
      help: 'How long a token in a secret must be unused before it is marked, and marked before it is deleted.',
    },
  }),
  ...inGroup('Signing of certificates', {
    'cluster-signing-cert-file': file('Authority for all signers; excludes those of single signers.'),
    'cluster-signing-key-file': file('Its key.'),
    'cluster-signing-kube-apiserver-client-cert-file': file('Authority for kubernetes.io/kube-apiserver-client.'),
    'cluster-signing-kube-apiserver-client-key-file': file('Its key.'),
    'cluster-signing-kubelet-client-cert-file': file('Authority for kubernetes.io/kube-apiserver-client-kubelet.'),
    'cluster-signing-kubelet-client-key-file': file('Its key.'),
    'cluster-signing-kubelet-serving-cert-file': file('Authority for kubernetes.io/kubelet-serving.'),
    'cluster-signing-kubelet-serving-key-file': file('Its key.'),
    'cluster-signing-legacy-unknown-cert-file': file('Authority for kubernetes.io/legacy-unknown.'),
    'cluster-signing-legacy-unknown-key-file': file('Its key.'),
    'cluster-signing-duration': {
      kind: 'duration',
      default: 31_536_000_000,
      min: 1,
      help: 'Longest validity of a certificate; a request may ask for less.',
    },
  }),
  ...inGroup('Cloud', {
    'cloud-provider': {
      kind: 'string',
      default: null,
      oneOf: ['', 'external'],
      help: 'external where a controller manager of the cloud runs beside this one, and has the controllers of load balancers, routes and nodes that are gone; empty for none. None is built in.',
    },
    'cloud-config': {
      ...file('Its configuration, which the controller manager of the cloud reads: only with --cloud-provider=external.'),
      notRead: true,
    },
    'cluster-name': { kind: 'string', default: 'kubernetes', help: "What the cluster's instances begin with." },
    'configure-cloud-routes': { kind: 'bool', default: true, help: 'Set up routes for node ranges at the cloud provider.' },
    'route-reconciliation-period': { kind: 'duration', default: 10_000, min: 1, help: 'How often these routes are compared.' },
  }),
  ...inGroup('Authentication and authorization', {
    'authentication-kubeconfig': file('Client configuration for reviewing tokens; without it they all count as anonymous.'),
    'authentication-skip-lookup': {
      kind: 'bool',
      default: false,
      help: 'Do not read authorities of clients and front proxies that no option names from the cluster.',
    },
    'authentication-tolerate-lookup-failure': {
      kind: 'bool',
      default: false,
      help: 'Go on without them where the cluster does not tell them.',
    },
    'authentication-token-webhook-cache-ttl': { kind: 'duration', default: 10_000, help: 'How long reviews of tokens are remembered.' },
    'authorization-kubeconfig': file(
      'Client configuration for access reviews; without it everything that is not always allowed is forbidden.',
    ),
    'authorization-always-allow-paths': { kind: 'strings', default: ['/healthz', '/readyz', '/livez'], help: 'Paths that need no review.' },
    'authorization-webhook-cache-authorized-ttl': { kind: 'duration', default: 10_000, help: 'How long a yes is remembered.' },
    'authorization-webhook-cache-unauthorized-ttl': { kind: 'duration', default: 10_000, help: 'How long a no is remembered.' },
    'client-ca-file': file('Authorities of client certificates.'),
    'requestheader-client-ca-file': file('Authorities of front proxies, whose headers say who the user is.'),
    'requestheader-allowed-names': { kind: 'strings', default: [], help: 'Common names of those proxies; empty allows all.' },
    'requestheader-username-headers': { kind: 'strings', default: ['x-remote-user'], help: 'Headers with the user name.' },
    'requestheader-group-headers': { kind: 'strings', default: ['x-remote-group'], help: 'Headers with the groups.' },
    'requestheader-extra-headers-prefix': {
      kind: 'strings',
      default: ['x-remote-extra-'],
      help: 'What headers with further facts begin with.',
    },
    'requestheader-uid-headers': { kind: 'strings', default: [], help: "Headers with the user's id." },
  }),
} as const;

export type ControllerManagerOptions = FlagValues<typeof controllerManagerFlags>;
