import { nodeStatusPeriodMs } from '../cloud/nodeFacts.js';
import { formatDuration } from '../../program/flags/duration.js';
import type { Shape } from '../../program/files/configuration.js';
import type { ControllerManagerOptions } from './flags.js';
import type { LeaderMigration } from './migration.js';

/** A value that no option changes. */
export interface Constant {
  readonly is: unknown;
  readonly shape: Shape;
}

/** A value that is worked out. */
export interface Derived {
  readonly of: (options: ControllerManagerOptions, migration: LeaderMigration | null) => unknown;
  readonly shape: Shape;
}

/** The options of a configuration's members, by the reference's names and order. */
export interface ComponentTree {
  readonly [member: string]: keyof ControllerManagerOptions | ComponentTree | Constant | Derived;
}

/** Formats milliseconds; zero has a unit, too. */
export const durationText = (ms: number): string => (ms === 0 ? '0s' : formatDuration(ms));

export const isConstant = (node: ComponentTree | Constant | Derived): node is Constant => Object.hasOwn(node, 'is');
export const isDerived = (node: ComponentTree | Constant | Derived): node is Derived => 'of' in node && typeof node.of === 'function';

const is = (value: string | number | boolean | readonly unknown[], shape: Shape = shapeOf(value)): Constant => ({ is: value, shape });
const shapeOf = (value: unknown): Shape => (typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'bool' : 'integer');

const serviceRange = (index: 0 | 1): Derived => ({
  of: (options) => (options['service-cluster-ip-range'] ?? '').split(',')[index] ?? '',
  shape: 'text',
});

const migrationPart: Derived = {
  of: (_, migration) => ({
    LeaderName: migration?.leaseName ?? '',
    ResourceLock: migration?.resourceLock ?? '',
    ControllerLeaders:
      migration === null ? null : [...migration.components].map(([name, component]) => ({ Name: name, Component: component })),
  }),
  shape: {
    fields: { LeaderName: 'text', ResourceLock: 'text', ControllerLeaders: { list: { fields: { Name: 'text', Component: 'text' } } } },
  },
};

