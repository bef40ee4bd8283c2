/** What is asked of `certificates.ts`, and what comes of it: apart, so that whoever names these types needs no library that makes certificates. */

export interface CertificateRequest {
  /** What the certificate is for: users and replicas are named by `commonName`, groups by `organization`. */
  readonly commonName: string;
  readonly organization?: string | readonly string[];
  readonly usages: readonly ('serverAuth' | 'clientAuth')[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** PEM texts. */
export interface KeyAndCertificate {
  readonly certificate: string;
  readonly key: string;
}
