// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Who holds a role or is alive, and until when: for leader elections and heartbeats. */
export interface Lease {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: LeaseSpec;
}

export interface LeaseList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Lease[] | null;
}

/** Who holds a lease, and for how long. */
export interface LeaseSpec {
  /** Who holds the lease. */
  readonly holderIdentity?: string;
  /** How long it holds after it was renewed. */
  readonly leaseDurationSeconds?: number;
  /** When it was taken. */
  readonly acquireTime?: metaV1.MicroTime;
  /** When it was last renewed. */
  readonly renewTime?: metaV1.MicroTime;
  /** How often the holder changed. */
  readonly leaseTransitions?: number;
  /** How the holder is chosen among candidates. */
  readonly strategy?: string;
  /** Who should hold it; the holder gives it up to them. */
  readonly preferredHolder?: string;
}

export const leases: Resource<Lease> = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', kind: 'Lease', namespaced: true };
