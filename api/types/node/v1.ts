// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** Resources that a pod needs on top of those of its containers. */
export interface Overhead {
  /** Fixed amount of each resource, by name, that every pod costs. */
  readonly podFixed?: Readonly<Record<string, machinery.Quantity>>;
}

/** A way to run containers that pods can choose by name. */
export interface RuntimeClass {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** Name of the settings of the container runtime on the node that run such pods. Cannot be changed. */
  readonly handler: string;
  /** What running a pod in this way costs besides its containers. */
  readonly overhead?: Overhead;
  /** Which nodes can run such pods; all nodes if not given. */
  readonly scheduling?: Scheduling;
}

export interface RuntimeClassList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly RuntimeClass[] | null;
}

/** Puts the pods of a runtime class on the nodes that can run them. */
export interface Scheduling {
  /** Labels that the nodes must have, added to the node selector of the pods. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Taints that the pods tolerate, added to their own tolerations. */
  readonly tolerations?: readonly coreV1.Toleration[];
}

export const runtimeClasses: Resource<RuntimeClass> = { group: 'node.k8s.io', version: 'v1', resource: 'runtimeclasses', kind: 'RuntimeClass', namespaced: false };
