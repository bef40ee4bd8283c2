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

export const clusterTrustBundles: Resource<ClusterTrustBundle> = { group: 'certificates.k8s.io', version: 'v1alpha1', resource: 'clustertrustbundles', kind: 'ClusterTrustBundle', namespaced: false };
