// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

export type BasicSchedulingPolicy = Readonly<Record<string, unknown>>;

export interface GangSchedulingPolicy {
  readonly minCount: number;
}

/** Pods that are to be scheduled together. */
export interface PodGroup {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: PodGroupSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: PodGroupStatus;
}

export interface PodGroupList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PodGroup[] | null;
}

export interface PodGroupResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodGroupResourceClaimStatus {
  readonly name: string;
  readonly resourceClaimName?: string;
}

export interface PodGroupSchedulingConstraints {
  readonly topology?: readonly TopologyConstraint[];
}

export interface PodGroupSchedulingPolicy {
  readonly basic?: BasicSchedulingPolicy;
  readonly gang?: GangSchedulingPolicy;
}

export interface PodGroupSpec {
  readonly podGroupTemplateRef?: PodGroupTemplateReference;
  readonly schedulingPolicy: PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly PodGroupResourceClaim[];
  readonly disruptionMode?: string;
  readonly priorityClassName?: string;
  readonly priority?: number;
}

export interface PodGroupStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  readonly resourceClaimStatuses?: readonly PodGroupResourceClaimStatus[];
}

export interface PodGroupTemplate {
  readonly name: string;
  readonly schedulingPolicy: PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly PodGroupResourceClaim[];
  readonly disruptionMode?: string;
  readonly priorityClassName?: string;
  readonly priority?: number;
}

export interface PodGroupTemplateReference {
  readonly workload?: WorkloadPodGroupTemplateReference;
}

export interface TopologyConstraint {
  readonly key: string;
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
}

/** Groups of pods of an application that scheduling treats as wholes. */
export interface Workload {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: WorkloadSpec;
}

export interface WorkloadList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Workload[] | null;
}

export interface WorkloadPodGroupTemplateReference {
  readonly workloadName: string;
  readonly podGroupTemplateName: string;
}

export interface WorkloadSpec {
  readonly controllerRef?: TypedLocalObjectReference;
  readonly podGroupTemplates?: readonly PodGroupTemplate[] | null;
}

export const podGroups: Resource<PodGroup> = { group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'podgroups', kind: 'PodGroup', namespaced: true };
export const workloads: Resource<Workload> = { group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'workloads', kind: 'Workload', namespaced: true };
