// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

export interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** Asks who the server takes the caller for. */
export interface SelfSubjectReview {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is known of the present state. Written by the system. */
  readonly status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}

/** Asks for a token of a service account. */
export interface TokenRequest {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: TokenRequestSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: BoundObjectReference | null;
  readonly expirationSeconds?: number;
}

export interface TokenRequestStatus {
  readonly token?: string;
  readonly expirationTimestamp?: metaV1.Time | null;
}

/** Asks whom a bearer token belongs to. */
export interface TokenReview {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: TokenReviewSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
}

export interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: UserInfo;
  readonly error?: string;
  readonly audiences?: readonly string[];
}

export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const selfSubjectReviews: Resource<SelfSubjectReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false };
export const tokenReviews: Resource<TokenReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews', kind: 'TokenReview', namespaced: false };
