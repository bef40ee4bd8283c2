import { createAdmissionMetrics } from '../admission/metrics.js';
import { enabledPlugins } from '../admission/names.js';
import { createManifestMetrics } from '../admission/manifests/metrics.js';
import { createPodSecurityMetrics } from '../admission/podsecurity/metrics.js';
import { createPolicyMetrics } from '../admission/policies/metrics.js';
import type { CountEvents } from '../admission/events/rateLimit.js';
import { convertAny } from '../extensions/conversion/admission.js';
import type { CustomResources } from '../extensions/definitions.js';
import { createIssueMetrics } from '../kinds/certificates.k8s.io/metrics.js';
import { issueObserver } from '../kinds/certificates.k8s.io/issue.js';
import type { Features } from '../../program/features/chosen.js';
import type { LiveFiles } from '../../program/files/liveFile.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import type { Registry } from '../registry/contract.js';
import { provideNamespace } from '../registry/namespaceProvision.js';
import { createRegistry, type RegistryOptions } from '../registry/store.js';
import type { Access } from './access.js';
import { admissionOf } from './admission.js';
import type { Given } from './given.js';
import { AdmissionManifests } from './manifests.js';
import type { Objects } from './objects.js';
import type { Platform } from './platform.js';
import { createAdmissionPolicies } from './policies.js';
import type { ServiceClaims } from './services.js';
import { createAdmissionWebhooks, type HookConnections } from './webhooks.js';
import { ownName } from './ownName.js';

export interface Registries {
  readonly registry: Registry;
  /** The same without admission, for the server's own objects: webhooks may wait for this very server, and plugins refuse everything. */
  readonly ownRegistry: Registry;
}

export interface RegistryParts extends Pick<Given, 'plugins'> {
  readonly objects: Objects;
  readonly custom: CustomResources;
  readonly connections: HookConnections;
  readonly services: ServiceClaims;
  readonly access: Access;
  readonly live: LiveFiles;
  readonly countEvents: CountEvents | null;
}

export function createRegistries(platform: Platform, given: RegistryParts): Registries {
  const { options, features, metrics, now } = platform;
  const { storage, builtIn } = given.objects;
  const enabled = pluginsThatRun(platform);
  const lifeCycle: RegistryOptions = {
    storage,
    enabled: (feature) => features.enabled(feature),
    collectsGarbage: options['enable-garbage-collector'],
    allocators: { services: given.services.allocator },
    deletionsAtOnce: Math.max(1, options['delete-collection-workers']),
    observers: [issueObserver(createIssueMetrics(metrics.registry))],
  };
  const registry: Registry = createRegistry({
    ...lifeCycle,
    namespaces: {
      exists: enabled.has('NamespaceLifecycle') || enabled.has('NamespaceExists'),
      stays: enabled.has('NamespaceLifecycle'),
      provide: enabled.has('NamespaceAutoProvision') ? (name) => provideNamespace(() => registry, builtIn, name) : null,
    },
    admission: admissionOf({
      ...given,
      ...given.objects,
      options,
      podSecurityCounts: createPodSecurityMetrics(metrics.registry),
      times: createAdmissionMetrics(metrics.registry),
      now,
      enabled,
      guards: extensionGuards(platform, given, enabled),
    }),
  });
  return { registry, ownRegistry: createRegistry(lifeCycle) };
}

/** Plugins that are off while their gates are off, as in the reference. */
const gatedPlugins: Readonly<Record<string, (features: Features) => boolean>> = {
  MutatingAdmissionPolicy: (features) => features.enabled('MutatingAdmissionPolicy'),
  PodTopologyLabels: (features) => features.enabled('PodTopologyLabelsAdmission'),
  JobValidation: (features) => features.enabled('GenericWorkload') || features.enabled('WorkloadWithJob'),
  NodeDeclaredFeatureValidator: (features) => features.enabled('NodeDeclaredFeatures'),
};

function pluginsThatRun({ options, features }: Platform): ReadonlySet<string> {
  const gatedOff = Object.keys(gatedPlugins).filter((plugin) => gatedPlugins[plugin]?.(features) === false);
  return enabledPlugins(options['enable-admission-plugins'], [...options['disable-admission-plugins'], ...gatedOff]);
}

function extensionGuards(
  { options, features, metrics, log, parts }: Platform,
  { objects, custom, connections, access, live, plugins }: RegistryParts,
  enabled: ReadonlySet<string>,
): readonly AdmissionPlugin[] {
  const manifests = new AdmissionManifests({
    configurations: plugins,
    live,
    catalogue: objects.builtIn,
    enabled: (feature) => features.enabled(feature),
    counts: createManifestMetrics(metrics.registry, ownName(options)),
    log: log.named('admission'),
  });
  const common = { ...objects, convert: convertAny(custom, objects.isBuiltIn), authorize: access.authorize, enabled, manifests };
  const webhooks = createAdmissionWebhooks({ ...common, connections, configurations: plugins, metrics, log: log.named('webhooks') });
  parts.add({ name: 'admission webhooks', stop: () => webhooks.stop() });
  const policies = createAdmissionPolicies({ ...common, metrics: createPolicyMetrics(metrics.registry), log: log.named('policies') });
  parts.add({ name: 'admission policies', stop: () => policies.stop() });
  return [...webhooks.steps, ...policies.steps];
}
