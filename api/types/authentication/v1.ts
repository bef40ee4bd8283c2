// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** The object with which a token ends. */
export interface BoundObjectReference {
  /** Kind of the object: Pod, Secret or Node. */
  readonly kind?: string;
  /** Group and version of the object. */
  readonly apiVersion?: string;
  /** Name of the object. */
  readonly name?: string;
  /** Identity of the object. */
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

/** Who asks. */
export interface SelfSubjectReviewStatus {
  /** The user. */
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

/** The token that is wanted. */
export interface TokenRequestSpec {
  /** For whom it is; the API server if not given. */
  readonly audiences?: readonly string[];
  /** Object with which it ends. */
  readonly boundObjectRef?: BoundObjectReference | null;
  /** Life in seconds, at least 600; 3600 if not given. */
  readonly expirationSeconds?: number;
}

/** The token that was made. */
export interface TokenRequestStatus {
  /** The token. */
  readonly token?: string;
  /** When it ends. */
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

/** The token to look at. */
export interface TokenReviewSpec {
  /** The token. */
  readonly token?: string;
  /** For whom it must be; the API server if not given. */
  readonly audiences?: readonly string[];
}

/** What the token says. */
export interface TokenReviewStatus {
  /** Whether it is good. */
  readonly authenticated?: boolean;
  /** Whose token it is. */
  readonly user?: UserInfo;
  /** Why it could not be looked at. */
  readonly error?: string;
  /** For which of those asked about it is. */
  readonly audiences?: readonly string[];
}

/** A user. */
export interface UserInfo {
  /** Name of the user. */
  readonly username?: string;
  /** Identity that stays when the name is given to another one. */
  readonly uid?: string;
  /** Groups that the user is in. */
  readonly groups?: readonly string[];
  /** What else is known of the user. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const selfSubjectReviews: Resource<SelfSubjectReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false };
export const tokenReviews: Resource<TokenReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews', kind: 'TokenReview', namespaced: false };
