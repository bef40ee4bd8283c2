// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Announces a candidate for a lease, from which a coordinator chooses. */
export interface LeaseCandidate {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: LeaseCandidateSpec;
}

export interface LeaseCandidateList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly LeaseCandidate[] | null;
}

/** Who would hold a lease. */
export interface LeaseCandidateSpec {
  /** Name of the lease. Cannot be changed. */
  readonly leaseName: string;
  /** When the candidate was last asked whether it is there. */
  readonly pingTime?: metaV1.MicroTime;
  /** When the candidate last answered. */
  readonly renewTime?: metaV1.MicroTime;
  /** Version of the candidate. */
  readonly binaryVersion: string;
  /** Version that the candidate behaves as. */
  readonly emulationVersion?: string;
  /** How the holder is chosen among candidates. */
  readonly strategy?: string;
}

export const leaseCandidates: Resource<LeaseCandidate> = { group: 'coordination.k8s.io', version: 'v1alpha2', resource: 'leasecandidates', kind: 'LeaseCandidate', namespaced: true };
