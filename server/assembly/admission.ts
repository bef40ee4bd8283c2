import type { Access } from './access.js';
import { createAdmission } from '../admission/chain.js';
import type { PluginConfigurations } from '../admission/configuration.js';
import type { Admission, AdmissionPlugin } from '../registry/admission.js';
import type { CountEvents } from '../admission/events/rateLimit.js';
import { createLookup } from '../registry/lookup.js';
import { createPlugins } from '../admission/plugins.js';
import type { PodSecurityCounts } from '../admission/podsecurity/counts.js';
import type { AdmissionTimes } from '../admission/times.js';
import { refusesPrivileged } from '../admission/privileged.js';
import { certificateGuards } from '../authorization/certificates.js';
import { claimGuards } from '../authorization/claimStatus.js';
import { nodeChecks, nodeRestriction } from '../authorization/node/restriction.js';
import { ownerReferencesPermission } from '../authorization/ownerReferences.js';
import { policyParamsCheck } from '../authorization/policyParams.js';
import type { ApiServerOptions } from '../options/flags.js';
import { featuresOf } from '../../program/features/options.js';
import type { Catalogue } from '../registry/resources.js';
import type { RaftStorage } from '../storage/raft.js';

interface AdmissionParts {
  readonly options: ApiServerOptions;
  readonly plugins: PluginConfigurations;
  readonly podSecurityCounts: PodSecurityCounts;
  readonly countEvents: CountEvents | null;
  readonly times: AdmissionTimes;
  readonly now: () => string;
  readonly storage: RaftStorage;
  readonly catalogue: Catalogue;
  readonly access: Access;
  readonly enabled: ReadonlySet<string>;
  readonly guards: readonly AdmissionPlugin[];
}

export function admissionOf({
  options,
  plugins: configurations,
  podSecurityCounts,
  countEvents,
  times,
  now,
  storage,
  catalogue,
  access,
  enabled,
  guards,
}: AdmissionParts): Admission {
  return createAdmission(
    createPlugins({
      storage,
      now,
      configurations,
      podSecurityCounts,
      ...(countEvents === null ? {} : { countEvents }),
      enabled,
      tolerationSeconds: {
        'node.kubernetes.io/not-ready': options['default-not-ready-toleration-seconds'],
        'node.kubernetes.io/unreachable': options['default-unreachable-toleration-seconds'],
      },
      others: [
        ...(options['allow-privileged'] ? [] : [refusesPrivileged()]),
        ...certificateGuards(access.authorize),
        ...(featuresOf(options).enabled('DRAResourceClaimGranularStatusAuthorization') ? claimGuards(access.authorize) : []),
        nodeRestriction(createLookup(storage), access.authorize, nodeChecks(featuresOf(options))),
        ownerReferencesPermission(access.authorize, catalogue),
        policyParamsCheck({ authorize: access.authorize, catalogue, lookup: createLookup(storage) }),
        ...access.guards,
        ...guards,
      ],
    }),
    times,
  );
}
