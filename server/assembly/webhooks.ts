import path from 'node:path';
import { checkPluginConfiguration, type PluginConfigurations, type PluginKind } from '../admission/configuration.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import type { ConvertObject } from '../admission/matching/versions.js';
import { imagePolicyIn, imagePolicyWebhook } from '../admission/pods/imagePolicy.js';
import type { CallerParts } from '../admission/webhooks/caller.js';
import { followHooks } from '../admission/webhooks/configurations.js';
import type { HookKind } from '../admission/webhooks/hook.js';
import { mutatingWebhooks } from '../admission/webhooks/mutating.js';
import { validatingWebhooks } from '../admission/webhooks/validating.js';
import type { JsonObject } from '../../api/object.js';
import { askAuthorizer } from '../authorization/askAuthorizer.js';
import type { Authorizer } from '../authorization/authorizer.js';
import { loadUsers, type ConnectionSettings } from '../../program/kubeconfig.js';
import type { WebhookConverters } from '../extensions/conversion/contract.js';
import { webhookConverters } from '../extensions/conversion/webhook.js';
import { createConversionMetrics } from '../extensions/conversion/metrics.js';
import type { Logger } from '../../program/log/logger.js';
import type { Metrics } from '../http/metrics.js';
import { createHookMetrics, type HookMetrics } from '../admission/webhooks/metrics.js';
import { readPairOf, type KeyPairFiles } from '../../program/tls/credentials.js';
import { directEgress, type Egress } from '../egress/egress.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { Catalogue } from '../registry/resources.js';
import type { AdmissionManifests } from './manifests.js';
import { addressOf, isOwnService, ownServerOf } from './loopback.js';
import type { Given } from './given.js';
import { clusterAddresses, endpointAddresses, loopbackAddresses, type ServiceAddresses } from '../registry/serviceAddresses.js';
import type { Storage } from '../storage/contract.js';
import { webhookClient } from '../webhook/client.js';
import { createHookClients, type HookClients, type HookClientsOptions } from '../webhook/hookClients.js';
import { noCertificateCounts, type CertificateCounts } from '../webhook/peerCertificates.js';
import { namedIdentities } from '../webhook/identities.js';

type WebhookOptions = Pick<ApiServerOptions, 'enable-aggregator-routing' | 'proxy-client-cert-file' | 'proxy-client-key-file'>;

export interface HookConnections {
  readonly addresses: ServiceAddresses;
  /** The default client certificate; empty unless options name one. */
  readonly identity: Pick<ConnectionSettings, 'cert' | 'key'>;
  readonly egress: Egress;
  readonly certificates: CertificateCounts;
  readonly own?: HookClientsOptions['own'];
}

export type HookWays = Partial<Pick<HookConnections, 'egress' | 'certificates'> & Pick<Given, 'loopback' | 'serving'>>;

/** Throws for an unreadable file, with its option. */
export function hookConnections(
  options: WebhookOptions,
  storage: Storage,
  { egress = directEgress, certificates = noCertificateCounts, loopback, serving }: HookWays = {},
): HookConnections {
  const [certFile, keyFile] = [options['proxy-client-cert-file'], options['proxy-client-key-file']];
  const others = options['enable-aggregator-routing'] ? endpointAddresses(storage) : clusterAddresses(storage);
  return {
    egress,
    certificates,
    ...(loopback === undefined || serving === undefined ? { addresses: others } : waysToItself({ loopback, serving }, others)),
    identity: certFile === null || keyFile === null ? {} : identityIn({ certFile, keyFile }),
  };
}

const waysToItself = (
  { loopback, serving }: Pick<Given, 'loopback' | 'serving'>,
  others: ServiceAddresses,
): Pick<HookConnections, 'addresses' | 'own'> => ({
  addresses: loopbackAddresses(others, isOwnService, () => addressOf(loopback)),
  own: (service) => (isOwnService(service) ? ownServerOf(loopback, serving.credentials) : null),
});

/** An expired certificate is still presented: the webhook decides. */
function identityIn(files: KeyPairFiles): HookConnections['identity'] {
  const { cert, key } = readPairOf('--proxy-client-cert-file', files, new Date(0));
  return { cert: cert.toString(), key: key.toString() };
}

export interface AdmissionWebhooks {
  readonly steps: readonly AdmissionPlugin[];
  stop(): void;
}

