import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Request } from '../endpoints/context.js';
import { withAuthenticatedGroup } from './authenticator.js';
import type { Authentication, Authenticator } from './authenticator.js';

/** Names the certificate in use, so that audit logs can tell two credentials of one user apart. */
const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/**
 * Authenticates by client certificate: common name = user, organizations = groups. The TLS layer has verified the chain against the client
 * CA, the validity and the key usage during the handshake; what it found is remembered for as long as the connection lives.
 */
export function certificateAuthenticator(): Authenticator {
  const seen = new WeakMap<object, Authentication>();
  return (request) => {
    const connection = connectionOf(request);
    const known = seen.get(connection);
    if (known !== undefined && stillValid(known)) return known;
    const found = readCertificate(request.socket as TLSSocket);
    seen.set(connection, found);
    return found;
  };
}

/** An HTTP/2 request's `socket` is a stand-in made anew for some accesses; its session is what lasts. */
const connectionOf = (request: Request): object => ('stream' in request ? request.stream.session ?? request.stream : request.socket);

type Remembered = Authentication & { readonly notAfter?: number };
const stillValid = (known: Remembered): boolean => known.notAfter === undefined || Date.now() <= known.notAfter;

function readCertificate(socket: TLSSocket): Remembered {
  if (typeof socket.getPeerCertificate !== 'function') return { outcome: 'absent' };
  const certificate = socket.getPeerCertificate(false) as DetailedPeerCertificate | Record<string, never>;
  if (!('subject' in certificate)) return { outcome: 'absent' };
  if (!socket.authorized) return { outcome: 'invalid', reason: `client certificate: ${String(socket.authorizationError ?? 'not verified')}` };
  const notAfter = Date.parse(certificate.valid_to);
  if (Date.now() > notAfter) return { outcome: 'invalid', reason: 'client certificate: CERT_HAS_EXPIRED' };
  const name = values(certificate.subject.CN).at(-1) ?? '';
  if (name === '') return { outcome: 'absent' };
  const extra = { [credentialIdKey]: [`X509SHA256=${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`] };
  return { outcome: 'user', notAfter, user: withAuthenticatedGroup({ name, uid: '', groups: values(certificate.subject.O), extra }) };
}

/** An attribute that occurs several times in a subject arrives as an array. */
const values = (attribute: string | string[] | undefined): string[] => (attribute === undefined ? [] : Array.isArray(attribute) ? attribute : [attribute]);
