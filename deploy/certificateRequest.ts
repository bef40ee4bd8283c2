/** Types of `certificates.ts`, separate from its code, which is loaded on demand. */

export interface CertificateRequest {
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
