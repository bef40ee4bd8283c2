// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

export interface FieldSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly metaV1.FieldSelectorRequirement[];
}

export interface LabelSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly metaV1.LabelSelectorRequirement[];
}

/** Asks whether a user may do something in a namespace. */
export interface LocalSubjectAccessReview {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: SubjectAccessReviewSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: SubjectAccessReviewStatus;
}

export interface NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

export interface NonResourceRule {
  readonly verbs?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[];
}

export interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly labelSelector?: LabelSelectorAttributes;
}

export interface ResourceRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Asks whether the caller may do something. */
export interface SelfSubjectAccessReview {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: SelfSubjectAccessReviewSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

/** Asks for a list of what the caller may do in a namespace. It may be incomplete. */
export interface SelfSubjectRulesReview {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: SelfSubjectRulesReviewSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewSpec {
  readonly namespace?: string;
}

/** Asks whether a user may do something. */
export interface SubjectAccessReview {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: SubjectAccessReviewSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly uid?: string;
}

export interface SubjectAccessReviewStatus {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
  readonly denied?: boolean;
}

export interface SubjectRulesReviewStatus {
  readonly resourceRules?: readonly ResourceRule[] | null;
  readonly nonResourceRules?: readonly NonResourceRule[] | null;
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export const localSubjectAccessReviews: Resource<LocalSubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', namespaced: true };
export const selfSubjectAccessReviews: Resource<SelfSubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', namespaced: false };
export const selfSubjectRulesReviews: Resource<SelfSubjectRulesReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', namespaced: false };
export const subjectAccessReviews: Resource<SubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false };
