import type { ApiObject } from '../../api/object.js';
import { qualifiedName } from '../../api/resource.js';
import { notFound, type StatusError } from '../../api/status.js';
import type { ObjectKey, SideWrite, Storage, StoredObject, Version } from '../storage/contract.js';
import type { Allocator, Allocators } from './allocation.js';
import type { Target } from './target.js';
import { readFailure } from './failures.js';
import type { ServedResource } from './resources.js';
import { transientInTurns } from './transient.js';

/** What is known of an object when a write is worked out. */
export interface Known {
  readonly stored: StoredObject | null;
  /** Read with the latest state rather than from this replica's, which may be behind. */
  readonly fresh: boolean;
}

/** Every round one of the competing writers wins, so this many writers of one object can compete. */
export const writeAttemptsMax = 100;

/** Single objects where they are kept, and what they hold of what the cluster has only once. */
export class StoredObjects {
  constructor(
    readonly storage: Storage,
    private readonly allocators: Allocators,
  ) {}

  /** The object, or null where there is none. */
  async read(target: Target, at: 'any' | 'mostRecent'): Promise<StoredObject | null> {
    const result = await this.storageOf(target.resource).get(keyOf(target), { at });
    if (result.outcome === 'found') return result.object;
    if (result.outcome === 'absent') return null;
    throw readFailure(result);
  }

  /** Where objects of a resource are kept. */
  storageOf(resource: ServedResource): Storage {
    return resource.behaviour.storage(this.storage);
  }

  /** What a write would answer, where a dry run does not write: custom objects pass through the version that is stored. */
  async rehearsed({ resource }: Target, object: ApiObject, version: Version): Promise<StoredObject> {
    return (await this.storageOf(resource).rehearse?.(object, version)) ?? transientInTurns(object, version);
  }

  /** Who allocates to objects of the resource, or null. */
  allocatorOf({ resource }: Target): Allocator | null {
    return this.allocators[qualifiedName(resource.storage)] ?? null;
  }

  /** What goes back when the object goes. */
  released(target: Target, stored: StoredObject): readonly SideWrite[] {
    return this.allocatorOf(target)?.release(stored.decode()) ?? [];
  }
}

/** The place of an object in storage. */
export const keyOf = ({ resource, namespace, name }: Target): ObjectKey => ({ resource: resource.storage, namespace, name });
/** What is said of an object that is not there. */
export const absent = ({ resource, name }: Target): StatusError => notFound({ group: resource.group, resource: resource.resource }, name);
