import { readSigningKey, readVerificationKeys, type SigningKey, type VerificationKey } from './authentication/serviceaccount/keys.js';
import { readStaticTokens, type StaticTokens } from './authentication/tokens/staticFile.js';
import { readAbacPolicies, type AbacPolicies } from './authorization/abac.js';
import type { Anchors } from './authentication/peer.js';
import type { Live, LiveFiles } from './files/liveFile.js';
import { readAuthorities } from './http/credentials.js';
import type { ApiServerOptions } from './options/apiserver.js';

/** What the options about access name in files. */
export interface AccessFiles {
  readonly staticTokens: StaticTokens | null;
  readonly signingKey: SigningKey | null;
  readonly verificationKeys: readonly VerificationKey[];
  readonly policies: AbacPolicies | null;
  /** Authorities of clients, and of front proxies. */
  readonly clientAnchors: Live<Anchors> | null;
  readonly proxyAnchors: Live<Anchors> | null;
}

/** Reads them all, before anything starts, and follows those that may change. Throws with the option and the file named. */
export function readAccessFiles(options: ApiServerOptions, live: LiveFiles): AccessFiles {
  const tokenFile = options['token-auth-file'];
  const policyFile = options['authorization-policy-file'];
  const signingFile = options['service-account-signing-key-file'];
  return {
    staticTokens: tokenFile === null ? null : readStaticTokens(tokenFile),
    signingKey: signingFile === null ? null : readSigningKey(signingFile, '--service-account-signing-key-file'),
    verificationKeys: verificationKeys(options),
    clientAnchors: anchorsIn(options['client-ca-file'], live),
    proxyAnchors: anchorsIn(options['requestheader-client-ca-file'], live),
    policies: policyFile === null ? null : readAbacPolicies(policyFile),
  };
}

/** Changes that cannot be used are reported where the listener reads the same file. */
const anchorsIn = (file: string | null, live: LiveFiles): Live<Anchors> | null => (file === null ? null : live.follow({ files: [file], read: () => readAuthorities(file).certificates }));

/** Without key files the serving key verifies, where there is an issuer whose tokens are to be accepted. */
function verificationKeys(options: ApiServerOptions): readonly VerificationKey[] {
  const files = options['service-account-key-file'];
  if (files.length > 0) return readVerificationKeys(files, '--service-account-key-file');
  const serving = options['tls-private-key-file'];
  return options['service-account-issuer'].length === 0 || serving === null ? [] : readVerificationKeys([serving], '--tls-private-key-file');
}
