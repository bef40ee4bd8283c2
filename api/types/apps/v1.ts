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
  readonly data?: machinery.RawExtension;
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

export interface DaemonSetCondition {
  readonly type: string;
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
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

export interface DaemonSetStatus {
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberReady: number;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  readonly type?: string;
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

export interface DeploymentCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
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
  readonly terminatingReplicas?: number;
}

export interface DeploymentStrategy {
  readonly type?: string;
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

export interface ReplicaSetCondition {
  readonly type: string;
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
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

export interface ReplicaSetSpec {
  /** How many pods are wanted; 1 if not given. */
  readonly replicas?: number;
  /** Selects the pods. Must fit the labels of the template, and cannot be changed. */
  readonly selector?: metaV1.LabelSelector | null;
  /** What pods are made of. */
  readonly template?: coreV1.PodTemplateSpec;
  readonly minReadySeconds?: number;
}

export interface ReplicaSetStatus {
  /** How many pods there are. */
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly ReplicaSetCondition[];
  readonly terminatingReplicas?: number;
}

export interface RollingUpdateDaemonSet {
  readonly maxUnavailable?: machinery.IntOrString;
  readonly maxSurge?: machinery.IntOrString;
}

export interface RollingUpdateDeployment {
  /** How many pods, or which share, may be missing. */
  readonly maxUnavailable?: machinery.IntOrString;
  /** How many pods, or which share, may be there beyond the wanted number. */
  readonly maxSurge?: machinery.IntOrString;
}

export interface RollingUpdateStatefulSetStrategy {
  readonly partition?: number;
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

export interface StatefulSetCondition {
  readonly type: string;
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
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

export interface StatefulSetOrdinals {
  readonly start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

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
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** How many pods there are. */
  readonly replicas: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly StatefulSetCondition[];
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
}

export const controllerRevisions: Resource<ControllerRevision> = { group: 'apps', version: 'v1', resource: 'controllerrevisions', kind: 'ControllerRevision', namespaced: true };
export const daemonSets: Resource<DaemonSet> = { group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet', namespaced: true };
export const deployments: Resource<Deployment> = { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true };
export const replicaSets: Resource<ReplicaSet> = { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true };
export const statefulSets: Resource<StatefulSet> = { group: 'apps', version: 'v1', resource: 'statefulsets', kind: 'StatefulSet', namespaced: true };
