import { release } from '../version.js';

/**
 * Feature gates of the release with their history, and where each has an effect.
 *
 * History: the minor version that begins a stage (a alpha, b beta, g generally available, d deprecated), on by default (`+`), locked to the default (`!`).
 * Effects: `fields` in the rules of kinds, and so in the API server; `server` elsewhere in the API server; `manager` in the controller manager. The release's
 * other gates are accepted without effect.
 */
const gates = {
  APIResponseCompression: 'a8 b16+ server',
  APIServerIdentity: 'a20 b26+ server',
  APIServerTracing: 'a22 b27+ g34+!',
  APIServingWithRoutine: 'a30',
  AggregatedDiscoveryRemoveBetaType: 'g0 d33+ d35+!',
  AllowDNSOnlyNodeCSR: 'g0+ d31',
  AllowInsecureKubeletCertificateSigningRequests: 'g0+ d31 server',
  AllowOverwriteTerminationGracePeriodSeconds: 'g0+ d32 d35!',
  AllowParsingUserUIDFromCertAuth: 'b33+ server manager',
  AllowServiceExternalIPs: 'g0+',
  AllowUnsafeMalformedObjectDeletion: 'a32 server',
  AnonymousAuthConfigurableEndpoints: 'a31 b32+ g34+!',
  AnyVolumeDataSource: 'a18 b24+ g33+!',
  AtomicFIFO: 'b36+',
  AuthorizeNodeWithSelectors: 'a31 b32+ g34+!',
  AuthorizePodWebsocketUpgradeCreatePermission: 'b35+ server',
  AuthorizeWithSelectors: 'a31 b32+ g34+!',
  BtreeWatchCache: 'b32+ g33+!',
  CBORServingAndStorage: 'a32 server',
  CPUManagerPolicyAlphaOptions: 'a23',
  CPUManagerPolicyBetaOptions: 'b23+',
  CPUManagerPolicyOptions: 'a22 b23+ g33+!',
  CRDObservedGenerationTracking: 'b35 b36+ fields',
  CRDValidationRatcheting: 'a28 b30+ g33+!',
  CRIListStreaming: 'a36',
  CSIServiceAccountTokenSecrets: 'b35+ g36+! fields',
  CSIVolumeHealth: 'a21',
  ChangeContainerStatusOnKubeletRestart: 'g0+ d35',
  ClearingNominatedNodeNameAfterBinding: 'a34 b35+ fields',
  ClientsAllowCARotation: 'b36+',
  ClientsAllowCBOR: 'a32',
  ClientsAllowTLSCacheGC: 'b36+',
  ClientsPreferCBOR: 'a32',
  CloudControllerManagerWatchBasedRoutesReconciliation: 'a35',
  CloudControllerManagerWebhook: 'a27',
  ClusterTrustBundle: 'a27 b33 server manager',
  ClusterTrustBundleProjection: 'a29 b33 fields',
  ComponentFlagz: 'a32 b36+ server manager',
  ComponentStatusz: 'a32 b36+ server manager',
  ConcurrentWatchObjectDecode: 'b31',
  ConsistentListFromCache: 'a28 b31+ g34+!',
  ConstrainedImpersonation: 'a35 b36+ server',
  ContainerCheckpoint: 'a25 b30+',
  ContainerRestartRules: 'a34 b35+ fields',
  ContainerStopSignals: 'a33 fields',
  ContextualLogging: 'a24 b30+',
  ControllerManagerReleaseLeaderElectionLockOnExit: 'a36 manager',
  CoordinatedLeaderElection: 'a31 b33 fields manager',
  CrossNamespaceVolumeDataSource: 'a26 fields',
  CustomCPUCFSQuotaPeriod: 'a12 g36+',
  CustomResourceFieldSelectors: 'a30 b31+ g32+!',
  DRAAdminAccess: 'a32 b34+ g36+! fields',
  DRAConsumableCapacity: 'a34 b36+ fields',
  DRADeviceBindingConditions: 'a34 b36+ fields',
  DRADeviceTaintRules: 'a35 b36 server',
  DRADeviceTaints: 'a33 b36+ fields manager',
  DRAExtendedResource: 'a34 b36+ fields',
  DRAListTypeAttributes: 'a36 fields',
  DRANodeAllocatableResources: 'a36 fields',
  DRAPartitionableDevices: 'a33 b36+ fields',
  DRAPrioritizedList: 'a33 b34+ g36+ fields',
  DRAResourceClaimDeviceStatus: 'a32 b33+ fields',
  DRAResourceClaimGranularStatusAuthorization: 'b36+ server',
  DRAResourcePoolStatus: 'a36 server manager',
  DRASchedulerFilterTimeout: 'b34+',
  DRAWorkloadResourceClaims: 'a36 fields',
  DeclarativeValidation: 'b33+ g36+!',
  DeclarativeValidationBeta: 'b36+',
  DeclarativeValidationTakeover: 'b33 d36',
  DeploymentReplicaSetTerminatingReplicas: 'a33 b35+ fields manager',
  DetectCacheInconsistency: 'b34+',
  DisableAllocatorDualWrite: 'a31 b33 g34+ g35+!',
  DisableCPUQuotaWithExclusiveCPUs: 'b33+ d36+',
  DisableNodeKubeProxyVersion: 'a29 d31 d33+ d36+!',
  DynamicResourceAllocation: 'a26 b32 g34+ g35+! fields',
  EnvFiles: 'a34 b35+ fields',
  EventedPLEG: 'a26',
  ExecProbeTimeout: 'g20+ g35+!',
  ExtendWebSocketsToKubelet: 'b36+',
  ExternalServiceAccountTokenSigner: 'a32 b34+ g36+! server',
  GangScheduling: 'a35',
  GenericWorkload: 'a35 fields manager',
  GitRepoVolumeDriver: 'g0+ d33 d36!',
  GracefulNodeShutdown: 'a20 b21+',
  GracefulNodeShutdownBasedOnPodPriority: 'a23 b24+',
  HPAConfigurableTolerance: 'a33 b35+ fields manager',
  HPAScaleToZero: 'a16 fields',
  HostnameOverride: 'a34 b35+ fields',
  ImageMaximumGCAge: 'a29 b30+ g35+!',
  ImageVolume: 'a31 b33 b35+ g36+! fields',
  ImageVolumeWithDigest: 'a35 fields',
  InOrderInformers: 'b33+ g36+!',
  InOrderInformersBatchProcess: 'b35+',
  InPlacePodLevelResourcesVerticalScaling: 'a35 b36+ fields',
  InPlacePodVerticalScaling: 'a27 b33+ g35+!',
  InPlacePodVerticalScalingExclusiveCPUs: 'a32',
  InPlacePodVerticalScalingExclusiveMemory: 'a34',
  InPlacePodVerticalScalingInitContainers: 'b36+',
  InformerResourceVersion: 'a30 g35+',
  JobBackoffLimitPerIndex: 'a28 b29+ g33+!',
  JobManagedBy: 'a30 b32+ g35+! fields',
  JobPodReplacementPolicy: 'a28 b29+ g34+!',
  JobSuccessPolicy: 'a30 b31+ g33+!',
  KMSv1: 'g0+ d28+ d29 server',
  KubeletCgroupDriverFromCRI: 'a28 b31+ g34+!',
  KubeletCrashLoopBackOffMax: 'a32 b35+',
  KubeletEnsureSecretPulledImages: 'a33 b35+',
  KubeletFineGrainedAuthz: 'a32 b33+ g36+!',
  KubeletInUserNamespace: 'a22',
  KubeletPSI: 'a33 b34+ g36+!',
  KubeletPodResourcesDynamicResources: 'a27 b34+ g36+!',
  KubeletPodResourcesGet: 'a27 b34+ g36+!',
  KubeletPodResourcesListUseActivePods: 'g0 d34+',
  KubeletRegistrationGetOnExistsOnly: 'g0+ d32',
  KubeletSeparateDiskGC: 'a29 b31+',
  KubeletServiceAccountTokenForCredentialProviders: 'a33 b34+',
  KubeletTracing: 'a25 b27+ g34+!',
  ListFromCacheSnapshot: 'a33 b34+',
  LocalStorageCapacityIsolationFSQuotaMonitoring: 'a15 b31',
  LogarithmicScaleDown: 'a21 b22+ g31+!',
  LoggingAlphaOptions: 'a24 server manager',
  LoggingBetaOptions: 'b24+ server manager',
  ManifestBasedAdmissionControlConfig: 'a36 fields',
  MatchLabelKeysInPodAffinity: 'a29 b31+ g33+!',
  MatchLabelKeysInPodTopologySpread: 'a25 b27+ fields',
  MatchLabelKeysInPodTopologySpreadSelectorMerge: 'b34+ fields',
  MaxUnavailableStatefulSet: 'a24 b35 fields manager',
  MemoryQoS: 'a22',
  MultiCIDRServiceAllocator: 'a27 b31 g33+ g34+!',
  MutableCSINodeAllocatableCount: 'a33 b34 b35+ g36+! fields',
  MutablePVNodeAffinity: 'a35 fields',
  MutablePodResourcesForSuspendedJobs: 'a35 b36+ fields',
  MutableSchedulingDirectivesForSuspendedJobs: 'a35 b36+ fields',
  MutatingAdmissionPolicy: 'a32 b34 g36+ server',
  NFTablesProxyMode: 'a29 b31+ g33+!',
  NativeHistograms: 'a36',
  NodeDeclaredFeatures: 'a35 b36+ fields',
  NodeInclusionPolicyInPodTopologySpread: 'a25 b26+ g33+!',
  NodeLogQuery: 'a27+ b30+ g36+!',
  NodeSwap: 'a22 b28 b30+ g34+!',
  NominatedNodeNameForExpectation: 'a34 b35+',
  OpenAPIEnums: 'a23 b24+ server',
  OpportunisticBatching: 'b35+',
  OrderedNamespaceDeletion: 'b30 b33+ g34+!',
  PLEGOnDemandRelist: 'b36+',
  PersistentVolumeClaimUnusedSinceTime: 'a36 fields manager',
  PodAndContainerStatsFromCRI: 'a23',
  PodCertificateRequest: 'a34 b35 fields manager',
  PodDeletionCost: 'a21 b22+ fields manager',
  PodLevelResourceManagers: 'a36',
  PodLevelResources: 'a32 b34+ fields',
  PodLifecycleSleepAction: 'a29 b30+ g34+! fields',
  PodLifecycleSleepActionAllowZero: 'a32 b33+ g34+! fields',
  PodLogsQuerySplitStreams: 'a32 server',
  PodObservedGenerationTracking: 'a33 b34+ g35+! fields',
  PodReadyToStartContainersCondition: 'a28 b29+',
  PodSchedulingReadiness: 'a26 b27+ g30+!',
  PodTopologyLabelsAdmission: 'a33 b35+ server',
  PodsAPI: 'a36',
  PortForwardWebsockets: 'a30 b31+',
  PreferSameTrafficDistribution: 'a33 b34+ g35+! fields',
  PreventStaticPodAPIReferences: 'b34+',
  ProcMountType: 'a12 b31 b33+ g36+!',
  QOSReserved: 'a11',
  RecoverVolumeExpansionFailure: 'a23 b32+ g34+!',
  RecursiveReadOnlyMounts: 'a30 b31+ g33+!',
  ReduceDefaultCrashLoopBackOffDecay: 'a33',
  RelaxedDNSSearchValidation: 'a32 b33+ g34+! fields',
  RelaxedEnvironmentVariableValidation: 'a30 b32+ g34+! fields',
  RelaxedServiceNameValidation: 'a34 b36+ fields',
  ReloadKubeletClientCAFile: 'b36+',
  ReloadKubeletServerCertificateFile: 'b31+',
  RemoteRequestHeaderUID: 'a32 b33+ server',
  ResilientWatchCacheInitialization: 'b31+ g34+!',
  ResourceHealthStatus: 'a31 b36+ fields',
  ResourceHealthStatusMessage: 'b36+ fields',
  RestartAllContainersOnContainerExits: 'a35 b36+ fields',
  RetryGenerateName: 'a30 b31+ g32+!',
  RotateKubeletServerCertificate: 'a7 b12+',
  RuntimeClassInImageCriApi: 'a29',
  SELinuxChangePolicy: 'a32 b33+ g36+! fields',
  SELinuxMount: 'a30 b33 fields',
  SELinuxMountReadWriteOncePod: 'a25 b27 b28+ g36+! fields',
  SchedulerAsyncAPICalls: 'b34',
  SchedulerAsyncPreemption: 'a32 b33+',
  SchedulerPopFromBackoffQ: 'b33+',
  SchedulerQueueingHints: 'b28 b32+ g34+!',
  SeparateCacheWatchRPC: 'b28+ d33 d36!',
  SeparateTaintEvictionController: 'b29+ g34+!',
  ServiceAccountNodeAudienceRestriction: 'b32 b33+ server',
  ServiceAccountTokenJTI: 'a29 b30+ g32+!',
  ServiceAccountTokenNodeBinding: 'a29 b31+ g33+!',
  ServiceAccountTokenNodeBindingValidation: 'a29 b30+ g32+!',
  ServiceAccountTokenPodNodeInfo: 'a29 b30+ g32+!',
  ServiceCIDRStatusFieldWiping: 'g0 d36+',
  ShardedListAndWatch: 'a36 server',
  SidecarContainers: 'a28 b29+ g33+!',
  SizeBasedListCostEstimate: 'b34+ server',
  StaleControllerConsistencyDaemonSet: 'b36+',
  StaleControllerConsistencyJob: 'b36+',
  StaleControllerConsistencyReplicaSet: 'b36+',
  StaleControllerConsistencyStatefulSet: 'b36+',
  StatefulSetSemanticRevisionComparison: 'b0+ manager',
  StorageCapacityScoring: 'a33',
  StorageNamespaceIndex: 'b30+ d33+',
  StorageVersionAPI: 'a20 manager',
  StorageVersionHash: 'a14 b15+ server',
  StorageVersionMigrator: 'a30 b35 server manager',
  StreamingCollectionEncodingToJSON: 'b33+ g34+!',
  StreamingCollectionEncodingToProtobuf: 'b33+ g34+!',
  StrictIPCIDRValidation: 'a33 b36+ fields',
  StructuredAuthenticationConfiguration: 'a29 b30+ g34+!',
  StructuredAuthenticationConfigurationEgressSelector: 'b34+ server',
  StructuredAuthenticationConfigurationJWKSMetrics: 'b35+',
  SupplementalGroupsPolicy: 'a31 b33+ g35+! fields',
  SystemdWatchdog: 'b32+ g35+!',
  TaintTolerationComparisonOperators: 'a35 fields',
  TokenRequestServiceAccountUIDValidation: 'b34+ server',
  TopologyAwareWorkloadScheduling: 'a36 fields',
  TopologyManagerPolicyAlphaOptions: 'a26',
  TopologyManagerPolicyBetaOptions: 'b26 b28+',
  TopologyManagerPolicyOptions: 'a26 b28+ g32+!',
  TranslateStreamCloseWebsocketRequests: 'a29 b30+',
  UnauthenticatedHTTP2DOSMitigation: 'b25 b29+',
  UnknownVersionInteroperabilityProxy: 'a28 b36+ server',
  UnlockWhileProcessingFIFO: 'b36+',
  UserNamespacesHostNetworkSupport: 'a35 fields',
  UserNamespacesSupport: 'a25 b30 b33+ g36+! fields',
  VolumeAttributesClass: 'a29 b31 g34+ g36+! fields',
  VolumeLimitScaling: 'a35 fields',
  WatchCacheInitializationPostStartHook: 'b31 b36+ server',
  WatchList: 'a27 b32+ b33 b34+ server',
  WatchListClient: 'b30 b35+ manager',
  WinDSR: 'a14 b33+ g34+!',
  WinOverlay: 'a14 b20+ g34+!',
  WindowsCPUAndMemoryAffinity: 'a32',
  WindowsGracefulNodeShutdown: 'a32 b34+',
  WindowsHostNetwork: 'a26 d33',
  WorkloadAwarePreemption: 'a36 fields',
  WorkloadWithJob: 'a36 server manager',
} as const;

