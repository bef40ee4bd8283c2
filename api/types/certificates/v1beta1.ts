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

/** Certificates of authorities. */
export interface ClusterTrustBundleSpec {
  /** Signer whose authorities these are; anybody's if not given. */
  readonly signerName?: string;
  /** The certificates in PEM. */
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

/** The certificate that is wanted for a pod. */
export interface PodCertificateRequestSpec {
  /** Who shall sign it. */
  readonly signerName: string;
  /** Name of the pod. */
  readonly podName: string;
  /** Identity of the pod. */
  readonly podUID: string;
  /** Name of the service account of the pod. */
  readonly serviceAccountName: string;
  /** Identity of the service account. */
  readonly serviceAccountUID: string;
  /** Name of the node of the pod. */
  readonly nodeName: string;
  /** Identity of the node. */
  readonly nodeUID: string;
  /** Longest life in seconds; 86400 if not given. */
  readonly maxExpirationSeconds?: number;
  /** The public key. */
  readonly pkixPublicKey?: string;
  /** Signature that shows that the node has the private key. */
  readonly proofOfPossession?: string;
  /** Further words for the signer, which nobody has checked. */
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>;
  /** A request in the form of PKCS 10, signed with the private key. */
  readonly stubPKCS10Request?: string | null;
}

/** What became of a request for the certificate of a pod. */
export interface PodCertificateRequestStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  /** The certificates in PEM, once they are issued. */
  readonly certificateChain?: string;
  /** From when on the certificate is good. */
  readonly notBefore?: metaV1.Time;
  /** When to ask for the next one. */
  readonly beginRefreshAt?: metaV1.Time;
  /** Until when the certificate is good. */
  readonly notAfter?: metaV1.Time;
}

export const clusterTrustBundles: Resource<ClusterTrustBundle> = { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'clustertrustbundles', kind: 'ClusterTrustBundle', namespaced: false };
export const podCertificateRequests: Resource<PodCertificateRequest> = { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'podcertificaterequests', kind: 'PodCertificateRequest', namespaced: true };
