import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { SecureContextOptions } from 'node:tls';
import { ciphers, tlsVersions } from './catalogue/flags/tls.js';
import { checkTlsSettings, readAuthorities, readKeyPair, selfSignedPair } from './http/credentials.js';
import type { LiveFiles } from './files/liveFile.js';
import type { KeyPairFiles } from './http/credentials.js';
import { secureContextOptions, type ListenerCredentials, type ListenerOptions } from './http/listener.js';
import { canSharePorts } from './http/bind.js';
import { sniChooser, splitSniPair } from './http/sni.js';
import type { Logger } from './observability/logger.js';
import type { ApiServerOptions } from './options/apiserver.js';

/** Everything the listener needs but the handler. Reads, checks and follows the files that the options name; rejects with a CredentialError. */
export async function servingOptions(options: ApiServerOptions, live: LiveFiles, log: Logger): Promise<Omit<ListenerOptions, 'handle'>> {
  const tls = tlsSettings(options);
  checkTlsSettings(tls);
  const pair = await servingPair(options);
  const clientCas = (['client-ca-file', 'requestheader-client-ca-file'] as const).flatMap((option) =>
    options[option] === null ? [] : [{ option: `--${option}`, file: options[option] }],
  );
  const sniPairs = options['tls-sni-cert-key'];
  return {
    host: options['bind-address'],
    port: options['secure-port'],
    sharesPort: sharesPort(options),
    credentials: live.follow({
      files: [
        pair.certFile,
        pair.keyFile,
        ...clientCas.map(({ file }) => file),
        ...sniPairs.map(splitSniPair).flatMap(({ certFile, keyFile }) => [certFile, keyFile]),
      ],
      read: () => readCredentials(pair, clientCas, sniPairs, tls),
      changed: () => {
        log.info('certificates have changed and were read again');
      },
      failed: (error) => {
        log.error('changed certificates cannot be used; those from before stay', { error });
      },
    }),
    tls,
    http2: !options['disable-http2-serving'],
    http2StreamsMax: options['http2-max-streams-per-connection'],
    goawayChance: options['goaway-chance'],
  };
}

/** To listen without sharing would make the second process fail, long after the operator believed in it. */
function sharesPort(options: ApiServerOptions): boolean {
  if (options['permit-port-sharing'] && !canSharePorts())
    throw new Error(`--permit-port-sharing needs Node 22.12 or later; this is Node ${process.versions.node}`);
  return options['permit-port-sharing'];
}

function readCredentials(
  { certFile, keyFile }: KeyPairFiles,
  clientCas: readonly { readonly option: string; readonly file: string }[],
  sniPairs: readonly string[],
  tls: ListenerOptions['tls'],
): ListenerCredentials {
  // The handshake knows all authorities; authentication finds out for which kind of client each stands.
  const clientCa =
    clientCas.length === 0
      ? null
      : Buffer.concat(clientCas.flatMap(({ option, file }) => [readAuthorities(file, option).pem, Buffer.from('\n')]));
  return {
    certificate: readKeyPair(certFile, keyFile),
    clientCa,
    sni: sniChooser(sniPairs, (certificate) => secureContextOptions({ certificate, clientCa }, tls)),
  };
}

function tlsSettings(options: ApiServerOptions): Pick<SecureContextOptions, 'minVersion' | 'ciphers'> {
  const minVersion = tlsVersions[options['tls-min-version'] ?? 'VersionTLS12'] ?? 'TLSv1.2';
  const names = options['tls-cipher-suites'].map((name) => ciphers[name]!);
  // OpenSSL refuses the hash functions of TLS 1.0 and 1.1 at its usual security level.
  const old = minVersion === 'TLSv1' || minVersion === 'TLSv1.1';
  if (names.length === 0) return { minVersion, ...(old ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}) };
  const always = Object.values(ciphers).filter((name) => name.startsWith('TLS_'));
  return { minVersion, ciphers: [...new Set([...always, ...names]), ...(old ? ['@SECLEVEL=0'] : [])].join(':') };
}

function servingPair(options: ApiServerOptions): KeyPairFiles | Promise<KeyPairFiles> {
  const [certFile, keyFile] = [options['tls-cert-file'], options['tls-private-key-file']];
  if (certFile !== null && keyFile !== null) return { certFile, keyFile };
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
 * The address that clients of the API's own service are given. Endpoints may not be loopback addresses, so a server that listens on one is
 * told of by an address of its machine, as in the reference. Null when the machine has none.
 */
export function endpointAddress(options: ApiServerOptions): string | null {
  const advertised = advertisedAddress(options);
  const address = isLoopback(advertised) ? outsideAddress() : advertised;
  return address === null || isIP(address) === 0 ? null : address;
}

const isLoopback = (address: string): boolean => /^127\.|^::1$|^localhost$/i.test(address);

/** The address under which others reach this server: as told, else where it listens, else the first that is not a loopback. */
export function advertisedAddress(options: ApiServerOptions): string {
  const told = options['advertise-address'];
  if (told !== null) return told;
  const bound = options['bind-address'];
  if (bound !== '' && bound !== '0.0.0.0' && bound !== '::') return bound;
  return outsideAddress() ?? '127.0.0.1';
}

/** Of this machine, IPv4 where there is one. */
function outsideAddress(): string | null {
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (outside.find(({ family }) => family === 'IPv4') ?? outside[0])?.address ?? null;
}
