import { inGroup, type FlagValues } from '../../program/flags/flag.js';
import { chooseFeatures, featureComplaints, gateText, type Features } from '../features/chosen.js';
import { fieldGates } from '../features/fieldGates.js';
import { binaryMinor, gatesOf } from '../features/gates.js';
import { emulatedMinor, emulatedVersion, oldestMinor } from './emulation.js';

/**
 * Gates that switch something in this program. All others of the release are known, and those of features that are always there, or belong to other programs,
 * change nothing.
 */
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

const listed = [...gatesOf(binaryMinor).values()].filter(({ locked }) => !locked);

/** `--feature-gates` and `--emulated-version` of a program in which these gates switch something: in place of the options of both programs. */
export const featureFlagsOf = (switching: readonly string[]) =>
  inGroup('General', {
    'feature-gates': {
      kind: 'gates',
      default: {},
      check: (value) => (/^(true|false)$/.test(value) ? null : 'true or false'),
      help:
        `Features to switch on or off, as [component:]Feature=true|false. In this program these switch something: ${[...switching].sort().join(', ')}. ` +
        `Known are: AllAlpha=true|false (ALPHA - default=false), AllBeta=true|false (BETA - default=false), ${listed.map(gateText).join(', ')}.`,
    },
    'emulated-version': {
      kind: 'strings',
      default: [],
      check: emulatedVersion,
      help: `Version whose feature gates and APIs are to be there, from 1.${oldestMinor} to 1.${binaryMinor}, as [kube=]major.minor.` as string,
    },
  });

export const featureFlags = featureFlagsOf(switching);

type GateOptions = FlagValues<typeof featureFlags>;

/** Reads `--feature-gates`. */
export const featuresOf = (options: GateOptions): Features => chooseFeatures(options['feature-gates'], emulatedMinor(options));

/** What is wrong with the gates, or null. */
export function featuresComplaint(options: GateOptions): string | null {
  const complaints = featureComplaints(options['feature-gates'], emulatedMinor(options));
  return complaints.length === 0 ? null : complaints.join('; ');
}
