import { checkServerIdentity as compare, type PeerCertificate } from 'node:tls';

/** The certificate names its server as a common name, and nowhere else. */
export class CommonNameOnlyError extends Error {
  /** Node's own code for certificates of another name. */
  readonly code = 'ERR_TLS_CERT_ALTNAME_INVALID';

  constructor(readonly host: string) {
    super(`certificate relies on legacy Common Name field, use SANs instead: it does not name ${host} in its subjectAltName`);
  }
}

/**
 * Whether a certificate is one of the host that was asked for, to be given to every TLS client as its `checkServerIdentity`. Node's own answer falls back on
 * the common name, which RFC 6125 deprecates and the reference reads no longer: nothing says that it is the name of a host.
 */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const refusal = compare(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
  if (refusal === undefined) return undefined;
  return compare(host, certificate) === undefined ? new CommonNameOnlyError(host) : refusal;
}
