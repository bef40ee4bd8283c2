import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { LiveFiles } from '../../program/files/liveFile.js';
import { selfSignedPair, type KeyPairFiles } from '../../program/tls/credentials.js';
import type { ListenerOptions } from '../../program/port/listener.js';
import { portOptions } from '../../program/port/portOptions.js';
import type { Logger } from '../../program/log/logger.js';
import type { ApiServerOptions } from '../options/flags.js';

/** Builds the listener's options without the handler. Reads, checks and follows the named files; throws a CredentialError. */
export function servingOptions(options: ApiServerOptions, live: LiveFiles, log: Logger): Omit<ListenerOptions, 'handle'> {
  const port = portOptions({
    options,
    pair: servingPair(options),
    live,
    changed: () => {
      log.info('certificates have changed and were read again');
    },
    failed: (error) => {
      log.error('changed certificates cannot be used; those from before stay', { error });
    },
  });
  return {
    ...port,
    goawayChance: options['goaway-chance'],
  };
}

/** Returns the configured pair, else one of `--cert-dir`, made if absent. */
export function servingPair(options: ApiServerOptions): KeyPairFiles {
  const [certFile, keyFile] = [options['tls-cert-file'], options['tls-private-key-file']];
  if (certFile !== null && keyFile !== null) return { certFile, keyFile, option: '--tls-cert-file' };
  const addresses = [options['bind-address'], advertisedAddress(options), '127.0.0.1', '::1'].filter(
    (address) => address !== '' && address !== '0.0.0.0' && address !== '::',
  );
  return selfSignedPair(options['cert-dir'], {
    dns: [
      ...new Set([
        hostname(),
        'localhost',
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.local',
      ]),
    ],
    ip: [...new Set(addresses)],
  });
}

/**
 * Returns the client address for the API's own service. Endpoints may not be loopback addresses, so a server on loopback uses an address of its machine, as in
 * the reference; null without one.
 */
export function endpointAddress(options: ApiServerOptions): string | null {
  const advertised = advertisedAddress(options);
  const address = isLoopback(advertised) ? outsideAddress() : advertised;
  return address === null || isIP(address) === 0 ? null : address;
}

const isLoopback = (address: string): boolean => /^127\.|^::1$|^localhost$/i.test(address);

/** Returns this server's address for others: the configured one, else the listener's, else the first non-loopback one. */
export function advertisedAddress(options: ApiServerOptions): string {
  const advertised = options['advertise-address'];
  if (advertised !== null) return advertised;
  const bound = options['bind-address'];
  if (bound !== '' && bound !== '0.0.0.0' && bound !== '::') return bound;
  return outsideAddress() ?? '127.0.0.1';
}

/** An address of this machine, IPv4 where there is one. */
function outsideAddress(): string | null {
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (outside.find(({ family }) => family === 'IPv4') ?? outside[0])?.address ?? null;
}
