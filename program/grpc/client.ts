import { createSecureContext } from 'node:tls';
import { credentials, type ChannelCredentials } from '@grpc/grpc-js';
import { tlsClientOptions, type TlsClientTerms } from '../tls/tlsClient.js';

/** Re-exported by name: in a bundle, a CommonJS package loaded on demand has only its default export. */
export { Client, credentials, Metadata } from '@grpc/grpc-js';

/** The expected server name is a channel option. */
export function secureCredentials({ ca, cert, key }: Pick<TlsClientTerms, 'ca' | 'cert' | 'key'>): ChannelCredentials {
  const { checkServerIdentity, ...context } = tlsClientOptions({ ca, cert, key });
  return credentials.createFromSecureContext(
    createSecureContext(context),
    checkServerIdentity === undefined ? {} : { checkServerIdentity },
  );
}
