// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Asks to write all stored objects of a resource anew, in its present stored version. */
export interface StorageVersionMigration {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: StorageVersionMigrationSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: StorageVersionMigrationStatus;
}

export interface StorageVersionMigrationList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly StorageVersionMigration[] | null;
}

/** Which objects are to be written anew. */
export interface StorageVersionMigrationSpec {
  /** Group and resource of the objects. Cannot be changed. */
  readonly resource: metaV1.GroupResource;
}

/** How far a migration has come. */
export interface StorageVersionMigrationStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  /** Resource version of the objects up to which the migration works. */
  readonly resourceVersion?: string;
}

export const storageVersionMigrations: Resource<StorageVersionMigration> = { group: 'storagemigration.k8s.io', version: 'v1beta1', resource: 'storageversionmigrations', kind: 'StorageVersionMigration', namespaced: false };
