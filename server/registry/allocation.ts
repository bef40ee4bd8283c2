import type { ApiObject } from '../../api/object.js';
import type { SideWrite } from '../storage/contract.js';
import type { WriteRequest } from './writeRequest.js';

/** What an allocation may know of the request; everything nondeterministic comes in here. */
export type AllocationContext = Pick<WriteRequest, 'now' | 'dryRun' | 'random' | 'newUid' | 'enabled'>;

/**
 * Gives objects of one resource values of which the cluster has each only once, such as addresses. A value is claimed by creating an
 * object that is named after it in the transaction that writes the owner, and given back in the transaction that removes it: whatever
 * replica does the write, nobody gets a value twice and none is lost. There is nothing to lock and nothing to clean up after a crash.
 */
export interface Allocator {
  /**
   * Called with defaults set and before the strategy prepares and validates; may change `object`. `old` is null on create. Asked again
   * for a fresh copy of the object when somebody was faster at claiming a value, so that it chooses another or refuses. Throws StatusError.
   */
  allocate(object: ApiObject, old: ApiObject | null, context: AllocationContext): Promise<readonly SideWrite[]>;
  /** What is given back when `object` is removed. */
  release(object: ApiObject): readonly SideWrite[];
}

/** Allocators by `resource` or `resource.group`. */
export type Allocators = Readonly<Record<string, Allocator>>;

/** Every round another writer got the value that was chosen; values that are chosen at random rarely meet. */
export const allocationAttemptsMax = 50;
