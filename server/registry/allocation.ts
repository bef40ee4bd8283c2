import type { ApiObject } from '../../api/object.js';
import type { SideWrite } from '../storage/contract.js';
import type { WriteRequest } from './writeRequest.js';

/** Every nondeterministic value is passed in here. */
export type AllocationContext = Pick<WriteRequest, 'now' | 'dryRun' | 'random' | 'newUid' | 'enabled'>;

/**
 * Allocates unique values, such as addresses. The transaction that writes the owner creates an object named after the value; the one that removes the owner
 * releases it.
 */
export interface Allocator {
  /**
   * Called after defaults and before the strategy; may change `object`. `old` is null on create. Called again with a fresh copy when another writer was faster;
   * it then chooses another value or refuses. Throws StatusError.
   */
  allocate(object: ApiObject, old: ApiObject | null, context: AllocationContext): Promise<readonly SideWrite[]>;
  release(object: ApiObject): readonly SideWrite[];
}

/** Allocators by `resource` or `resource.group`. */
export type Allocators = Readonly<Record<string, Allocator>>;

/** A round is lost when another writer claims the chosen value; random values rarely collide. */
export const allocationAttemptsMax = 50;
