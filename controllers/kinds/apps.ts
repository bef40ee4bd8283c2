import type { Condition, KubeObject } from '../client/object.js';
import { resource } from '../client/resource.js';
import type { LabelSelector } from '../client/selectors.js';
import type { IntOrString, PersistentVolumeClaim, PodTemplate, ReplicaStatus } from './core.js';

/** Kinds of the group `apps`: the members that controllers read. */

export interface ReplicaSet extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly minReadySeconds?: number; readonly selector?: LabelSelector; readonly template?: PodTemplate };
  readonly status?: ReplicaStatus;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DeploymentCondition[];
}
export interface DeploymentCondition extends Condition { readonly lastUpdateTime?: string }
export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate;
    readonly strategy?: { readonly type?: string; readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString } };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly paused?: boolean;
    readonly progressDeadlineSeconds?: number;
  };
  readonly status?: DeploymentStatus;
}

export interface StatefulSet extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate;
    readonly serviceName?: string;
    readonly podManagementPolicy?: string;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrString } };
    readonly revisionHistoryLimit?: number;
    readonly minReadySeconds?: number;
    readonly ordinals?: { readonly start?: number };
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
  };
  readonly status?: StatefulSetStatus;
}
export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

export interface DaemonSet extends KubeObject {
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString } };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: DaemonSetStatus;
}
export interface DaemonSetStatus {
  readonly currentNumberScheduled?: number;
  readonly numberMisscheduled?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

export interface ControllerRevision extends KubeObject { readonly data?: unknown; readonly revision: number }

export const replicaSets = resource<ReplicaSet>('apps/v1', 'replicasets', 'ReplicaSet');
export const deployments = resource<Deployment>('apps/v1', 'deployments', 'Deployment');
export const statefulSets = resource<StatefulSet>('apps/v1', 'statefulsets', 'StatefulSet');
export const daemonSets = resource<DaemonSet>('apps/v1', 'daemonsets', 'DaemonSet');
export const controllerRevisions = resource<ControllerRevision>('apps/v1', 'controllerrevisions', 'ControllerRevision');
