import type { ObjectMeta, OwnerReference } from '../types/meta/v1.js';
import { timeOf } from '../time.js';

/** The parts that all API objects share. Undeclared members stay and are sent back, so an update by an older program loses nothing. */

export type { ObjectMeta, OwnerReference };

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

export interface ObjectList<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly items: readonly T[];
}

/** Cluster-scoped objects have the namespace ''. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export const nameOf = (object: KubeObject): string => object.metadata.name ?? '';
export const namespaceOf = (object: KubeObject): string => object.metadata.namespace ?? '';
export const uidOf = (object: KubeObject): string => object.metadata.uid ?? '';
export const keyOf = (object: KubeObject): ObjectKey => ({ namespace: namespaceOf(object), name: nameOf(object) });

/** `namespace/name`, or `name` if cluster-scoped: the key of caches and queues. */
export const keyText = ({ namespace, name }: ObjectKey): string => (namespace === '' ? name : `${namespace}/${name}`);
export const keyTextOf = (object: KubeObject): string => keyText(keyOf(object));

/** Reverses `keyText`; names contain no slash. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { namespace: '', name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Returns the managing owner: at most one reference has `controller: true`. */
export const controllerOf = (object: KubeObject): OwnerReference | null =>
  object.metadata.ownerReferences?.find((reference) => reference.controller === true) ?? null;
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean => controllerOf(object)?.uid === owner.metadata.uid;
export const isTerminating = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;
export const createdAt = (object: KubeObject): number => timeOf(object.metadata.creationTimestamp);