const generic: ComponentTree = {
  Generic: {
    Port: 'secure-port',
    Address: 'bind-address',
    MinResyncPeriod: 'min-resync-period',
    ClientConnection: {
      Kubeconfig: 'kubeconfig',
      AcceptContentTypes: is(''),
      ContentType: 'kube-api-content-type',
      QPS: 'kube-api-qps',
      Burst: 'kube-api-burst',
    },
    ControllerStartInterval: 'controller-start-interval',
    LeaderElection: {
      LeaderElect: 'leader-elect',
      LeaseDuration: 'leader-elect-lease-duration',
      RenewDeadline: 'leader-elect-renew-deadline',
      RetryPeriod: 'leader-elect-retry-period',
      ResourceLock: 'leader-elect-resource-lock',
      ResourceName: 'leader-elect-resource-name',
      ResourceNamespace: 'leader-elect-resource-namespace',
    },
    Controllers: 'controllers',
    Debugging: { EnableProfiling: 'profiling', EnableContentionProfiling: 'contention-profiling' },
    LeaderMigrationEnabled: 'enable-leader-migration',
    LeaderMigration: migrationPart,
  },
  KubeCloudShared: {
    CloudProvider: { Name: 'cloud-provider', CloudConfigFile: 'cloud-config' },
    ExternalCloudVolumePlugin: 'external-cloud-volume-plugin',
    UseServiceAccountCredentials: 'use-service-account-credentials',
    AllowUntaggedCloud: is(false),
    RouteReconciliationPeriod: 'route-reconciliation-period',
    NodeMonitorPeriod: 'node-monitor-period',
    ClusterName: 'cluster-name',
    ClusterCIDR: 'cluster-cidr',
    AllocateNodeCIDRs: 'allocate-node-cidrs',
    CIDRAllocatorType: 'cidr-allocator-type',
    ConfigureCloudRoutes: 'configure-cloud-routes',
    NodeSyncPeriod: is('0s'),
  },
};
const services: ComponentTree = { ServiceController: { ConcurrentServiceSyncs: 'concurrent-service-syncs' } };
export const cloudTree: ComponentTree = {
  ...generic,
  NodeController: { ConcurrentNodeSyncs: is(1) },
  ...services,
  NodeStatusUpdateFrequency: is(durationText(nodeStatusPeriodMs)),
  Webhook: { Webhooks: is([], { list: 'text' }) },
};
/** The members of KubeControllerManagerConfiguration. */
export const managerTree: ComponentTree = {
  ...generic,
  AttachDetachController: {
    DisableAttachDetachReconcilerSync: 'disable-attach-detach-reconcile-sync',
    ReconcilerSyncLoopPeriod: 'attach-detach-reconcile-sync-period',
    DisableForceDetachOnTimeout: 'disable-force-detach-on-timeout',
  },
  CSRSigningController: {
    ClusterSigningCertFile: 'cluster-signing-cert-file',
    ClusterSigningKeyFile: 'cluster-signing-key-file',
    KubeletServingSignerConfiguration: {
      CertFile: 'cluster-signing-kubelet-serving-cert-file',
      KeyFile: 'cluster-signing-kubelet-serving-key-file',
    },
    KubeletClientSignerConfiguration: {
      CertFile: 'cluster-signing-kubelet-client-cert-file',
      KeyFile: 'cluster-signing-kubelet-client-key-file',
    },
    KubeAPIServerClientSignerConfiguration: {
      CertFile: 'cluster-signing-kube-apiserver-client-cert-file',
      KeyFile: 'cluster-signing-kube-apiserver-client-key-file',
    },
    LegacyUnknownSignerConfiguration: {
      CertFile: 'cluster-signing-legacy-unknown-cert-file',
      KeyFile: 'cluster-signing-legacy-unknown-key-file',
    },
    ClusterSigningDuration: 'cluster-signing-duration',
  },
  DaemonSetController: { ConcurrentDaemonSetSyncs: 'concurrent-daemonset-syncs' },
  DeploymentController: { ConcurrentDeploymentSyncs: 'concurrent-deployment-syncs' },
  StatefulSetController: { ConcurrentStatefulSetSyncs: 'concurrent-statefulset-syncs' },
  DeprecatedController: {},
  EndpointController: { ConcurrentEndpointSyncs: 'concurrent-endpoint-syncs', EndpointUpdatesBatchPeriod: 'endpoint-updates-batch-period' },
  EndpointSliceController: {
    ConcurrentServiceEndpointSyncs: 'concurrent-service-endpoint-syncs',
    MaxEndpointsPerSlice: 'max-endpoints-per-slice',
    EndpointUpdatesBatchPeriod: 'endpointslice-updates-batch-period',
  },
  EndpointSliceMirroringController: {
    MirroringConcurrentServiceEndpointSyncs: 'mirroring-concurrent-service-endpoint-syncs',
    MirroringMaxEndpointsPerSubset: 'mirroring-max-endpoints-per-subset',
    MirroringEndpointUpdatesBatchPeriod: 'mirroring-endpointslice-updates-batch-period',
  },
  EphemeralVolumeController: { ConcurrentEphemeralVolumeSyncs: 'concurrent-ephemeralvolume-syncs' },
  GarbageCollectorController: {
    EnableGarbageCollector: 'enable-garbage-collector',
    ConcurrentGCSyncs: 'concurrent-gc-syncs',
    GCIgnoredResources: is(
      [
        { Group: '', Resource: 'events' },
        { Group: 'events.k8s.io', Resource: 'events' },
      ],
      { list: { fields: { Group: 'text', Resource: 'text' } } },
    ),
  },
  HPAController: {
    ConcurrentHorizontalPodAutoscalerSyncs: 'concurrent-horizontal-pod-autoscaler-syncs',
    HorizontalPodAutoscalerSyncPeriod: 'horizontal-pod-autoscaler-sync-period',
    HorizontalPodAutoscalerDownscaleStabilizationWindow: 'horizontal-pod-autoscaler-downscale-stabilization',
    HorizontalPodAutoscalerTolerance: 'horizontal-pod-autoscaler-tolerance',
    HorizontalPodAutoscalerCPUInitializationPeriod: 'horizontal-pod-autoscaler-cpu-initialization-period',
    HorizontalPodAutoscalerInitialReadinessDelay: 'horizontal-pod-autoscaler-initial-readiness-delay',
  },
  JobController: { ConcurrentJobSyncs: 'concurrent-job-syncs' },
  CronJobController: { ConcurrentCronJobSyncs: 'concurrent-cron-job-syncs' },
  LegacySATokenCleaner: { CleanUpPeriod: 'legacy-service-account-token-clean-up-period' },
  NamespaceController: { NamespaceSyncPeriod: 'namespace-sync-period', ConcurrentNamespaceSyncs: 'concurrent-namespace-syncs' },
  NodeIPAMController: {
    ServiceCIDR: serviceRange(0),
    SecondaryServiceCIDR: serviceRange(1),
    NodeCIDRMaskSize: 'node-cidr-mask-size',
    NodeCIDRMaskSizeIPv4: 'node-cidr-mask-size-ipv4',
    NodeCIDRMaskSizeIPv6: 'node-cidr-mask-size-ipv6',
  },
  NodeLifecycleController: {
    NodeEvictionRate: 'node-eviction-rate',
    SecondaryNodeEvictionRate: 'secondary-node-eviction-rate',
    NodeStartupGracePeriod: 'node-startup-grace-period',
    NodeMonitorGracePeriod: 'node-monitor-grace-period',
    PodEvictionTimeout: is('0s'),
    LargeClusterSizeThreshold: 'large-cluster-size-threshold',
    UnhealthyZoneThreshold: 'unhealthy-zone-threshold',
  },
  PersistentVolumeBinderController: {
    PVClaimBinderSyncPeriod: 'pvclaimbinder-sync-period',
    VolumeConfiguration: {
      EnableHostPathProvisioning: 'enable-hostpath-provisioner',
      EnableDynamicProvisioning: 'enable-dynamic-provisioning',
      PersistentVolumeRecyclerConfiguration: {
        MaximumRetry: is(3),
        MinimumTimeoutNFS: 'pv-recycler-minimum-timeout-nfs',
        PodTemplateFilePathNFS: 'pv-recycler-pod-template-filepath-nfs',
        IncrementTimeoutNFS: 'pv-recycler-increment-timeout-nfs',
        PodTemplateFilePathHostPath: 'pv-recycler-pod-template-filepath-hostpath',
        MinimumTimeoutHostPath: 'pv-recycler-minimum-timeout-hostpath',
        IncrementTimeoutHostPath: 'pv-recycler-timeout-increment-hostpath',
      },
      FlexVolumePluginDir: 'flex-volume-plugin-dir',
    },
  },
  PodGCController: { TerminatedPodGCThreshold: 'terminated-pod-gc-threshold' },
  ReplicaSetController: { ConcurrentRSSyncs: 'concurrent-replicaset-syncs' },
  ReplicationController: { ConcurrentRCSyncs: 'concurrent-rc-syncs' },
  ResourceQuotaController: {
    ResourceQuotaSyncPeriod: 'resource-quota-sync-period',
    ConcurrentResourceQuotaSyncs: 'concurrent-resource-quota-syncs',
  },
  SAController: {
    ServiceAccountKeyFile: 'service-account-private-key-file',
    ConcurrentSATokenSyncs: 'concurrent-serviceaccount-token-syncs',
    RootCAFile: 'root-ca-file',
  },
  ...services,
  TTLAfterFinishedController: { ConcurrentTTLSyncs: 'concurrent-ttl-after-finished-syncs' },
  ValidatingAdmissionPolicyStatusController: { ConcurrentPolicySyncs: 'concurrent-validating-admission-policy-status-syncs' },
};
