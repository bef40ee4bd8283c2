// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

export interface ContainerResourceMetricSource {
  readonly name: string;
  readonly target: MetricTarget;
  readonly container: string;
}

export interface ContainerResourceMetricStatus {
  readonly name: string;
  readonly current: MetricValueStatus;
  readonly container: string;
}

export interface CrossVersionObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}

export interface ExternalMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface ExternalMetricStatus {
  readonly metric: MetricIdentifier;
  readonly current: MetricValueStatus;
}

export interface HPAScalingPolicy {
  readonly type: string;
  readonly value: number;
  readonly periodSeconds: number;
}

export interface HPAScalingRules {
  readonly selectPolicy?: string;
  readonly policies?: readonly HPAScalingPolicy[];
  readonly stabilizationWindowSeconds?: number;
  readonly tolerance?: machinery.Quantity;
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

export interface HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: HPAScalingRules;
  readonly scaleDown?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerCondition {
  readonly type: string;
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
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
  /** What to go by. */
  readonly metrics?: readonly MetricSpec[];
  /** How fast to scale. */
  readonly behavior?: HorizontalPodAutoscalerBehavior;
}

export interface HorizontalPodAutoscalerStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  readonly lastScaleTime?: metaV1.Time;
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
  readonly currentMetrics?: readonly MetricStatus[] | null;
  /** Statements about the present state. */
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: metaV1.LabelSelector;
}

export interface MetricSpec {
  readonly type: string;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly external?: ExternalMetricSource;
  readonly containerResource?: ContainerResourceMetricSource;
}

export interface MetricStatus {
  readonly type: string;
  readonly object?: ObjectMetricStatus;
  readonly pods?: PodsMetricStatus;
  readonly resource?: ResourceMetricStatus;
  readonly external?: ExternalMetricStatus;
  readonly containerResource?: ContainerResourceMetricStatus;
}

export interface MetricTarget {
  readonly type: string;
  readonly value?: machinery.Quantity;
  readonly averageValue?: machinery.Quantity;
  readonly averageUtilization?: number;
}

export interface MetricValueStatus {
  readonly value?: machinery.Quantity;
  readonly averageValue?: machinery.Quantity;
  readonly averageUtilization?: number;
}

export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference;
  readonly target: MetricTarget;
  readonly metric: MetricIdentifier;
}

export interface ObjectMetricStatus {
  readonly metric: MetricIdentifier;
  readonly current: MetricValueStatus;
  readonly describedObject: CrossVersionObjectReference;
}

export interface PodsMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface PodsMetricStatus {
  readonly metric: MetricIdentifier;
  readonly current: MetricValueStatus;
}

export interface ResourceMetricSource {
  readonly name: string;
  readonly target: MetricTarget;
}

export interface ResourceMetricStatus {
  readonly name: string;
  readonly current: MetricValueStatus;
}

export const horizontalPodAutoscalers: Resource<HorizontalPodAutoscaler> = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true };
