// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Names an object in the same namespace. */
export interface CrossVersionObjectReference {
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Group and version of the object. */
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

/** What to scale, by what, and within which bounds. */
export interface HorizontalPodAutoscalerSpec {
  /** What to scale. */
  readonly scaleTargetRef: CrossVersionObjectReference;
  /** Least number of replicas. */
  readonly minReplicas?: number;
  /** Largest number of replicas. */
  readonly maxReplicas: number;
  /** Use of the processor to aim at, in percent of what pods request. */
  readonly targetCPUUtilizationPercentage?: number;
}

/** What is known of an autoscaler. */
export interface HorizontalPodAutoscalerStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** When it last changed the number. */
  readonly lastScaleTime?: metaV1.Time;
  /** How many replicas there were at the last look. */
  readonly currentReplicas?: number;
  /** How many it wants. */
  readonly desiredReplicas: number;
  /** Use of the processor in percent of what pods request. */
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

/** How many replicas are wanted. */
export interface ScaleSpec {
  /** The number wanted. */
  readonly replicas?: number;
}

/** How many replicas there are. */
export interface ScaleStatus {
  /** The number present. */
  readonly replicas: number;
  /** Selects the pods; as text. */
  readonly selector?: string;
}

export const horizontalPodAutoscalers: Resource<HorizontalPodAutoscaler> = { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true };
