import type { ConnectionOptions } from 'node:tls';
import { checkServerIdentity } from './serverIdentity.js';

type Pem = string | Buffer;

/** Whom a TLS client trusts, and how it shows itself. What is null or absent is left to Node. */
export interface TlsClientTerms extends Pick<ConnectionOptions, 'servername' | 'rejectUnauthorized' | 'checkServerIdentity'> {
  /** The certificates that the client trusts: authorities, or certificates of servers themselves. */
  readonly ca?: Pem | null | undefined;
  readonly cert?: Pem | null | undefined;
  readonly key?: Pem | null | undefined;
}

/**
 * The options of every TLS client of the programs. A certificate of the bundle is an anchor whether or not it signs itself or is an authority, as Go has it:
 * many put the certificate of a webhook itself into its `caBundle`. OpenSSL alone looks for a root above each. Whose name a certificate has to have does not
 * change with that.
 */
export function tlsClientOptions({ ca, cert, key, ...terms }: TlsClientTerms): ConnectionOptions {
  const anchors = ca === null || ca === undefined ? {} : { ca, ...partialChain };
  return { checkServerIdentity, ...terms, ...anchors, ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}

/** Known to Node, not yet to its type declarations. */
export const partialChain: object = { allowPartialTrustChain: true };
