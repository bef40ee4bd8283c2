// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Properties of volumes that may be changed while they are in use. */
export interface VolumeAttributesClass {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** Storage driver that the class is for. Cannot be changed. */
  readonly driverName: string;
  /** Properties of the volumes, for the driver to read. Cannot be changed. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface VolumeAttributesClassList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly VolumeAttributesClass[] | null;
}

export const volumeAttributesClasses: Resource<VolumeAttributesClass> = { group: 'storage.k8s.io', version: 'v1beta1', resource: 'volumeattributesclasses', kind: 'VolumeAttributesClass', namespaced: false };
