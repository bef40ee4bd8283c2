import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ciphers, curvesOf, tlsVersions } from '../flags/tls.js';
import type { Live, LiveFiles, Source } from '../files/liveFile.js';
import { canSharePorts } from './bind.js';
import { checkTlsSettings, CredentialError, readAuthorities, readPairOf, type KeyPair, type KeyPairFiles } from '../tls/credentials.js';
import { secureContextOptions, type ListenerCredentials, type ListenerOptions } from './listener.js';
import { sniChooser, splitSniPair } from '../tls/sni.js';

export interface PortFlags {
  readonly 'bind-address': string;
  readonly 'secure-port': number;
  readonly 'client-ca-file': string | null;
  readonly 'requestheader-client-ca-file': string | null;
  readonly 'tls-sni-cert-key': readonly string[];
  readonly 'tls-min-version': string | null;
  readonly 'tls-cipher-suites': readonly string[];
  readonly 'tls-curve-preferences': readonly string[];
  readonly 'disable-http2-serving': boolean;
  readonly 'http2-max-streams-per-connection': number;
  readonly 'permit-port-sharing': boolean;
}

export interface PortContext {
  readonly options: PortFlags;
  readonly pair: KeyPairFiles | KeyPair;
  readonly moreAuthorities?: readonly string[];
  readonly live: LiveFiles;
  readonly changed: () => void;
  readonly failed: NonNullable<Source<ListenerCredentials>['failed']>;
}

/** Reads, checks and follows the named files. Throws a CredentialError. */
export function portOptions(context: PortContext): Omit<ListenerOptions, 'goawayChance' | 'handle'> {
  const { options } = context;
  const tls = tlsSettings(options);
  checkTlsSettings(tls);
  return {
    host: options['bind-address'],
    port: options['secure-port'],
    sharesPort: sharesPort(options),
    credentials: followed(context, tls),
    tls,
    http2: !options['disable-http2-serving'],
    http2StreamsMax: options['http2-max-streams-per-connection'],
  };
}

function followed(
  { options, pair, moreAuthorities = [], live, changed, failed }: PortContext,
  tls: ListenerOptions['tls'],
): Live<ListenerCredentials> {
  const clientCas = (['client-ca-file', 'requestheader-client-ca-file'] as const).flatMap((option) =>
    options[option] === null ? [] : [{ option: `--${option}`, file: options[option] }],
  );
  const sniPairs = options['tls-sni-cert-key'];
  return live.follow({
    files: [
      ...('certFile' in pair ? [pair.certFile, pair.keyFile] : []),
      ...clientCas.map(({ file }) => file),
      ...sniPairs.map(splitSniPair).flatMap(({ certFile, keyFile }) => [certFile, keyFile]),
    ],
    read: () => {
      const authorities = [...clientCas.map(({ option, file }) => readAuthorities(file, option).pem), ...moreAuthorities.map(Buffer.from)];
      const clientCa = authorities.length === 0 ? null : Buffer.concat(authorities.flatMap((pem) => [pem, Buffer.from('\n')]));
      return {
        certificate: 'certFile' in pair ? readPairOf(pair.option ?? '--cert-dir', pair) : pair,
        clientCa,
        sni: sniChooser(sniPairs, (certificate) => secureContextOptions({ certificate, clientCa }, tls)),
      };
    },
    changed,
    failed,
  });
}

function sharesPort(options: PortFlags): boolean {
  if (options['permit-port-sharing'] && !canSharePorts())
    throw new Error(`--permit-port-sharing needs Node 22.12 or later; this is Node ${process.versions.node}`);
  return options['permit-port-sharing'];
}

function tlsSettings(options: PortFlags): ListenerOptions['tls'] {
  const ecdhCurve = curvesOf(options['tls-curve-preferences'], hasCurve);
  if (ecdhCurve === '')
    throw new CredentialError(
      `--tls-curve-preferences=${options['tls-curve-preferences'].join(',')}: the OpenSSL of this Node has none of them`,
    );
  return { ...suitesOf(options), ...(ecdhCurve === null ? {} : { ecdhCurve }) };
}

function hasCurve(name: string): boolean {
  try {
    createSecureContext({ ecdhCurve: name });
    return true;
  } catch {
    return false;
  }
}

function suitesOf(options: PortFlags): Pick<SecureContextOptions, 'minVersion' | 'ciphers'> {
  const minVersion = tlsVersions[options['tls-min-version'] ?? 'VersionTLS12'] ?? 'TLSv1.2';
  const names = options['tls-cipher-suites'].map((name) => ciphers[name]!);
  // OpenSSL's usual security level refuses the hash functions of TLS 1.0 and 1.1.
  const old = minVersion === 'TLSv1' || minVersion === 'TLSv1.1';
  if (names.length === 0) return { minVersion, ...(old ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}) };
  const always = Object.values(ciphers).filter((name) => name.startsWith('TLS_'));
  return { minVersion, ciphers: [...new Set([...always, ...names]), ...(old ? ['@SECLEVEL=0'] : [])].join(':') };
}
