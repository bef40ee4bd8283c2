// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** Asks to remove a pod, if disruption budgets allow it. */
export interface Eviction {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** How to delete the pod, such as the grace period. */
  readonly deleteOptions?: metaV1.DeleteOptions;
}

/** How many pods of a set may be down on purpose at the same time. */
export interface PodDisruptionBudget {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: PodDisruptionBudgetSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PodDisruptionBudget[] | null;
}

/** Which pods a budget protects, and how many of them must stay. */
export interface PodDisruptionBudgetSpec {
  /** How many pods, or which share, must stay. */
  readonly minAvailable?: machinery.IntOrString;
  /** Selects the pods by their labels; all of the namespace if empty. */
  readonly selector?: metaV1.LabelSelector;
  /** How many pods, or which share, may be missing. */
  readonly maxUnavailable?: machinery.IntOrString;
  /** When running pods that are not ready may be evicted, IfHealthyBudget or AlwaysAllow; IfHealthyBudget if not given. */
  readonly unhealthyPodEvictionPolicy?: string;
}

/** How many pods of the budget are healthy, and how many may be evicted. */
export interface PodDisruptionBudgetStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** Pods whose eviction was permitted but has not shown yet, by name, with the time of it. */
  readonly disruptedPods?: Readonly<Record<string, metaV1.Time>>;
  /** How many pods may be evicted at present. */
  readonly disruptionsAllowed?: number;
  /** How many pods are healthy at present. */
  readonly currentHealthy?: number;
  /** How many pods must be healthy at least. */
  readonly desiredHealthy?: number;
  /** How many pods the budget counts altogether. */
  readonly expectedPods?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

export const podDisruptionBudgets: Resource<PodDisruptionBudget> = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true };
