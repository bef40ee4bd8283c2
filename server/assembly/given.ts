import { readPluginConfigurations, type PluginConfigurations } from '../admission/configuration.js';
import { readEgressSelections } from '../egress/configuration.js';
import { createEgress, directEgress, type Egress } from '../egress/egress.js';
import type { AgentCredentials } from '../endpoints/backends/connection.js';
import { readAgentCredentials } from '../endpoints/backends/credentials.js';
import type { Live, LiveFiles } from '../../program/files/liveFile.js';
import type { ListenerOptions } from '../../program/port/listener.js';
import { createEncryptionMetrics } from '../storage/encryption/metrics.js';
import type { Logger } from '../../program/log/logger.js';
import type { Metrics } from '../http/metrics.js';
import { createReloadMetrics } from '../../program/metrics/reloads.js';
import { featuresOf } from '../../program/features/options.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { Encryption } from '../storage/encryption/encryption.js';
import { loadEncryption } from '../storage/encryption/load.js';
import { readTracingConfiguration } from '../../program/tracing/configuration.js';
import { servingOptions } from './serving.js';
import { tracingOf, type Tracing } from './tracing.js';
import type { Loopback } from './loopback.js';
import { ownName } from './ownName.js';

export interface Given {
  readonly serving: Omit<ListenerOptions, 'handle'>;
  readonly plugins: PluginConfigurations;
  readonly encryption: Live<Encryption> | null;
  readonly egress: Egress;
  /** The client certificate for node agents, and their authorities. */
  readonly agents: AgentCredentials;
  readonly tracing: Tracing | null;
  readonly loopback: Loopback;
}

export interface GivenParts {
  readonly live: LiveFiles;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly loopback: Loopback;
}

/** Reads them for one serving thread. Throws for an invalid one. */
export function readGiven(options: ApiServerOptions, { live, log, metrics, loopback }: GivenParts): Given {
  const read = <T, E>(file: string | null, use: (file: string) => T, otherwise: E): T | E => (file === null ? otherwise : use(file));
  return {
    loopback,
    serving: servingOptions(options, live, log.named('tls')),
    plugins: read(options['admission-control-config-file'], readPluginConfigurations, new Map()),
    encryption: encryptionOf(options, { live, log: log.named('encryption'), metrics }),
    egress: read(options['egress-selector-config-file'], (file) => createEgress(readEgressSelections(file)), directEgress),
    agents: readAgentCredentials(options),
    // Last, because its timer runs from here on.
    tracing: read(options['tracing-config-file'], (file) => tracingOf(readTracingConfiguration(file), options, log), null),
  };
}

function encryptionOf(
  options: ApiServerOptions,
  { live, log, metrics }: { readonly live: LiveFiles; readonly log: Logger; readonly metrics: Metrics },
): Live<Encryption> | null {
  const file = options['encryption-provider-config'];
  const server = ownName(options);
  const reloads = createReloadMetrics(metrics.registry, 'encryption_config_controller', server);
  return loadEncryption(options, live, {
    allowsKmsV1: featuresOf(options).enabled('KMSv1'),
    counts: createEncryptionMetrics(metrics.registry, server),
    reports: {
      loaded: (content) => {
        reloads.loaded(content);
      },
      reloaded: () => {
        log.info('the changed configuration is in effect', { file });
        reloads.record('success');
      },
      refused: (error) => {
        log.error('the changed configuration cannot be used; the earlier one stays', { file, error });
        reloads.record('failure');
      },
    },
  });
}
