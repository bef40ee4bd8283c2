// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

export interface ServerStorageVersion {
  readonly apiServerID?: string;
  readonly encodingVersion?: string;
  readonly decodableVersions?: readonly string[] | null;
  readonly servedVersions?: readonly string[];
}

/** In which versions the API servers read and write the stored objects of a resource. */
export interface StorageVersion {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: StorageVersionSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: StorageVersionStatus;
}

export interface StorageVersionCondition {
  readonly type: string;
  readonly status: string;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason: string;
  readonly message?: string;
}

export interface StorageVersionList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly StorageVersion[] | null;
}

export type StorageVersionSpec = Readonly<Record<string, unknown>>;

export interface StorageVersionStatus {
  readonly storageVersions?: readonly ServerStorageVersion[];
  readonly commonEncodingVersion?: string;
  /** Statements about the present state. */
  readonly conditions?: readonly StorageVersionCondition[];
}

export const storageVersions: Resource<StorageVersion> = { group: 'internal.apiserver.k8s.io', version: 'v1alpha1', resource: 'storageversions', kind: 'StorageVersion', namespaced: false };
