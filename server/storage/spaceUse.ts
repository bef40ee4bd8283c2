import type { SpaceUse } from '../../raft/index.js';
import type { ApiObject } from '../../api/object.js';
import type { ObjectKey } from './contract.js';

/** A lease of any use is far smaller. */
const essentialBytesMax = 16 * 1024;

/**
 * What a write of an object means where space runs out. Elections must go on, or nobody is left to remove anything; and what is being deleted loses its finalizers, one update
 * after the other, before it goes.
 */
export function spaceUseOf({ resource }: ObjectKey, { metadata }: ApiObject, bytes: number): SpaceUse {
  if (metadata.deletionTimestamp !== undefined) return 'essential';
  const isLease = resource.resource === 'leases' && resource.group === 'coordination.k8s.io';
  return isLease && bytes <= essentialBytesMax ? 'essential' : 'growing';
}
