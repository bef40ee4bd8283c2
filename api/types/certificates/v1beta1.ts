// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Certificates of authorities that the whole cluster may read. */
export interface ClusterTrustBundle {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: ClusterTrustBundleSpec;
}

export interface ClusterTrustBundleList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ClusterTrustBundle[] | null;
}

export interface ClusterTrustBundleSpec {
  readonly signerName?: string;
  readonly trustBundle: string;
}

/** Asks a signer, in the name of a pod, for a certificate. */
export interface PodCertificateRequest {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: PodCertificateRequestSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: PodCertificateRequestStatus;
}

export interface PodCertificateRequestList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PodCertificateRequest[] | null;
}

export interface PodCertificateRequestSpec {
  readonly signerName: string;
  readonly podName: string;
  readonly podUID: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUID: string;
  readonly nodeName: string;
  readonly nodeUID: string;
  readonly maxExpirationSeconds?: number;
  readonly pkixPublicKey?: string;
  readonly proofOfPossession?: string;
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>;
  readonly stubPKCS10Request?: string | null;
}

export interface PodCertificateRequestStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  readonly certificateChain?: string;
  readonly notBefore?: metaV1.Time;
  readonly beginRefreshAt?: metaV1.Time;
  readonly notAfter?: metaV1.Time;
}

export const clusterTrustBundles: Resource<ClusterTrustBundle> = { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'clustertrustbundles', kind: 'ClusterTrustBundle', namespaced: false };
export const podCertificateRequests: Resource<PodCertificateRequest> = { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'podcertificaterequests', kind: 'PodCertificateRequest', namespaced: true };
