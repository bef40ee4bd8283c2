// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** Properties of a storage driver in the cluster. */
export interface CSIDriver {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: CSIDriverSpec;
}

export interface CSIDriverList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly CSIDriver[] | null;
}

export interface CSIDriverSpec {
  readonly attachRequired?: boolean;
  readonly podInfoOnMount?: boolean;
  readonly volumeLifecycleModes?: readonly string[];
  readonly storageCapacity?: boolean;
  readonly fsGroupPolicy?: string;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
}

/** Which storage drivers a node runs. */
export interface CSINode {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: CSINodeSpec;
}

export interface CSINodeDriver {
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[] | null;
  readonly allocatable?: VolumeNodeResources;
}

export interface CSINodeList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly CSINode[] | null;
}

export interface CSINodeSpec {
  readonly drivers?: readonly CSINodeDriver[] | null;
}

/** How much storage of a class is left in a part of the cluster. */
export interface CSIStorageCapacity {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  readonly nodeTopology?: metaV1.LabelSelector;
  readonly storageClassName: string;
  readonly capacity?: machinery.Quantity;
  readonly maximumVolumeSize?: machinery.Quantity;
}

export interface CSIStorageCapacityList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly CSIStorageCapacity[] | null;
}

/** A kind of storage that claims can ask for, and how volumes of it are made. */
export interface StorageClass {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  readonly provisioner: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
  readonly allowVolumeExpansion?: boolean;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly coreV1.TopologySelectorTerm[];
}

export interface StorageClassList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly StorageClass[] | null;
}

export interface TokenRequest {
  readonly audience: string;
  readonly expirationSeconds?: number;
}

/** Asks to attach a volume to a node, or to detach it. */
export interface VolumeAttachment {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: VolumeAttachmentSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly VolumeAttachment[] | null;
}

export interface VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: coreV1.PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  readonly attacher: string;
  readonly source: VolumeAttachmentSource;
  readonly nodeName: string;
}

export interface VolumeAttachmentStatus {
  readonly attached: boolean;
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  readonly attachError?: VolumeError;
  readonly detachError?: VolumeError;
}

/** Properties of volumes that may be changed while they are in use. */
export interface VolumeAttributesClass {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  readonly driverName: string;
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

export interface VolumeError {
  readonly time?: metaV1.Time | null;
  readonly message?: string;
  readonly errorCode?: number;
}

export interface VolumeNodeResources {
  readonly count?: number;
}

export const csiDrivers: Resource<CSIDriver> = { group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers', kind: 'CSIDriver', namespaced: false };
export const csiNodes: Resource<CSINode> = { group: 'storage.k8s.io', version: 'v1', resource: 'csinodes', kind: 'CSINode', namespaced: false };
export const csiStorageCapacities: Resource<CSIStorageCapacity> = { group: 'storage.k8s.io', version: 'v1', resource: 'csistoragecapacities', kind: 'CSIStorageCapacity', namespaced: true };
export const storageClasses: Resource<StorageClass> = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses', kind: 'StorageClass', namespaced: false };
export const volumeAttachments: Resource<VolumeAttachment> = { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattachments', kind: 'VolumeAttachment', namespaced: false };
export const volumeAttributesClasses: Resource<VolumeAttributesClass> = { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattributesclasses', kind: 'VolumeAttributesClass', namespaced: false };
