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

export interface CertificateSigningRequestCondition {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
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

export interface CertificateSigningRequestSpec {
  readonly request?: string | null;
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly usages?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly signerName: string;
  readonly expirationSeconds?: number;
}

export interface CertificateSigningRequestStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly CertificateSigningRequestCondition[];
  readonly certificate?: string;
}

export const certificateSigningRequests: Resource<CertificateSigningRequest> = { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests', kind: 'CertificateSigningRequest', namespaced: false };
