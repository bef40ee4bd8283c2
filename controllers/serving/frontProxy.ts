import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Who a front proxy says is asking, where it shows that it is one. */
export interface ProxyTrust {
  /** Authorities of proxies, in PEM. */
  readonly authorities: string;
  /** Their common names; empty allows all. */
  readonly names: readonly string[];
  readonly userHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
}

const begin = '-----BEGIN CERTIFICATE-----';

const certificatesIn = (pem: string): readonly X509Certificate[] =>
  pem
    .split(begin)
    .slice(1)
    .map((block) => new X509Certificate(`${begin}${block}`));

/** Whether one of these authorities issued a certificate: the connection was checked against all that there are. */
export const issuedBy = (authorities: string, certificate: X509Certificate): boolean =>
  certificatesIn(authorities).some((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey));

/** null where the certificate is not that of a proxy, or the proxy names nobody. */
export function proxiedUser(
  { authorities, names, userHeaders, groupHeaders }: ProxyTrust,
  certificate: X509Certificate,
  headers: IncomingHttpHeaders,
): { readonly user: string; readonly groups: readonly string[] } | null {
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '';
  if (!issuedBy(authorities, certificate) || (names.length > 0 && !names.includes(commonName))) return null;
  const values = (name: string): readonly string[] => [headers[name.toLowerCase()] ?? []].flat();
  const user = userHeaders.flatMap(values).find((value) => value !== '');
  return user === undefined ? null : { user, groups: groupHeaders.flatMap((name) => values(name).flatMap((value) => value.split(', '))) };
}
