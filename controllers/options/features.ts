/** Features whose API is off by default, so that their controllers depend on served types. */
const gated = [
  'ClusterTrustBundle',
  'DRADeviceTaints',
  'GenericWorkload',
  'PodCertificateRequest',
  'StorageVersionAPI',
  'StorageVersionMigrator',
] as const;
export type GatedFeature = (typeof gated)[number];

/** Gates that have an effect in this program. The release's other gates are accepted without effect. */
export const switching = [
  ...gated,
  'AllowParsingUserUIDFromCertAuth',
  'ComponentFlagz',
  'ComponentStatusz',
  'ControllerManagerReleaseLeaderElectionLockOnExit',
  'CoordinatedLeaderElection',
  'DRAResourcePoolStatus',
  'DeploymentReplicaSetTerminatingReplicas',
  'HPAConfigurableTolerance',
  'LoggingAlphaOptions',
  'LoggingBetaOptions',
  'MaxUnavailableStatefulSet',
  'PersistentVolumeClaimUnusedSinceTime',
  'PodDeletionCost',
  'StatefulSetSemanticRevisionComparison',
  'WatchListClient',
  'WorkloadWithJob',
] as const;
export type SwitchingFeature = (typeof switching)[number];