export interface AdmissionWebhookParts {
  readonly storage: Storage;
  readonly catalogue: Catalogue;
  readonly connections: HookConnections;
  readonly convert: ConvertObject;
  readonly authorize: Authorizer;
  readonly enabled: ReadonlySet<string>;
  readonly configurations: PluginConfigurations;
  readonly manifests: AdmissionManifests;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const plugins: readonly (readonly [name: string, kind: HookKind, make: typeof mutatingWebhooks])[] = [
  ['MutatingAdmissionWebhook', 'mutating', mutatingWebhooks],
  ['ValidatingAdmissionWebhook', 'validating', validatingWebhooks],
];

/** Makes the admission steps of webhooks, and follows their configurations. Throws for an invalid kubeconfig. */
export function createAdmissionWebhooks(parts: AdmissionWebhookParts): AdmissionWebhooks {
  const { enabled, configurations, connections, metrics, log } = parts;
  const counted = createHookMetrics(metrics.registry);
  const running = plugins.filter(([name]) => enabled.has(name)).map((plugin) => runPlugin(plugin, parts, counted));
  if (enabled.has(imagePolicy)) running.push(imagePolicyStep(configurations, log, connections));
  return {
    steps: running.map(({ step }) => step),
    stop: () => {
      for (const { stop } of running) stop();
    },
  };
}

function runPlugin(
  [name, kind, make]: (typeof plugins)[number],
  { storage, catalogue, connections, convert, authorize, configurations, manifests, log }: AdmissionWebhookParts,
  metrics: HookMetrics,
): { readonly step: AdmissionPlugin; readonly stop: () => void } {
  const clients = clientsFor(connections, kubeconfigOf(configurations.get(name), name));
  const report = (error: unknown, configuration: string): void => {
    log.error('a configuration of webhooks cannot be read; the earlier one stays', { configuration, error });
  };
  const followed = followHooks(kind, storage, report, manifests.hooks(name, `${kind}webhookconfigurations`));
  const caller: CallerParts = {
    storage,
    catalogue,
    clients,
    convert,
    askAuthorizer: askAuthorizer(authorize),
    metrics,
    report: (message) => {
      log.warn(message);
    },
  };
  return {
    step: make(followed, caller),
    stop: () => {
      followed.stop();
      clients.close();
    },
  };
}

const imagePolicy = 'ImagePolicyWebhook';
/** A service without a response counts as unreachable. */
const imagePolicyTimeoutMs = 30_000;

function imagePolicyStep(
  configurations: PluginConfigurations,
  log: Logger,
  { egress, certificates }: HookConnections,
): { readonly step: AdmissionPlugin; readonly stop: () => void } {
  const policy = imagePolicyIn(configurations.get(imagePolicy) ?? null);
  const client = webhookClient(policy.kubeConfigFile, `the configuration of ${imagePolicy}`, {
    dial: egress('controlplane'),
    certificates,
  });
  const ask = (review: string, signal: AbortSignal | null): Promise<string> =>
    client.post(review, { timeoutMs: imagePolicyTimeoutMs, signal: signal ?? undefined });
  return {
    step: imagePolicyWebhook({
      policy,
      ask,
      report: (error) => {
        log.warn('images cannot be checked', { error });
      },
    }),
    stop: () => {
      client.close();
    },
  };
}

const clientsFor = (
  { addresses, identity, egress, certificates, own }: HookConnections,
  kubeconfig: string | null,
  answerBytesMax?: number,
): HookClients =>
  createHookClients({
    resolve: addresses,
    certificates,
    dial: { service: egress('cluster'), host: egress('controlplane') },
    identityFor: namedIdentities(kubeconfig === null ? new Map() : loadUsers(kubeconfig), identity),
    ...(own === undefined ? {} : { own }),
    ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
  });

/** The kind has had two names, and `kubeConfigFile` has two spellings. */
const fileFields: PluginKind['fields'] = { kubeConfigFile: 'text', orchConfigFile: 'text', staticManifestsDir: 'text' };
export const hookKinds: readonly PluginKind[] = [
  { kind: 'WebhookAdmissionConfiguration', apiVersions: ['apiserver.config.k8s.io/v1'], fields: fileFields },
  { kind: 'WebhookAdmission', apiVersions: ['apiserver.config.k8s.io/v1alpha1'], fields: fileFields },
];

/** `kubeConfigFile` of a WebhookAdmissionConfiguration. */
function kubeconfigOf(configuration: JsonObject | undefined, plugin: string): string | null {
  if (configuration === undefined) return null;
  checkPluginConfiguration(plugin, configuration, hookKinds.find(({ kind }) => kind === configuration['kind']) ?? hookKinds[0]!);
  const file = configuration['kubeConfigFile'] ?? configuration['orchConfigFile'] ?? '';
  if (file === '') return null;
  if (typeof file !== 'string' || !path.isAbsolute(file))
    throw new Error(`the configuration of ${plugin}: kubeConfigFile must be an absolute path`);
  return file;
}

export interface ConversionWebhooks {
  readonly converters: WebhookConverters;
  stop(): void;
}

/** A list of large objects returns in one response. */
const convertedBytesMax = 64 * 1024 * 1024;

export function createConversionWebhooks(connections: HookConnections, metrics: Metrics): ConversionWebhooks {
  const clients = clientsFor(connections, null, convertedBytesMax);
  return {
    converters: webhookConverters({ clients, observe: createConversionMetrics(metrics.registry) }),
    stop: () => {
      clients.close();
    },
  };
}
