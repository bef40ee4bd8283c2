import type { SpaceUse } from '../../raft/index.js';
import type { ApiObject } from '../../api/object.js';
import type { ObjectKey } from './contract.js';

/** Real leases are far smaller. */
const essentialBytesMax = 16 * 1024;

/** Elections must continue, or nothing can be removed; terminating objects first lose their finalizers. */
export function spaceUseOf({ resource }: ObjectKey, { metadata }: ApiObject, bytes: number): SpaceUse {
  if (metadata.deletionTimestamp !== undefined) return 'essential';
  const isLease = resource.resource === 'leases' && resource.group === 'coordination.k8s.io';
  return isLease && bytes <= essentialBytesMax ? 'essential' : 'growing';
}
