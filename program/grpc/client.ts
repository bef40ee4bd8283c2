import { createSecureContext } from 'node:tls';
import { credentials, type ChannelCredentials } from '@grpc/grpc-js';
import { tlsClientOptions, type TlsClientTerms } from '../tls/tlsClient.js';

/**
 * The parts of the gRPC library in use. Loaded when a service is first called. They are imported by name here and not where they are loaded: only the default
 * export is visible of a CommonJS package that a bundle loads on demand, while a module's static import is resolved in either form.
 */
export { Client, credentials, Metadata } from '@grpc/grpc-js';

/** Credentials of connections with the same trust as every TLS client of the programs. The expected name of the server is an option of the channel. */
export function secureCredentials({ ca, cert, key }: Pick<TlsClientTerms, 'ca' | 'cert' | 'key'>): ChannelCredentials {
  const { checkServerIdentity, ...context } = tlsClientOptions({ ca, cert, key });
  return credentials.createFromSecureContext(
    createSecureContext(context),
    checkServerIdentity === undefined ? {} : { checkServerIdentity },
  );
}
