import type { Replica } from '../../raft/index.js';
import type { Api } from './api.js';
import { certificateFilesOf, type CertificateFile } from '../../program/knownCertificates.js';
import { createConsole, type Console } from '../console/console.js';
import type { RequestTap } from '../console/requestTap.js';
import { Samples } from '../console/samples.js';
import { Servers } from '../console/servers.js';
import type { Exchange } from '../http/exchange.js';
import type { Metrics } from '../http/metrics.js';
import type { ApiServerOptions } from '../options/flags.js';
import { splitSniPair } from '../../program/tls/sni.js';
import { servingPair } from './serving.js';
import { ownName } from './ownName.js';

interface PageParts {
  readonly options: ApiServerOptions;
  readonly api: Pick<Api, 'access' | 'storage'>;
  /** Null where objects are kept elsewhere. */
  readonly replica: Pick<Replica, 'status'> | null;
  readonly metrics: Metrics;
  readonly tap: RequestTap;
  readonly active: () => Iterable<Exchange>;
}

const certificateOptions = {
  pem: [
    'client-ca-file',
    'requestheader-client-ca-file',
    'proxy-client-cert-file',
    'peer-ca-file',
    'kubelet-certificate-authority',
    'kubelet-client-certificate',
    'raft-ca-file',
    'raft-cert-file',
    'etcd-cafile',
    'etcd-certfile',
    'oidc-ca-file',
  ],
  kubeconfig: ['authentication-token-webhook-config-file', 'authorization-webhook-config-file', 'audit-webhook-config-file'],
} as const;

export function certificateFiles(options: ApiServerOptions): readonly CertificateFile[] {
  const { certFile, option = '--cert-dir' } = servingPair(options);
  return [
    { option, file: certFile, form: 'pem' },
    ...options['tls-sni-cert-key'].map((pair) => ({
      option: '--tls-sni-cert-key',
      file: splitSniPair(pair).certFile,
      form: 'pem' as const,
    })),
    ...certificateFilesOf(options, certificateOptions),
  ];
}

export function consolePage({ options, api, replica, metrics, tap, active }: PageParts): Console {
  const [certFile, keyFile] = [options['proxy-client-cert-file'], options['proxy-client-key-file']];
  return createConsole({
    authorize: api.access.authorize,
    servers: new Servers({
      storage: api.storage,
      own: ownName(options),
      identity: certFile === null || keyFile === null ? null : { certFile, keyFile },
      // Unless configured, any authority known to all members may have signed serving certificates.
      caFiles: [options['peer-ca-file'] ?? [options['client-ca-file'], options['raft-ca-file']]].flat().filter((file) => file !== null),
    }),
    tap,
    active,
    launcherSocket: options['console-launcher-socket'],
    replica,
    certificates: certificateFiles(options),
    samples: new Samples({ registry: metrics.registry, replica }),
  });
}
