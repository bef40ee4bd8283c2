// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** A past or present state of what a controller rolls out, kept so that it can be returned to. Never changes. */
export interface ControllerRevision {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is kept of the object. */
  readonly data?: machinery.RawExtension;
  /** Number of the revision; larger ones are newer. */
  readonly revision: number;
}

export interface ControllerRevisionList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ControllerRevision[] | null;
}

/** Runs a copy of a pod on every node, or on every node that is selected. */
export interface DaemonSet {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: DaemonSetSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: DaemonSetStatus;
}

/** A statement about a DaemonSet. */
export interface DaemonSetCondition {
  /** What the statement is. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

export interface DaemonSetList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly DaemonSet[] | null;
}

/** What runs on each node. | */
export interface DaemonSetSpec {
  /** Selects the pods. Must fit the labels of the template, and cannot be changed. */
  readonly selector?: metaV1.LabelSelector | null;
  /** What pods are made of. */
  readonly template: coreV1.PodTemplateSpec;
  /** RollingUpdate or OnDelete. */
  readonly updateStrategy?: DaemonSetUpdateStrategy;
  /** Seconds for which a new pod must be ready to count as available. */
  readonly minReadySeconds?: number;
  /** How many old revisions are kept. */
  readonly revisionHistoryLimit?: number;
}

/** What is known of a DaemonSet. */
export interface DaemonSetStatus {
  /** Nodes that run the pod and should. */
  readonly currentNumberScheduled: number;
  /** Nodes that run the pod and should not. */
  readonly numberMisscheduled: number;
  /** Nodes that should run the pod. */
  readonly desiredNumberScheduled: number;
  /** Nodes on which the pod is ready. */
  readonly numberReady: number;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** Nodes that run the newest pod. */
  readonly updatedNumberScheduled?: number;
  /** Nodes on which the pod has been ready for long enough. */
  readonly numberAvailable?: number;
  /** Nodes on which it has not. */
  readonly numberUnavailable?: number;
  /** How often a name of a revision was taken already. */
  readonly collisionCount?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly DaemonSetCondition[];
}

/** How pods are replaced. */
export interface DaemonSetUpdateStrategy {
  /** RollingUpdate, which is the default, or OnDelete. */
  readonly type?: string;
  /** How far a rolling update may go at a time. */
  readonly rollingUpdate?: RollingUpdateDaemonSet;
}

/** Keeps a number of interchangeable pods running and replaces them step by step when their template changes. */
export interface Deployment {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: DeploymentSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: DeploymentStatus;
}

/** A statement about a Deployment. */
export interface DeploymentCondition {
  /** What the statement is, such as Available or Progressing. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
  /** When it was last looked at. */
  readonly lastUpdateTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
}

export interface DeploymentList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Deployment[] | null;
}

/** How many pods to keep, what they are made of, and how they are replaced. | */
export interface DeploymentSpec {
  /** How many pods are wanted; 1 if not given. */
  readonly replicas?: number;
  /** Selects the pods. Must fit the labels of the template, and cannot be changed. */
  readonly selector?: metaV1.LabelSelector | null;
  /** What pods are made of. */
  readonly template: coreV1.PodTemplateSpec;
  /** How pods are replaced: RollingUpdate, step by step, or Recreate, all at once. */
  readonly strategy?: DeploymentStrategy;
  /** Seconds for which a new pod must be ready to count as available. */
  readonly minReadySeconds?: number;
  /** How many old ReplicaSets are kept. */
  readonly revisionHistoryLimit?: number;
  /** Do not roll out changes. */
  readonly paused?: boolean;
  /** Seconds without progress after which the rollout counts as failed. */
  readonly progressDeadlineSeconds?: number;
}

/** What is known of a Deployment. */
export interface DeploymentStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** How many pods there are. */
  readonly replicas?: number;
  /** How many pods are of the present template. */
  readonly updatedReplicas?: number;
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
  /** How many are missing. */
  readonly unavailableReplicas?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly DeploymentCondition[];
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How often a name for a ReplicaSet was taken. */
  readonly collisionCount?: number;
  /** How many pods are going away. */
  readonly terminatingReplicas?: number;
}

/** How pods are replaced. */
export interface DeploymentStrategy {
  /** RollingUpdate, which is the default, or Recreate. */
  readonly type?: string;
  /** How far a rolling update may go at a time. */
  readonly rollingUpdate?: RollingUpdateDeployment;
}

/** Keeps a number of pods of one template running. Usually made by a Deployment. */
export interface ReplicaSet {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: ReplicaSetSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ReplicaSetStatus;
}

