import type { ConfigMap } from '../../api/types/core/v1.js';
import { resource } from '../../api/meta/resource.js';
import { X509Certificate } from 'node:crypto';
import { certificateAuthenticator, type CertificateOptions } from '../../program/authentication/certificate.js';
import { frontProxyAuthenticator } from '../../program/authentication/frontProxy.js';
import type { Authenticator } from '../../program/authentication/authenticator.js';
import type { Anchors } from '../../program/authentication/peer.js';
import { fixed, type Live, type LiveFiles } from '../../program/files/liveFile.js';
import { certificateBlocks } from '../../program/files/pem.js';
import { readAuthorities } from '../../program/tls/credentials.js';
import type { Api } from '../client/api.js';
import { ApiError, ConnectionError, messageOf } from '../client/errors.js';
import type { ControllerManagerOptions } from '../options/flags.js';

const configMaps = resource<ConfigMap>({ apiVersion: 'v1', resource: 'configmaps', kind: 'ConfigMap' });
/** API servers publish it there for other programs. */
const published = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;

/** Texts of that ConfigMap; lists are JSON. */
export type Published = Readonly<Record<string, string>>;

/**
 * Returns the published trust for options that are not given; null while no API server can be reached, as during its start. `tolerate` logs that or a refusal
 * to `log` and returns "nothing"; otherwise a refusal rejects.
 */
export async function publishedTrust(api: Api, tolerate: boolean, log: (message: string) => void): Promise<Published | null> {
  try {
    return (await api.get(configMaps, published)).data ?? {};
  } catch (error) {
    const what = `cannot read the ConfigMap ${published.namespace}/${published.name}: ${messageOf(error)}`;
    if (!tolerate && isAway(error)) {
      log(`${what}; it is asked for again`);
      return null;
    }
    if (!tolerate)
      throw new Error(
        `${what}; give --client-ca-file and --requestheader-client-ca-file, or --authentication-skip-lookup, or --authentication-tolerate-lookup-failure`,
        { cause: error },
      );
    log(what);
    return {};
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.code >= 500 || error.code === 429 || error.code === 404));

type TrustOptions = Pick<
  ControllerManagerOptions,
  | 'client-ca-file'
  | 'requestheader-client-ca-file'
  | 'requestheader-allowed-names'
  | 'requestheader-username-headers'
  | 'requestheader-group-headers'
  | 'requestheader-uid-headers'
  | 'requestheader-extra-headers-prefix'
>;

export interface Trust {
  readonly ways: readonly Authenticator[];
  /** Authorities that no file names, in PEM, for the handshake. */
  readonly authorities: readonly string[];
}

/** Returns the authentication methods for certificates. Options override the published trust. */
export function trustOf(options: TrustOptions, published: Published, live: LiveFiles, certificates: CertificateOptions): Trust {
  const authorities: string[] = [];
  const anchorsOf = (option: 'client-ca-file' | 'requestheader-client-ca-file'): Live<Anchors> | null => {
    const file = options[option];
    if (file !== null) return live.follow({ files: [file], read: () => readAuthorities(file, `--${option}`).certificates });
    const pem = published[option] ?? '';
    if (pem === '') return null;
    authorities.push(pem);
    return fixed(certificateBlocks(pem).map((block) => new X509Certificate(block)));
  };
  const isConfigured = options['requestheader-client-ca-file'] !== null;
  const list = (name: 'allowed-names' | 'username-headers' | 'group-headers' | 'uid-headers' | 'extra-headers-prefix'): readonly string[] =>
    isConfigured ? options[`requestheader-${name}`] : (textsIn(published[`requestheader-${name}`]) ?? options[`requestheader-${name}`]);
  const proxies = anchorsOf('requestheader-client-ca-file');
  const clients = anchorsOf('client-ca-file');
  const headers = {
    user: list('username-headers'),
    uid: list('uid-headers'),
    group: list('group-headers'),
    extraPrefixes: list('extra-headers-prefix'),
  };
  return {
    authorities,
    ways: [
      ...(proxies === null ? [] : [frontProxyAuthenticator({ anchors: proxies, allowedNames: list('allowed-names'), headers })]),
      ...(clients === null ? [] : [certificateAuthenticator(clients, certificates)]),
    ],
  };
}

function textsIn(json: string | undefined): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(json ?? 'null');
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;
  } catch {
    return null;
  }
}
