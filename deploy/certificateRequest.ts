/** Types of `certificates.ts` in a file of their own, so that importing them loads no code that makes certificates. */

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
