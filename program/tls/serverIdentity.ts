import { checkServerIdentity as compare, type PeerCertificate } from 'node:tls';

/** The certificate names its server only as a common name. */
export class CommonNameOnlyError extends Error {
  /** Node's own code for certificates of another name. */
  readonly code = 'ERR_TLS_CERT_ALTNAME_INVALID';

  constructor(readonly host: string) {
    super(`certificate relies on legacy Common Name field, use SANs instead: it does not name ${host} in its subjectAltName`);
  }
}

/** The `checkServerIdentity` of every TLS client. Node's own falls back on the common name, which RFC 6125 deprecates and the reference ignores. */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const refusal = compare(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
  if (refusal === undefined) return undefined;
  return compare(host, certificate) === undefined ? new CommonNameOnlyError(host) : refusal;
}
