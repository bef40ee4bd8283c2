// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

export interface ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

export interface FlowDistinguisherMethod {
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

export interface FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
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

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly FlowSchemaCondition[];
}

export interface GroupSubject {
  readonly name: string;
}

export interface LimitResponse {
  readonly type: string;
  readonly queuing?: QueuingConfiguration;
}

export interface LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly limitResponse?: LimitResponse;
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

export interface NonResourcePolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

export interface PolicyRulesWithSubjects {
  readonly subjects?: readonly Subject[] | null;
  readonly resourceRules?: readonly ResourcePolicyRule[];
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

export interface PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
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

export interface PriorityLevelConfigurationReference {
  readonly name: string;
}

export interface PriorityLevelConfigurationSpec {
  readonly type: string;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly exempt?: ExemptPriorityLevelConfiguration;
}

export interface PriorityLevelConfigurationStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

export interface ResourcePolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

export interface ServiceAccountSubject {
  readonly namespace: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly user?: UserSubject;
  readonly group?: GroupSubject;
  readonly serviceAccount?: ServiceAccountSubject;
}

export interface UserSubject {
  readonly name: string;
}

export const flowSchemas: Resource<FlowSchema> = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'flowschemas', kind: 'FlowSchema', namespaced: false };
export const priorityLevelConfigurations: Resource<PriorityLevelConfiguration> = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration', namespaced: false };
