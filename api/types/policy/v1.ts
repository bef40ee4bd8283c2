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

export interface PodDisruptionBudgetSpec {
  /** How many pods, or which share, must stay. */
  readonly minAvailable?: machinery.IntOrString;
  readonly selector?: metaV1.LabelSelector;
  /** How many pods, or which share, may be missing. */
  readonly maxUnavailable?: machinery.IntOrString;
  readonly unhealthyPodEvictionPolicy?: string;
}

export interface PodDisruptionBudgetStatus {
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, metaV1.Time>>;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly expectedPods?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

export const podDisruptionBudgets: Resource<PodDisruptionBudget> = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true };
