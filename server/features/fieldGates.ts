/** Gates of features that consist in fields, or in what may be changed: the declarations of kinds say in which (`Strategy.gated`), or ask for them. */
export const fieldGates = [
  'CSIServiceAccountTokenSecrets',
  'ClusterTrustBundleProjection',
  'ContainerRestartRules',
  'ContainerStopSignals',
  'DRAAdminAccess',
  'DRAConsumableCapacity',
  'DRADeviceBindingConditions',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAPartitionableDevices',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DRAWorkloadResourceClaims',
  'DeploymentReplicaSetTerminatingReplicas',
  'EnvFiles',
  'GenericWorkload',
  'HPAConfigurableTolerance',
  'HostnameOverride',
  'ImageVolume',
  'InPlacePodLevelResourcesVerticalScaling',
  'MutableCSINodeAllocatableCount',
  'MutablePodResourcesForSuspendedJobs',
  'MutableSchedulingDirectivesForSuspendedJobs',
  'NodeDeclaredFeatures',
  'PodCertificateRequest',
  'PodLevelResources',
  'ResourceHealthStatus',
  'TopologyAwareWorkloadScheduling',
  'VolumeAttributesClass',
  'VolumeLimitScaling',
  'WorkloadAwarePreemption',
] as const;
export type FieldGate = (typeof fieldGates)[number];

/** By gate: where the fields of the feature stand in an object, as `fieldPath` reads it. */
export type GatedFields = Readonly<Partial<Record<FieldGate, readonly string[]>>>;

/** Which of these features are on. */
export type EnabledFeatures = (feature: FieldGate) => boolean;
