import type { JsonObject } from '../../api/object.js';
import type { Storage } from '../storage/contract.js';
import { alwaysAdmit, alwaysDeny } from './always.js';
import type { PluginConfigurations } from './configuration.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import { denyServiceExternalIps } from './externalIps.js';
import { defaultIngressClass } from './ingressClass.js';
import { limitRanger } from './limits/limitRanger.js';
import { jobValidation } from './groups/jobValidation.js';
import { podGroupWorkloadExists } from './groups/workloadExists.js';
import { createLookup, type Lookup } from '../registry/lookup.js';
import { enabledPlugins, placeOf } from './names.js';
import { lastingNamespaces } from './namespaces.js';
import { taintNodesByCondition } from './nodeTaints.js';
import { alwaysPullImages } from './pods/alwaysPull.js';
import { limitHardAntiAffinity } from './pods/antiAffinity.js';
import { defaultTolerationSeconds } from './pods/defaultTolerations.js';
import { eventCounter, eventLimitsIn, eventRateLimit, type CountEvents } from './events/rateLimit.js';
import { nodeDeclaresFeatures } from './pods/declaredFeatures.js';
import { extendedResourceToleration } from './pods/extendedResources.js';
import { nodeSelectorsIn, podNodeSelector } from './pods/nodeSelector.js';
import { priority } from './pods/priority.js';
import { podResizeFits } from './pods/resizeFits.js';
import { runtimeClass } from './pods/runtimeClass.js';
import { serviceAccount } from './pods/serviceAccount.js';
import { podTolerationRestriction, tolerationRulesIn } from './pods/tolerationRestriction.js';
import { podTopologyLabels } from './pods/topologyLabels.js';
import { timeText } from '../../api/time.js';
import type { PodSecurityCounts } from './podsecurity/counts.js';
import { podSecurityRules } from './podsecurity/configuration.js';
import { podSecurity } from './podsecurity/podSecurity.js';
import { limitedResources } from './quota/configuration.js';
import { resourceQuota } from './quota/resourceQuota.js';
import { claimResize, defaultStorageClass, storageInUseProtection } from './volumes/storageClass.js';

export interface StepParts {
  readonly storage: Storage;
  readonly lookup: Lookup;
  /** Numbers in [0, 1), for generated names. */
  readonly random: () => number;
  readonly now: () => string;
  /** The plugin's configuration (`--admission-control-config-file`), or null. */
  readonly configuration: JsonObject | null;
  /** Counts events process-wide instead of here. */
  readonly countEvents?: CountEvents;
  readonly podSecurityCounts?: PodSecurityCounts;
  /** Default times that pods stay on a node with these taints. */
  readonly tolerationSeconds: Readonly<Record<string, number>>;
}

/**
 * Steps by plugin, whose order and defaults are in `names.ts`. `server/authorization` makes the steps that need the authorizer, and
 * `server/assembly/admission.ts` adds them.
 */
const steps: Readonly<Record<string, (parts: StepParts) => AdmissionPlugin>> = {
  AlwaysAdmit: () => alwaysAdmit,
  NamespaceLifecycle: () => lastingNamespaces,
  LimitPodHardAntiAffinityTopology: () => limitHardAntiAffinity(),
  LimitRanger: ({ lookup }) => limitRanger(lookup),
  ServiceAccount: ({ lookup, random }) => serviceAccount({ lookup, random }),
  TaintNodesByCondition: () => taintNodesByCondition(),
  AlwaysPullImages: () => alwaysPullImages(),
  PodSecurity: ({ lookup, configuration, podSecurityCounts }) => podSecurity(lookup, podSecurityRules(configuration), podSecurityCounts),
  PodNodeSelector: ({ lookup, configuration }) => podNodeSelector(lookup, nodeSelectorsIn(configuration)),
  Priority: ({ lookup }) => priority(lookup),
  DefaultTolerationSeconds: ({ tolerationSeconds }) => defaultTolerationSeconds(tolerationSeconds),
  PodTolerationRestriction: ({ lookup, configuration }) => podTolerationRestriction(lookup, tolerationRulesIn(configuration)),
  EventRateLimit: ({ configuration, countEvents }) => {
    const limits = eventLimitsIn(configuration);
    return eventRateLimit(limits, countEvents ?? eventCounter(limits));
  },
  ExtendedResourceToleration: () => extendedResourceToleration(),
  DefaultStorageClass: ({ lookup }) => defaultStorageClass(lookup),
  StorageObjectInUseProtection: () => storageInUseProtection(),
  PersistentVolumeClaimResize: ({ lookup }) => claimResize(lookup),
  RuntimeClass: ({ lookup }) => runtimeClass(lookup),
  DefaultIngressClass: ({ lookup }) => defaultIngressClass(lookup),
  DenyServiceExternalIPs: () => denyServiceExternalIps(),
  PodTopologyLabels: ({ lookup }) => podTopologyLabels(lookup),
  PodGroupWorkloadExists: ({ lookup }) => podGroupWorkloadExists(lookup),
  NodeDeclaredFeatureValidator: ({ lookup }) => nodeDeclaresFeatures(lookup),
  JobValidation: ({ lookup }) => jobValidation(lookup),
  PodResizeValidator: ({ lookup }) => podResizeFits(lookup),
  ResourceQuota: ({ storage, configuration, now }) => resourceQuota({ storage, now, limited: limitedResources(configuration) }),
  AlwaysDeny: () => alwaysDeny,
};

/** Plugins implemented elsewhere: by `server/authorization`, `server/assembly/webhooks.ts`, and the registry, which checks namespaces first. */
const otherSteps: readonly string[] = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'ClusterTrustBundleAttest',
  'ImagePolicyWebhook',
  'NodeRestriction',
  'OwnerReferencesPermissionEnforcement',
];

const available: ReadonlySet<string> = new Set([...Object.keys(steps), ...otherSteps]);

export const isAvailablePlugin = (name: string): boolean => available.has(name);

export interface PluginOptions {
  readonly storage: Storage;
  readonly random?: () => number;
  readonly now?: () => string;
  readonly countEvents?: CountEvents;
  readonly podSecurityCounts?: PodSecurityCounts;
  /** The running plugins. Default: the reference's. */
  readonly enabled?: ReadonlySet<string>;
  readonly configurations?: PluginConfigurations;
  readonly tolerationSeconds?: Readonly<Record<string, number>>;
  /** Further steps. Those without a plugin's name always run. */
  readonly others?: readonly AdmissionPlugin[];
}

export function createPlugins(options: PluginOptions): readonly AdmissionPlugin[] {
  const {
    storage,
    random = Math.random,
    now = (): string => timeText(performance.timeOrigin + performance.now()),
    enabled = enabledPlugins([], []),
    configurations,
    tolerationSeconds = {},
    others = [],
  } = options;
  const lookup = createLookup(storage);
  const own = Object.entries(steps)
    .filter(([name]) => enabled.has(name))
    .map(([name, make]) =>
      make({
        storage,
        lookup,
        random,
        now,
        tolerationSeconds,
        configuration: configurations?.get(name) ?? null,
        ...(options.countEvents === undefined ? {} : { countEvents: options.countEvents }),
        ...(options.podSecurityCounts === undefined ? {} : { podSecurityCounts: options.podSecurityCounts }),
      }),
    );
  const foreign = others.filter(({ name }) => placeOf(name) < 0 || enabled.has(name));
  return [...own, ...foreign].sort((a, b) => placeOf(a.name) - placeOf(b.name));
}
