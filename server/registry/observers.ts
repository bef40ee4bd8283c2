import type { GroupResource } from '../../api/resource.js';
import type { StoredObject } from '../storage/contract.js';
import type { Target } from './target.js';

export interface UpdateObserver {
  readonly resource: GroupResource;
  readonly subresource: string;
  /** Changes nothing and does not throw. */
  updated(object: StoredObject, old: StoredObject): void;
}

interface StoredChange {
  readonly target: Target;
  readonly subresource: string;
  readonly old: StoredObject;
  readonly object: StoredObject;
}

export function tellObservers(observers: readonly UpdateObserver[], { target, subresource, old, object }: StoredChange): void {
  const { group, resource } = target.resource.storage;
  for (const observer of observers)
    if (observer.subresource === subresource && observer.resource.resource === resource && observer.resource.group === group)
      observer.updated(object, old);
}
