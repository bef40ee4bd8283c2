// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Schedules the pods of a group one by one, as usual. */
export type BasicSchedulingPolicy = Readonly<Record<string, unknown>>;

/** Schedules pods of a group only if enough of them fit at once. */
export interface GangSchedulingPolicy {
  /** How many pods must fit at the same time for any to start; at least 1. */
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

/** A claim for devices that the pods of a group share. */
export interface PodGroupResourceClaim {
  /** Name of the entry, unique in the group. */
  readonly name: string;
  /** An existing ResourceClaim in the same namespace. Not together with a template. */
  readonly resourceClaimName?: string;
  /** Template of which one ResourceClaim is made for the group. Not together with a claim. */
  readonly resourceClaimTemplateName?: string;
}

/** Which claim was made for an entry of the group. */
export interface PodGroupResourceClaimStatus {
  /** Name of the entry among the claims of the group. */
  readonly name: string;
  /** The ResourceClaim that was made; not given if none was needed. */
  readonly resourceClaimName?: string;
}

/** Where the pods of a group may be placed with regard to each other. */
export interface PodGroupSchedulingConstraints {
  /** Parts of the cluster within which the pods must stay together. */
  readonly topology?: readonly TopologyConstraint[];
}

/** How the pods of a group are scheduled: exactly one of the members is given. */
export interface PodGroupSchedulingPolicy {
  /** Schedule the pods one by one. */
  readonly basic?: BasicSchedulingPolicy;
  /** Schedule the pods all or nothing. */
  readonly gang?: GangSchedulingPolicy;
}

/** How the pods of a group are scheduled and displaced. */
export interface PodGroupSpec {
  /** The template that the group was made of, if any. Cannot be changed. */
  readonly podGroupTemplateRef?: PodGroupTemplateReference;
  /** Whether the pods are scheduled singly or as a gang. Cannot be changed. */
  readonly schedulingPolicy: PodGroupSchedulingPolicy;
  /** Limits to where the pods may be placed together. Cannot be changed. */
  readonly schedulingConstraints?: PodGroupSchedulingConstraints;
  /** Claims for devices that the pods of the group share. Cannot be changed. */
  readonly resourceClaims?: readonly PodGroupResourceClaim[];
  /** Pod lets pods be displaced singly, PodGroup only all at once; Pod if not given. Cannot be changed. */
  readonly disruptionMode?: string;
  /** PriorityClass that gives the group its priority. Cannot be changed. */
  readonly priorityClassName?: string;
  /** Priority of the group, filled in from its class; higher is more important. Cannot be changed. */
  readonly priority?: number;
}

/** What is known of the present state of a group of pods. */
export interface PodGroupStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  /** Claims that were made from templates for the group. */
  readonly resourceClaimStatuses?: readonly PodGroupResourceClaimStatus[];
}

/** A description of groups of pods to be made for a workload. */
export interface PodGroupTemplate {
  /** Name of the template, unique in the workload. */
  readonly name: string;
  /** Whether the pods of a group are scheduled singly or as a gang. */
  readonly schedulingPolicy: PodGroupSchedulingPolicy;
  /** Limits to where the pods of a group may be placed together. */
  readonly schedulingConstraints?: PodGroupSchedulingConstraints;
  /** Claims for devices that the pods of a group share. */
  readonly resourceClaims?: readonly PodGroupResourceClaim[];
  /** Pod lets pods of a group be displaced singly, PodGroup only all at once. */
  readonly disruptionMode?: string;
  /** PriorityClass that gives the groups their priority. */
  readonly priorityClassName?: string;
  /** Priority of the groups; higher is more important. */
  readonly priority?: number;
}

/** Points to the template that a group of pods was made of. */
export interface PodGroupTemplateReference {
  /** The template as a part of a Workload. */
  readonly workload?: WorkloadPodGroupTemplateReference;
}

/** Keeps the pods of a group within one part of the cluster. */
export interface TopologyConstraint {
  /** Label of nodes whose value must be the same for all pods of the group. */
  readonly key: string;
}

/** Points to an object of any kind in the same namespace. */
export interface TypedLocalObjectReference {
  /** Group of the object; the core group if empty. */
  readonly apiGroup?: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
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

/** Names a template for groups of pods within a Workload. */
export interface WorkloadPodGroupTemplateReference {
  /** Name of the Workload, in the same namespace. */
  readonly workloadName: string;
  /** Name of the template within the Workload. */
  readonly podGroupTemplateName: string;
}

/** Who a workload belongs to, and which groups of pods it has. */
export interface WorkloadSpec {
  /** The object that manages the pods, such as a Job. Only for information. Cannot be changed. */
  readonly controllerRef?: TypedLocalObjectReference;
  /** Templates for the groups of pods that make up the workload. Cannot be changed. */
  readonly podGroupTemplates?: readonly PodGroupTemplate[] | null;
}

export const podGroups: Resource<PodGroup> = { group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'podgroups', kind: 'PodGroup', namespaced: true };
export const workloads: Resource<Workload> = { group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'workloads', kind: 'Workload', namespaced: true };
