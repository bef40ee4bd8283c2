import type { ApiObject } from '../../api/object.js';
import { qualifiedName } from '../../api/resource.js';
import { notFound, type StatusError } from '../../api/status.js';
import type { ObjectKey, SideWrite, Storage, StoredObject, Version } from '../storage/contract.js';
import type { Allocator, Allocators } from './allocation.js';
import type { Target } from './target.js';
import { readFailure } from './failures.js';
import type { ServedResource } from './resources.js';
import { transientInTurns } from './transient.js';

export interface Known {
  readonly stored: StoredObject | null;
  readonly fresh: boolean;
}

/** One writer succeeds in each round. */
export const writeAttemptsMax = 100;

export class StoredObjects {
  readonly #allocators: Allocators;

  constructor(
    readonly storage: Storage,
    allocators: Allocators,
  ) {
    this.#allocators = allocators;
  }

  async read(target: Target, at: 'any' | 'mostRecent'): Promise<StoredObject | null> {
    const result = await this.storageOf(target.resource).get(keyOf(target), { at });
    if (result.outcome === 'found') return result.object;
    if (result.outcome === 'absent') return null;
    throw readFailure(result);
  }

  storageOf(resource: ServedResource): Storage {
    return resource.behaviour.storage(this.storage);
  }

  /** Custom objects pass through the stored version. */
  async rehearsed({ resource }: Target, object: ApiObject, version: Version): Promise<StoredObject> {
    return (await this.storageOf(resource).rehearse?.(object, version)) ?? transientInTurns(object, version);
  }

  allocatorOf({ resource }: Target): Allocator | null {
    return this.#allocators[qualifiedName(resource.storage)] ?? null;
  }

  released(target: Target, stored: StoredObject): readonly SideWrite[] {
    return this.allocatorOf(target)?.release(stored.decode()) ?? [];
  }
}

export const keyOf = ({ resource, namespace, name }: Target): ObjectKey => ({ resource: resource.storage, namespace, name });
export const absent = ({ resource, name }: Target): StatusError => notFound({ group: resource.group, resource: resource.resource }, name);
