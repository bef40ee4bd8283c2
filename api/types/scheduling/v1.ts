// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** A name for how important pods are: whom the scheduler serves first, and evicts last. */
export interface PriorityClass {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** The priority that pods of the class get; higher is more important. Cannot be changed. */
  readonly value?: number;
  /** Whether pods that name no class get this one; false if not given. */
  readonly globalDefault?: boolean;
  /** When to use the class, for people to read. */
  readonly description?: string;
  /** Whether pods may displace others, PreemptLowerPriority or Never; PreemptLowerPriority if not given. Cannot be changed. */
  readonly preemptionPolicy?: string;
}

export interface PriorityClassList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PriorityClass[] | null;
}

export const priorityClasses: Resource<PriorityClass> = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses', kind: 'PriorityClass', namespaced: false };
