// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Which versions one API server stores and reads. */
export interface ServerStorageVersion {
  /** Identity of the API server. */
  readonly apiServerID?: string;
  /** Version in which it stores objects. */
  readonly encodingVersion?: string;
  /** Versions that it can read. */
  readonly decodableVersions?: readonly string[];
  /** Versions that it serves. */
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

/** A statement about storage versions. */
export interface StorageVersionCondition {
  /** What the statement is, such as AllEncodingVersionsEqual. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason: string;
  /** Why, for people. */
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

/** Always empty. | */
export type StorageVersionSpec = Readonly<Record<string, unknown>>;

/** Which versions the API servers store and read. */
export interface StorageVersionStatus {
  /** What each API server says. */
  readonly storageVersions?: readonly ServerStorageVersion[];
  /** The version in which all of them store objects; nothing if they differ. */
  readonly commonEncodingVersion?: string;
  /** Statements about the present state. */
  readonly conditions?: readonly StorageVersionCondition[];
}

export const storageVersions: Resource<StorageVersion> = { group: 'internal.apiserver.k8s.io', version: 'v1alpha1', resource: 'storageversions', kind: 'StorageVersion', namespaced: false };
