// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** How a request is narrowed by fields. */
export interface FieldSelectorAttributes {
  /** The selector as text; either this or the requirements. */
  readonly rawSelector?: string;
  /** The selector as a list; all must be met. */
  readonly requirements?: readonly metaV1.FieldSelectorRequirement[];
}

/** How a request is narrowed by labels. */
export interface LabelSelectorAttributes {
  /** The selector as text; either this or the requirements. */
  readonly rawSelector?: string;
  /** The selector as a list; all must be met. */
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

/** A request for a path that is no resource. */
export interface NonResourceAttributes {
  /** The path. */
  readonly path?: string;
  /** The method in small letters. */
  readonly verb?: string;
}

/** What is allowed on paths that are no resources. */
export interface NonResourceRule {
  /** Methods in small letters; * for all. */
  readonly verbs?: readonly string[] | null;
  /** Paths; * at the end stands for anything. */
  readonly nonResourceURLs?: readonly string[];
}

/** A request for a resource. */
export interface ResourceAttributes {
  /** Namespace of the request; empty for all or none. */
  readonly namespace?: string;
  /** What is to be done, such as get or create; * for all. */
  readonly verb?: string;
  /** Group of the resource; * for all. */
  readonly group?: string;
  /** Version of the resource; * for all. */
  readonly version?: string;
  /** The resource; * for all. */
  readonly resource?: string;
  /** The subresource, if one is meant. */
  readonly subresource?: string;
  /** Name of the object; empty for all. */
  readonly name?: string;
  /** How the request is narrowed by fields. */
  readonly fieldSelector?: FieldSelectorAttributes;
  /** How the request is narrowed by labels. */
  readonly labelSelector?: LabelSelectorAttributes;
}

/** What is allowed on resources. */
export interface ResourceRule {
  /** What may be done; * for all. */
  readonly verbs?: readonly string[] | null;
  /** Groups; * for all. */
  readonly apiGroups?: readonly string[];
  /** Resources; * for all. */
  readonly resources?: readonly string[];
  /** Names of objects; all if empty. */
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

/** The request that is asked about; one member is set. */
export interface SelfSubjectAccessReviewSpec {
  /** A request for a resource. */
  readonly resourceAttributes?: ResourceAttributes;
  /** A request for another path. */
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

/** Where the rules are asked for. */
export interface SelfSubjectRulesReviewSpec {
  /** The namespace. */
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

/** Who, and the request that is asked about. */
export interface SubjectAccessReviewSpec {
  /** A request for a resource. */
  readonly resourceAttributes?: ResourceAttributes;
  /** A request for another path. */
  readonly nonResourceAttributes?: NonResourceAttributes;
  /** Name of the user. */
  readonly user?: string;
  /** Groups of the user. */
  readonly groups?: readonly string[];
  /** What else is known of the user. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** Identity of the user. */
  readonly uid?: string;
}

/** Whether the request is allowed. */
export interface SubjectAccessReviewStatus {
  /** Whether it is allowed. */
  readonly allowed: boolean;
  /** Why, for people. */
  readonly reason?: string;
  /** What went wrong while this was found out. */
  readonly evaluationError?: string;
  /** Whether it is denied whatever another authorizer says. */
  readonly denied?: boolean;
}

/** What is allowed. */
export interface SubjectRulesReviewStatus {
  /** Rules for resources. */
  readonly resourceRules?: readonly ResourceRule[] | null;
  /** Rules for other paths. */
  readonly nonResourceRules?: readonly NonResourceRule[] | null;
  /** Whether there may be more than is listed. */
  readonly incomplete: boolean;
  /** What went wrong while this was found out. */
  readonly evaluationError?: string;
}

export const localSubjectAccessReviews: Resource<LocalSubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', namespaced: true };
export const selfSubjectAccessReviews: Resource<SelfSubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', namespaced: false };
export const selfSubjectRulesReviews: Resource<SelfSubjectRulesReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', namespaced: false };
export const subjectAccessReviews: Resource<SubjectAccessReview> = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false };
