// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** Goes by what one container of each pod uses. */
export interface ContainerResourceMetricSource {
  /** Name of the resource. */
  readonly name: string;
  /** What to aim at. */
  readonly target: MetricTarget;
  /** Name of the container. */
  readonly container: string;
}

/** What one container of each pod uses. */
export interface ContainerResourceMetricStatus {
  /** Name of the resource. */
  readonly name: string;
  /** What was measured. */
  readonly current: MetricValueStatus;
  /** Name of the container. */
  readonly container: string;
}

/** Names an object in the same namespace. */
export interface CrossVersionObjectReference {
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Group and version of the object. */
  readonly apiVersion?: string;
}

/** Goes by something outside of the cluster. */
export interface ExternalMetricSource {
  /** Which metric. */
  readonly metric: MetricIdentifier;
  /** What to aim at. */
  readonly target: MetricTarget;
}

/** What something outside of the cluster measures. */
export interface ExternalMetricStatus {
  /** Which metric. */
  readonly metric: MetricIdentifier;
  /** What was measured. */
  readonly current: MetricValueStatus;
}

/** How much may change in some time. */
export interface HPAScalingPolicy {
  /** Pods or Percent. */
  readonly type: string;
  /** How many pods, or how many percent of them. */
  readonly value: number;
  /** In how many seconds, 1 to 1800. */
  readonly periodSeconds: number;
}

/** How fast to scale in one direction. */
export interface HPAScalingRules {
  /** Which policy counts: Max, which is the default, Min, or Disabled for no scaling. */
  readonly selectPolicy?: string;
  /** The policies. */
  readonly policies?: readonly HPAScalingPolicy[];
  /** For how many seconds earlier results count, 0 to 3600. */
  readonly stabilizationWindowSeconds?: number;
  /** How far from the target nothing happens; 0.1 is the usual part. */
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

/** How fast to scale. */
export interface HorizontalPodAutoscalerBehavior {
  /** How fast to add pods. */
  readonly scaleUp?: HPAScalingRules;
  /** How fast to remove pods. */
  readonly scaleDown?: HPAScalingRules;
}

/** A statement about an autoscaler. */
export interface HorizontalPodAutoscalerCondition {
  /** What the statement is: AbleToScale, ScalingActive or ScalingLimited. */
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
  /** What to go by. */
  readonly metrics?: readonly MetricSpec[];
  /** How fast to scale. */
  readonly behavior?: HorizontalPodAutoscalerBehavior;
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
  /** What was measured at the last look. */
  readonly currentMetrics?: readonly MetricStatus[] | null;
  /** Statements about the present state. */
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
}

/** Names a metric. */
export interface MetricIdentifier {
  /** Name of the metric. */
  readonly name: string;
  /** Selects among series of that name. */
  readonly selector?: metaV1.LabelSelector;
}

/** One thing to go by; the member of its type is set. */
export interface MetricSpec {
  /** Object, Pods, Resource, ContainerResource or External. */
  readonly type: string;
  /** A metric of one object. */
  readonly object?: ObjectMetricSource;
  /** A metric of each pod. */
  readonly pods?: PodsMetricSource;
  /** A resource that pods request. */
  readonly resource?: ResourceMetricSource;
  /** A metric from outside of the cluster. */
  readonly external?: ExternalMetricSource;
  /** A resource that one container of each pod requests. */
  readonly containerResource?: ContainerResourceMetricSource;
}

/** What was measured; the member of its type is set. */
export interface MetricStatus {
  /** Object, Pods, Resource, ContainerResource or External. */
  readonly type: string;
  /** A metric of one object. */
  readonly object?: ObjectMetricStatus;
  /** A metric of each pod. */
  readonly pods?: PodsMetricStatus;
  /** A resource that pods request. */
  readonly resource?: ResourceMetricStatus;
  /** A metric from outside of the cluster. */
  readonly external?: ExternalMetricStatus;
  /** A resource that one container of each pod requests. */
  readonly containerResource?: ContainerResourceMetricStatus;
}

/** What to aim at. */
export interface MetricTarget {
  /** Utilization, Value or AverageValue. */
  readonly type: string;
  /** The amount. */
  readonly value?: machinery.Quantity;
  /** The amount for each pod. */
  readonly averageValue?: machinery.Quantity;
  /** Use in percent of what pods request. */
  readonly averageUtilization?: number;
}

/** What was measured. */
export interface MetricValueStatus {
  /** The amount. */
  readonly value?: machinery.Quantity;
  /** The amount for each pod. */
  readonly averageValue?: machinery.Quantity;
  /** Use in percent of what pods request. */
  readonly averageUtilization?: number;
}

/** Goes by a metric of one object. */
export interface ObjectMetricSource {
  /** The object. */
  readonly describedObject: CrossVersionObjectReference;
  /** What to aim at. */
  readonly target: MetricTarget;
  /** Which metric. */
  readonly metric: MetricIdentifier;
}

/** What was measured of one object. */
export interface ObjectMetricStatus {
  /** Which metric. */
  readonly metric: MetricIdentifier;
  /** What was measured. */
  readonly current: MetricValueStatus;
  /** The object. */
  readonly describedObject: CrossVersionObjectReference;
}

/** Goes by a metric of each pod. */
export interface PodsMetricSource {
  /** Which metric. */
  readonly metric: MetricIdentifier;
  /** What to aim at. */
  readonly target: MetricTarget;
}

/** What was measured of pods. */
export interface PodsMetricStatus {
  /** Which metric. */
  readonly metric: MetricIdentifier;
  /** What was measured. */
  readonly current: MetricValueStatus;
}

/** Goes by a resource that pods request. */
export interface ResourceMetricSource {
  /** Name of the resource. */
  readonly name: string;
  /** What to aim at. */
  readonly target: MetricTarget;
}

/** What pods use of a resource. */
export interface ResourceMetricStatus {
  /** Name of the resource. */
  readonly name: string;
  /** What was measured. */
  readonly current: MetricValueStatus;
}

export const horizontalPodAutoscalers: Resource<HorizontalPodAutoscaler> = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true };
