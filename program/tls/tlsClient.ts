import type { ConnectionOptions } from 'node:tls';
import { checkServerIdentity } from './serverIdentity.js';

type Pem = string | Buffer;

/** Null or absent members are left to Node. */
export interface TlsClientTerms extends Pick<ConnectionOptions, 'servername' | 'rejectUnauthorized' | 'checkServerIdentity'> {
  /** Authorities, or certificates of servers themselves. */
  readonly ca?: Pem | null | undefined;
  readonly cert?: Pem | null | undefined;
  readonly key?: Pem | null | undefined;
}

/** Any certificate of the bundle is an anchor, as in Go: many put a webhook's own certificate into `caBundle`. OpenSSL by default requires a root. */
export function tlsClientOptions({ ca, cert, key, ...terms }: TlsClientTerms): ConnectionOptions {
  const anchors = ca === null || ca === undefined ? {} : { ca, ...partialChain };
  return { checkServerIdentity, ...terms, ...anchors, ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}

/** Known to Node, not yet to its type declarations. */
export const partialChain: object = { allowPartialTrustChain: true };
