// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Asks a signer for an X.509 certificate. It must be approved before it is signed. */
export interface CertificateSigningRequest {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: CertificateSigningRequestSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: CertificateSigningRequestStatus;
}

/** A statement about a request for a certificate. */
export interface CertificateSigningRequestCondition {
  /** Approved, Denied or Failed. */
  readonly type: string;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
  /** When it was last changed. */
  readonly lastUpdateTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** True, False or Unknown. */
  readonly status: string;
}

export interface CertificateSigningRequestList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly CertificateSigningRequest[] | null;
}

/** The certificate that is wanted, and by whom. */
export interface CertificateSigningRequestSpec {
  /** The request in PEM (PKCS 10). */
  readonly request?: string | null;
  /** Who asked; filled in by the server. */
  readonly username?: string;
  /** Identity of who asked; filled in by the server. */
  readonly uid?: string;
  /** Groups of who asked; filled in by the server. */
  readonly groups?: readonly string[];
  /** What the certificate may be used for, such as client auth. */
  readonly usages?: readonly string[];
  /** What else is known of who asked; filled in by the server. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** Who shall sign it. */
  readonly signerName: string;
  /** Life that is wanted in seconds, at least 600; the signer may decide otherwise. */
  readonly expirationSeconds?: number;
}

/** What became of a request for a certificate. */
export interface CertificateSigningRequestStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly CertificateSigningRequestCondition[];
  /** The certificates in PEM, once they are issued. */
  readonly certificate?: string;
}

export const certificateSigningRequests: Resource<CertificateSigningRequest> = { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests', kind: 'CertificateSigningRequest', namespaced: false };
