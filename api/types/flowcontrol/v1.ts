// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Settings of a priority level whose requests are never held back. */
export interface ExemptPriorityLevelConfiguration {
  /** Weight by which the level takes part in dividing the concurrency of the server; 0 if not given. */
  readonly nominalConcurrencyShares?: number;
  /** Percentage of the level's seats that other levels may borrow, from 0 to 100; 0 if not given. */
  readonly lendablePercent?: number;
}

/** How requests that fit a schema are divided into flows. */
export interface FlowDistinguisherMethod {
  /** What tells flows apart: ByUser or ByNamespace. */
  readonly type: string;
}

/** Sorts requests into flows and assigns them to a priority level. */
export interface FlowSchema {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: FlowSchemaSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: FlowSchemaStatus;
}

/** A statement about the present state of a flow schema. */
export interface FlowSchemaCondition {
  /** What the statement is about, such as Dangling. */
  readonly type?: string;
  /** Whether it holds: True, False or Unknown. */
  readonly status?: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** One word in camel case for why the condition last changed. */
  readonly reason?: string;
  /** Details of the last change, for people to read. */
  readonly message?: string;
}

export interface FlowSchemaList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly FlowSchema[] | null;
}

/** Which requests a flow schema is for, and how they are treated. */
export interface FlowSchemaSpec {
  /** The priority level that serves the requests. It must exist. */
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  /** Order among the schemas that fit a request; the lowest wins. From 1 to 10000; 1000 if not given. */
  readonly matchingPrecedence?: number;
  /** How the requests are divided into flows; a single flow if not given. */
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  /** Which requests fit; one rule that fits is enough. Without rules none fit. */
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

/** What is known of the present state of a flow schema. */
export interface FlowSchemaStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly FlowSchemaCondition[];
}

/** The users of a group. */
export interface GroupSubject {
  /** Name of the group; * for all users. */
  readonly name: string;
}

/** What becomes of requests that cannot be served at once. */
export interface LimitResponse {
  /** Queue lets them wait, Reject refuses them. */
  readonly type: string;
  /** How they wait. Only with the type Queue. */
  readonly queuing?: QueuingConfiguration;
}

/** Settings of a priority level that serves only so many requests at a time. */
export interface LimitedPriorityLevelConfiguration {
  /** Weight of the level in dividing the concurrency of the server; 30 if not given. */
  readonly nominalConcurrencyShares?: number;
  /** What becomes of requests above the limit. */
  readonly limitResponse?: LimitResponse;
  /** Percentage of the level's seats that other levels may borrow, from 0 to 100; 0 if not given. */
  readonly lendablePercent?: number;
  /** Most seats the level may borrow, as a percentage of its nominal seats; no limit if not given. */
  readonly borrowingLimitPercent?: number;
}

/** Fits requests for paths that are no resources, by verb and path. */
export interface NonResourcePolicyRule {
  /** Verbs of the requests; * alone for all. Must not be empty. */
  readonly verbs?: readonly string[] | null;
  /** Paths of the requests, such as /healthz or /healthz/*; * alone for all paths. */
  readonly nonResourceURLs?: readonly string[] | null;
}

/** Fits requests by who makes them and what they are for. */
export interface PolicyRulesWithSubjects {
  /** Who makes the requests; one that fits is enough. Must not be empty. */
  readonly subjects?: readonly Subject[] | null;
  /** Which requests for resources fit. */
  readonly resourceRules?: readonly ResourcePolicyRule[];
  /** Which requests for other paths fit. */
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
}

/** How many requests of a priority level are served at the same time, and what becomes of others. */
export interface PriorityLevelConfiguration {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: PriorityLevelConfigurationSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: PriorityLevelConfigurationStatus;
}

/** A statement about the present state of a priority level. */
export interface PriorityLevelConfigurationCondition {
  /** What the statement is about. */
  readonly type?: string;
  /** Whether it holds: True, False or Unknown. */
  readonly status?: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** One word in camel case for why the condition last changed. */
  readonly reason?: string;
  /** Details of the last change, for people to read. */
  readonly message?: string;
}

export interface PriorityLevelConfigurationList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PriorityLevelConfiguration[] | null;
}

/** Points to a priority level. */
export interface PriorityLevelConfigurationReference {
  /** Name of the PriorityLevelConfiguration. */
  readonly name: string;
}

/** Whether a priority level is limited, and how. */
export interface PriorityLevelConfigurationSpec {
  /** Exempt serves all requests at once, Limited holds them to a share of the server. */
  readonly type: string;
  /** Settings of a limited level. Required with the type Limited, forbidden with others. */
  readonly limited?: LimitedPriorityLevelConfiguration;
  /** Settings of an exempt level. Forbidden with the type Limited. */
  readonly exempt?: ExemptPriorityLevelConfiguration;
}

/** What is known of the present state of a priority level. */
export interface PriorityLevelConfigurationStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
}

/** How requests wait in the queues of a priority level. */
export interface QueuingConfiguration {
  /** How many queues the level has; 64 if not given. With 1, flows are not kept apart. */
  readonly queues?: number;
  /** How many queues a flow may use; 8 if not given. At most the number of queues. */
  readonly handSize?: number;
  /** Most requests that may wait in one queue; further ones are refused. 50 if not given. */
  readonly queueLengthLimit?: number;
}

/** Fits requests for resources, by verb, group, resource and namespace. */
export interface ResourcePolicyRule {
  /** Verbs of the requests, such as get or list; * alone for all. Must not be empty. */
  readonly verbs?: readonly string[] | null;
  /** Groups of the resources, empty text for the core group; * alone for all. */
  readonly apiGroups?: readonly string[] | null;
  /** Resources in lower case and plural, or resource/subresource; * alone for all. */
  readonly resources?: readonly string[] | null;
  /** Whether requests without a namespace fit; false if not given. */
  readonly clusterScope?: boolean;
  /** Namespaces of the requests; * alone for all. May be empty only with clusterScope. */
  readonly namespaces?: readonly string[] | null;
}

/** One service account, or all of a namespace. */
export interface ServiceAccountSubject {
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account; * for all of the namespace. */
  readonly name: string;
}

/** Who makes a request, as a user, a group or a service account. */
export interface Subject {
  /** Which of the members is used: User, Group or ServiceAccount. */
  readonly kind: string;
  /** The user, with the kind User. */
  readonly user?: UserSubject;
  /** The group, with the kind Group. */
  readonly group?: GroupSubject;
  /** The service account, with the kind ServiceAccount. */
  readonly serviceAccount?: ServiceAccountSubject;
}

/** A user, given by name. */
export interface UserSubject {
  /** Name of the user; * for all users. */
  readonly name: string;
}

export const flowSchemas: Resource<FlowSchema> = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'flowschemas', kind: 'FlowSchema', namespaced: false };
export const priorityLevelConfigurations: Resource<PriorityLevelConfiguration> = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration', namespaced: false };