/** A statement about a ReplicaSet. */
export interface ReplicaSetCondition {
  /** What the statement is, such as ReplicaFailure. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

export interface ReplicaSetList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ReplicaSet[] | null;
}

/** How many pods to keep, and what they are made of. */
export interface ReplicaSetSpec {
  /** How many pods are wanted; 1 if not given. */
  readonly replicas?: number;
  /** Selects the pods. Must fit the labels of the template, and cannot be changed. */
  readonly selector?: metaV1.LabelSelector | null;
  /** What pods are made of. */
  readonly template?: coreV1.PodTemplateSpec;
  /** Seconds for which a new pod must be ready to count as available; 0 if not given. */
  readonly minReadySeconds?: number;
}

/** What is known of a ReplicaSet. */
export interface ReplicaSetStatus {
  /** How many pods there are. */
  readonly replicas: number;
  /** How many pods have all labels of the template. */
  readonly fullyLabeledReplicas?: number;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly ReplicaSetCondition[];
  /** How many pods are going away. */
  readonly terminatingReplicas?: number;
}

/** How far a rolling update may go at a time. */
export interface RollingUpdateDaemonSet {
  /** How many nodes, or what part of them, may be without a pod meanwhile; 1 if not given. */
  readonly maxUnavailable?: machinery.IntOrString;
  /** On how many nodes, or what part of them, old and new may run together; 0 if not given. */
  readonly maxSurge?: machinery.IntOrString;
}

/** How far a rolling update may go at a time. | */
export interface RollingUpdateDeployment {
  /** How many pods, or which share, may be missing. */
  readonly maxUnavailable?: machinery.IntOrString;
  /** How many pods, or which share, may be there beyond the wanted number. */
  readonly maxSurge?: machinery.IntOrString;
}

/** How far a rolling update goes. */
export interface RollingUpdateStatefulSetStrategy {
  /** Pods with a smaller ordinal are left as they are; 0 if not given. */
  readonly partition?: number;
  /** How many pods, or what part of them, may be missing meanwhile; 1 if not given. */
  readonly maxUnavailable?: machinery.IntOrString;
}

/** Keeps a number of pods running that have stable names, addresses and volumes. */
export interface StatefulSet {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: StatefulSetSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: StatefulSetStatus;
}

/** A statement about a StatefulSet. */
export interface StatefulSetCondition {
  /** What the statement is. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

export interface StatefulSetList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly StatefulSet[] | null;
}

/** How pods are numbered. */
export interface StatefulSetOrdinals {
  /** Ordinal of the first pod; 0 if not given. */
  readonly start?: number;
}

/** What becomes of claims. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /** Retain or Delete, when the StatefulSet goes; Retain if not given. */
  readonly whenDeleted?: string;
  /** Retain or Delete, when a pod goes since fewer are wanted; Retain if not given. */
  readonly whenScaled?: string;
}

/** How many pods to keep, what they are made of, and what storage each has. */
export interface StatefulSetSpec {
  /** How many pods are wanted; 1 if not given. */
  readonly replicas?: number;
  /** Selects the pods. Must fit the labels of the template, and cannot be changed. */
  readonly selector?: metaV1.LabelSelector | null;
  /** What pods are made of. */
  readonly template: coreV1.PodTemplateSpec;
  /** Claims that are made for each pod. */
  readonly volumeClaimTemplates?: readonly coreV1.PersistentVolumeClaim[];
  /** Service that gives the pods their names. */
  readonly serviceName?: string;
  /** OrderedReady starts pods one by one, Parallel all at once. */
  readonly podManagementPolicy?: string;
  /** RollingUpdate or OnDelete. */
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  /** How many old revisions are kept. */
  readonly revisionHistoryLimit?: number;
  /** Seconds for which a new pod must be ready to count as available. */
  readonly minReadySeconds?: number;
  /** What becomes of claims. */
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /** How pods are numbered. */
  readonly ordinals?: StatefulSetOrdinals;
}

/** What is known of a StatefulSet. */
export interface StatefulSetStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** How many pods there are. */
  readonly replicas: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many pods are of the current revision. */
  readonly currentReplicas?: number;
  /** How many pods are of the new revision. */
  readonly updatedReplicas?: number;
  /** Name of the current revision. */
  readonly currentRevision?: string;
  /** Name of the new revision. */
  readonly updateRevision?: string;
  /** How often a name of a revision was taken already. */
  readonly collisionCount?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly StatefulSetCondition[];
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
}

/** How pods are replaced. */
export interface StatefulSetUpdateStrategy {
  /** RollingUpdate, which is the default, or OnDelete. */
  readonly type?: string;
  /** How far a rolling update goes. */
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
}

export const controllerRevisions: Resource<ControllerRevision> = { group: 'apps', version: 'v1', resource: 'controllerrevisions', kind: 'ControllerRevision', namespaced: true };
export const daemonSets: Resource<DaemonSet> = { group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet', namespaced: true };
export const deployments: Resource<Deployment> = { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true };
export const replicaSets: Resource<ReplicaSet> = { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true };
export const statefulSets: Resource<StatefulSet> = { group: 'apps', version: 'v1', resource: 'statefulsets', kind: 'StatefulSet', namespaced: true };
