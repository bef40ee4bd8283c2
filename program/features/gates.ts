import { release } from '../version.js';

/**
 * Feature gates of the release with their history: the minor version that begins a stage (a alpha, b beta, g generally available, d deprecated), on by default
 * (`+`), locked to the default (`!`).
 */
const history = `
APIResponseCompression a8 b16+
APIServerIdentity a20 b26+
APIServerTracing a22 b27+ g34+!
APIServingWithRoutine a30
AggregatedDiscoveryRemoveBetaType g0 d33+ d35+!
AllowDNSOnlyNodeCSR g0+ d31
AllowInsecureKubeletCertificateSigningRequests g0+ d31
AllowOverwriteTerminationGracePeriodSeconds g0+ d32 d35!
AllowParsingUserUIDFromCertAuth b33+
AllowServiceExternalIPs g0+
AllowUnsafeMalformedObjectDeletion a32
AnonymousAuthConfigurableEndpoints a31 b32+ g34+!
AnyVolumeDataSource a18 b24+ g33+!
AtomicFIFO b36+
AuthorizeNodeWithSelectors a31 b32+ g34+!
AuthorizePodWebsocketUpgradeCreatePermission b35+
AuthorizeWithSelectors a31 b32+ g34+!
BtreeWatchCache b32+ g33+!
CBORServingAndStorage a32
CPUManagerPolicyAlphaOptions a23
CPUManagerPolicyBetaOptions b23+
CPUManagerPolicyOptions a22 b23+ g33+!
CRDObservedGenerationTracking b35 b36+
CRDValidationRatcheting a28 b30+ g33+!
CRIListStreaming a36
CSIServiceAccountTokenSecrets b35+ g36+!
CSIVolumeHealth a21
ChangeContainerStatusOnKubeletRestart g0+ d35
ClearingNominatedNodeNameAfterBinding a34 b35+
ClientsAllowCARotation b36+
ClientsAllowCBOR a32
ClientsAllowTLSCacheGC b36+
ClientsPreferCBOR a32
CloudControllerManagerWatchBasedRoutesReconciliation a35
CloudControllerManagerWebhook a27
ClusterTrustBundle a27 b33
ClusterTrustBundleProjection a29 b33
ComponentFlagz a32 b36+
ComponentStatusz a32 b36+
ConcurrentWatchObjectDecode b31
ConsistentListFromCache a28 b31+ g34+!
ConstrainedImpersonation a35 b36+
ContainerCheckpoint a25 b30+
ContainerRestartRules a34 b35+
ContainerStopSignals a33
ContextualLogging a24 b30+
ControllerManagerReleaseLeaderElectionLockOnExit a36
CoordinatedLeaderElection a31 b33
CrossNamespaceVolumeDataSource a26
CustomCPUCFSQuotaPeriod a12 g36+
CustomResourceFieldSelectors a30 b31+ g32+!
DRAAdminAccess a32 b34+ g36+!
DRAConsumableCapacity a34 b36+
DRADeviceBindingConditions a34 b36+
DRADeviceTaintRules a35 b36
DRADeviceTaints a33 b36+
DRAExtendedResource a34 b36+
DRAListTypeAttributes a36
DRANodeAllocatableResources a36
DRAPartitionableDevices a33 b36+
DRAPrioritizedList a33 b34+ g36+!
DRAResourceClaimDeviceStatus a32 b33+
DRAResourceClaimGranularStatusAuthorization b36+
DRAResourcePoolStatus a36
DRASchedulerFilterTimeout b34+
DRAWorkloadResourceClaims a36
DeclarativeValidation b33+ g36+!
DeclarativeValidationBeta b36+
DeclarativeValidationTakeover b33 d36
DeploymentReplicaSetTerminatingReplicas a33 b35+
DetectCacheInconsistency b34+
DisableAllocatorDualWrite a31 b33 g34+ g35+!
DisableCPUQuotaWithExclusiveCPUs b33+ d36+
DisableNodeKubeProxyVersion a29 d31 d33+ d36+!
DynamicResourceAllocation a26 b32 g34+ g35+!
EnvFiles a34 b35+
EventedPLEG a26
ExecProbeTimeout g20+ g35+!
ExtendWebSocketsToKubelet b36+
ExternalServiceAccountTokenSigner a32 b34+ g36+!
GangScheduling a35
GenericWorkload a35
GitRepoVolumeDriver g0+ d33 d36!
GracefulNodeShutdown a20 b21+
GracefulNodeShutdownBasedOnPodPriority a23 b24+
HPAConfigurableTolerance a33 b35+
HPAScaleToZero a16
HostnameOverride a34 b35+
ImageMaximumGCAge a29 b30+ g35+!
ImageVolume a31 b33 b35+ g36+!
ImageVolumeWithDigest a35
InOrderInformers b33+ g36+!
InOrderInformersBatchProcess b35+
InPlacePodLevelResourcesVerticalScaling a35 b36+
InPlacePodVerticalScaling a27 b33+ g35+!
InPlacePodVerticalScalingExclusiveCPUs a32
InPlacePodVerticalScalingExclusiveMemory a34
InPlacePodVerticalScalingInitContainers b36+
InformerResourceVersion a30 g35+
JobBackoffLimitPerIndex a28 b29+ g33+!
JobManagedBy a30 b32+ g35+!
JobPodReplacementPolicy a28 b29+ g34+!
JobSuccessPolicy a30 b31+ g33+!
KMSv1 g0+ d28+ d29
KubeletCgroupDriverFromCRI a28 b31+ g34+!
KubeletCrashLoopBackOffMax a32 b35+
KubeletEnsureSecretPulledImages a33 b35+
KubeletFineGrainedAuthz a32 b33+ g36+!
KubeletInUserNamespace a22
KubeletPSI a33 b34+ g36+!
KubeletPodResourcesDynamicResources a27 b34+ g36+!
KubeletPodResourcesGet a27 b34+ g36+!
KubeletPodResourcesListUseActivePods g0 d34+
KubeletRegistrationGetOnExistsOnly g0+ d32
KubeletSeparateDiskGC a29 b31+
KubeletServiceAccountTokenForCredentialProviders a33 b34+
KubeletTracing a25 b27+ g34+!
ListFromCacheSnapshot a33 b34+
LocalStorageCapacityIsolationFSQuotaMonitoring a15 b31
LogarithmicScaleDown a21 b22+ g31+!
LoggingAlphaOptions a24
LoggingBetaOptions b24+
ManifestBasedAdmissionControlConfig a36
MatchLabelKeysInPodAffinity a29 b31+ g33+!
MatchLabelKeysInPodTopologySpread a25 b27+
MatchLabelKeysInPodTopologySpreadSelectorMerge b34+
MaxUnavailableStatefulSet a24 b35
MemoryQoS a22
MultiCIDRServiceAllocator a27 b31 g33+ g34+!
MutableCSINodeAllocatableCount a33 b34 b35+ g36+!
MutablePVNodeAffinity a35
MutablePodResourcesForSuspendedJobs a35 b36+
MutableSchedulingDirectivesForSuspendedJobs a35 b36+
MutatingAdmissionPolicy a32 b34 g36+
NFTablesProxyMode a29 b31+ g33+!
NativeHistograms a36
NodeDeclaredFeatures a35 b36+
NodeInclusionPolicyInPodTopologySpread a25 b26+ g33+!
NodeLogQuery a27+ b30+ g36+!
NodeSwap a22 b28 b30+ g34+!
NominatedNodeNameForExpectation a34 b35+
OpenAPIEnums a23 b24+
OpportunisticBatching b35+
OrderedNamespaceDeletion b30 b33+ g34+!
PLEGOnDemandRelist b36+
PersistentVolumeClaimUnusedSinceTime a36
PodAndContainerStatsFromCRI a23
PodCertificateRequest a34 b35
PodDeletionCost a21 b22+
PodLevelResourceManagers a36
PodLevelResources a32 b34+
PodLifecycleSleepAction a29 b30+ g34+!
PodLifecycleSleepActionAllowZero a32 b33+ g34+!
PodLogsQuerySplitStreams a32
PodObservedGenerationTracking a33 b34+ g35+!
PodReadyToStartContainersCondition a28 b29+
PodSchedulingReadiness a26 b27+ g30+!
PodTopologyLabelsAdmission a33 b35+
PodsAPI a36
PortForwardWebsockets a30 b31+
PreferSameTrafficDistribution a33 b34+ g35+!
PreventStaticPodAPIReferences b34+
ProcMountType a12 b31 b33+ g36+!
QOSReserved a11
RecoverVolumeExpansionFailure a23 b32+ g34+!
RecursiveReadOnlyMounts a30 b31+ g33+!
ReduceDefaultCrashLoopBackOffDecay a33
RelaxedDNSSearchValidation a32 b33+ g34+!
RelaxedEnvironmentVariableValidation a30 b32+ g34+!
RelaxedServiceNameValidation a34 b36+
ReloadKubeletClientCAFile b36+
ReloadKubeletServerCertificateFile b31+
RemoteRequestHeaderUID a32 b33+
ResilientWatchCacheInitialization b31+ g34+!
ResourceHealthStatus a31 b36+
ResourceHealthStatusMessage b36+
RestartAllContainersOnContainerExits a35 b36+
RetryGenerateName a30 b31+ g32+!
RotateKubeletServerCertificate a7 b12+
RuntimeClassInImageCriApi a29
SELinuxChangePolicy a32 b33+ g36+!
SELinuxMount a30 b33
SELinuxMountReadWriteOncePod a25 b27 b28+ g36+!
SchedulerAsyncAPICalls b34
SchedulerAsyncPreemption a32 b33+
SchedulerPopFromBackoffQ b33+
SchedulerQueueingHints b28 b32+ g34+!
SeparateCacheWatchRPC b28+ d33 d36!
SeparateTaintEvictionController b29+ g34+!
ServiceAccountNodeAudienceRestriction b32 b33+
ServiceAccountTokenJTI a29 b30+ g32+!
ServiceAccountTokenNodeBinding a29 b31+ g33+!
ServiceAccountTokenNodeBindingValidation a29 b30+ g32+!
ServiceAccountTokenPodNodeInfo a29 b30+ g32+!
ServiceCIDRStatusFieldWiping g0 d36+
ShardedListAndWatch a36
SidecarContainers a28 b29+ g33+!
SizeBasedListCostEstimate b34+
StaleControllerConsistencyDaemonSet b36+
StaleControllerConsistencyJob b36+
StaleControllerConsistencyReplicaSet b36+
StaleControllerConsistencyStatefulSet b36+
StatefulSetSemanticRevisionComparison b0+
StorageCapacityScoring a33
StorageNamespaceIndex b30+ d33+
StorageVersionAPI a20
StorageVersionHash a14 b15+
StorageVersionMigrator a30 b35
StreamingCollectionEncodingToJSON b33+ g34+!
StreamingCollectionEncodingToProtobuf b33+ g34+!
StrictIPCIDRValidation a33 b36+
StructuredAuthenticationConfiguration a29 b30+ g34+!
StructuredAuthenticationConfigurationEgressSelector b34+
StructuredAuthenticationConfigurationJWKSMetrics b35+
SupplementalGroupsPolicy a31 b33+ g35+!
SystemdWatchdog b32+ g35+!
TaintTolerationComparisonOperators a35
TokenRequestServiceAccountUIDValidation b34+
TopologyAwareWorkloadScheduling a36
TopologyManagerPolicyAlphaOptions a26
TopologyManagerPolicyBetaOptions b26 b28+
TopologyManagerPolicyOptions a26 b28+ g32+!
TranslateStreamCloseWebsocketRequests a29 b30+
UnauthenticatedHTTP2DOSMitigation b25 b29+
UnknownVersionInteroperabilityProxy a28 b36+
UnlockWhileProcessingFIFO b36+
UserNamespacesHostNetworkSupport a35
UserNamespacesSupport a25 b30 b33+ g36+!
VolumeAttributesClass a29 b31 g34+ g36+!
VolumeLimitScaling a35
WatchCacheInitializationPostStartHook b31 b36+
WatchList a27 b32+ b33 b34+
WatchListClient b30 b35+
WinDSR a14 b33+ g34+!
WinOverlay a14 b20+ g34+!
WindowsCPUAndMemoryAffinity a32
WindowsGracefulNodeShutdown a32 b34+
WindowsHostNetwork a26 d33
WorkloadAwarePreemption a36
WorkloadWithJob a36
`;

/** The minor version of this program's release 1. */
export const binaryMinor = Number(/^v\d+\.(\d+)/.exec(release)?.[1]);

export type Stage = 'ALPHA' | 'BETA' | '' | 'DEPRECATED';

export interface Gate {
  readonly name: string;
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

const histories: readonly (readonly Change[])[] = history
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', ...changes] = line.split(' ');
    return changes.map((text) => {
      const [, stage = '', since = '', on = '', locked = ''] = /^([abgd])(\d+)(\+?)(!?)$/.exec(text) ?? [];
      return { since: Number(since), gate: { name, stage: stages[stage] ?? '', byDefault: on === '+', locked: locked === '!' } };
    });
  });

export function gatesOf(minor: number): ReadonlyMap<string, Gate> {
  const known = histories.map((history) => history.filter(({ since }) => since <= minor).at(-1)?.gate).filter((gate) => gate !== undefined);
  return new Map(known.map((gate) => [gate.name, gate]));
}
