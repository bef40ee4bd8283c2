import { createSecureContext } from 'node:tls';
import { credentials, type ChannelCredentials } from '@grpc/grpc-js';
import { tlsClientOptions, type TlsClientTerms } from '../tls/tlsClient.js';

/**
 * What is used of the gRPC library. Loaded when a service is first called. Imported by name here and not where it is loaded: of a CommonJS package that a
 * bundle loads on demand only the default export can be seen, while a module's static import is resolved in either form.
 */
export { Client, credentials, Metadata } from '@grpc/grpc-js';

/** Credentials with which connections trust what every TLS client of the programs trusts. The name that a server must have is an option of the channel. */
export function secureCredentials({ ca, cert, key }: Pick<TlsClientTerms, 'ca' | 'cert' | 'key'>): ChannelCredentials {
  const { checkServerIdentity, ...context } = tlsClientOptions({ ca, cert, key });
  return credentials.createFromSecureContext(
    createSecureContext(context),
    checkServerIdentity === undefined ? {} : { checkServerIdentity },
  );
}
