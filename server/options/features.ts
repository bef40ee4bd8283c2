import { fieldGates } from '../../program/features/fieldGates.js';
import { featureFlagsOf } from '../../program/features/options.js';

/** Gates with an effect in this program. The release's other gates are accepted without effect. */
export const switching = [
  'AllowParsingUserUIDFromCertAuth',
  'AllowInsecureKubeletCertificateSigningRequests',
  'AllowUnsafeMalformedObjectDeletion',
  'APIResponseCompression',
  'APIServerIdentity',
  'AuthorizePodWebsocketUpgradeCreatePermission',
  'CBORServingAndStorage',
  'ClusterTrustBundle',
  'ComponentFlagz',
  'ComponentStatusz',
  'ConstrainedImpersonation',
  'DRAResourceClaimGranularStatusAuthorization',
  'DRAResourcePoolStatus',
  'ExternalServiceAccountTokenSigner',
  'KMSv1',
  'LoggingAlphaOptions',
  'LoggingBetaOptions',
  'MutatingAdmissionPolicy',
  'OpenAPIEnums',
  'PodLogsQuerySplitStreams',
  'PodTopologyLabelsAdmission',
  'RemoteRequestHeaderUID',
  'ServiceAccountNodeAudienceRestriction',
  'ShardedListAndWatch',
  'SizeBasedListCostEstimate',
  'StorageVersionHash',
  'StorageVersionMigrator',
  'StructuredAuthenticationConfigurationEgressSelector',
  'TokenRequestServiceAccountUIDValidation',
  'UnknownVersionInteroperabilityProxy',
  'WatchCacheInitializationPostStartHook',
  'WatchList',
  'WorkloadWithJob',
  ...fieldGates,
] as const;
export type SwitchingFeature = (typeof switching)[number];

export const featureFlags = featureFlagsOf(switching);