type Effect = 'fields' | 'server' | 'manager';
type History = typeof gates;
type With<E extends Effect> = {
  [Name in keyof History]: History[Name] extends `${string} ${E}` | `${string} ${E} ${string}` ? Name : never;
}[keyof History];
export type FeatureGate = keyof History;
export type FieldGate = With<'fields'>;
export type ServerGate = With<'fields' | 'server'>;
export type ManagerGate = With<'manager'>;

/** Paths of a feature's fields in an object, by gate, in the form of `fieldPath`. */
export type GatedFields = Readonly<Partial<Record<FieldGate, readonly string[]>>>;

export type EnabledFeatures = (feature: FieldGate) => boolean;

/** Names of the gates with any of these effects. */
export const gatesWith = (...effects: readonly Effect[]): string[] =>
  Object.entries(gates).flatMap(([name, text]) =>
    text.split(' ').some((word) => (effects as readonly string[]).includes(word)) ? [name] : [],
  );

/** The minor version of this program's release 1. */
export const binaryMinor = Number(/^v\d+\.(\d+)/.exec(release)?.[1]);

export type Stage = 'ALPHA' | 'BETA' | '' | 'DEPRECATED';

export interface Gate {
  readonly name: FeatureGate;
  /** The name in metrics: empty for generally available gates. */
  readonly stage: Stage;
  readonly byDefault: boolean;
  readonly locked: boolean;
}

export const wholeStages: ReadonlyMap<string, Stage> = new Map([
  ['AllAlpha', 'ALPHA'],
  ['AllBeta', 'BETA'],
]);

const stages: Readonly<Record<string, Stage>> = { a: 'ALPHA', b: 'BETA', g: '', d: 'DEPRECATED' };

interface Change {
  readonly since: number;
  readonly gate: Gate;
}

const histories: readonly (readonly Change[])[] = (Object.entries(gates) as [FeatureGate, string][]).map(([name, text]) =>
  [...text.matchAll(/\b([abgd])(\d+)(\+?)(!?)/g)].map(([, stage = '', since, on, locked]) => ({
    since: Number(since),
    gate: { name, stage: stages[stage] ?? '', byDefault: on === '+', locked: locked === '!' },
  })),
);

export function gatesOf(minor: number): ReadonlyMap<string, Gate> {
  const known = histories.map((history) => history.filter(({ since }) => since <= minor).at(-1)?.gate).filter((gate) => gate !== undefined);
  return new Map(known.map((gate) => [gate.name, gate]));
}
