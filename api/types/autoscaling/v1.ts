// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

export interface CrossVersionObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}

/** Changes the number of replicas of a workload as its load changes. */
export interface HorizontalPodAutoscaler {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: HorizontalPodAutoscalerSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly HorizontalPodAutoscaler[] | null;
}

export interface HorizontalPodAutoscalerSpec {
  /** What to scale. */
  readonly scaleTargetRef: CrossVersionObjectReference;
  /** Least number of replicas. */
  readonly minReplicas?: number;
  /** Largest number of replicas. */
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  readonly lastScaleTime?: metaV1.Time;
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
  readonly currentCPUUtilizationPercentage?: number;
}

/** The number of replicas of a workload, wanted and present, whatever its kind. */
export interface Scale {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: ScaleSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ScaleStatus;
}

export interface ScaleSpec {
  readonly replicas?: number;
}

export interface ScaleStatus {
  readonly replicas: number;
  readonly selector?: string;
}

export const horizontalPodAutoscalers: Resource<HorizontalPodAutoscaler> = { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true };
