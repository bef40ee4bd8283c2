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

/** What a storage driver can do, and what it wants from Kubernetes. */
export interface CSIDriverSpec {
  /** Whether volumes must be attached to a node before they are mounted; true if not given. Cannot be changed. */
  readonly attachRequired?: boolean;
  /** Whether the driver is told about the pod when it mounts a volume; false if not given. */
  readonly podInfoOnMount?: boolean;
  /** Persistent, Ephemeral or both, by the volumes that the driver serves; Persistent if not given. Cannot be changed. */
  readonly volumeLifecycleModes?: readonly string[];
  /** Whether the scheduler heeds the free capacity that the driver reports; false if not given. */
  readonly storageCapacity?: boolean;
  /** Whether volumes are given to the group of the pod, None, File or ReadWriteOnceWithFSType; the last if not given. */
  readonly fsGroupPolicy?: string;
  /** Tokens of the pod's service account that the driver gets when it mounts a volume. */
  readonly tokenRequests?: readonly TokenRequest[];
  /** Whether the driver is called again and again for mounted volumes, to refresh them; false if not given. */
  readonly requiresRepublish?: boolean;
  /** Whether volumes can be mounted with their own SELinux context; false if not given. */
  readonly seLinuxMount?: boolean;
  /** Seconds between updates of how many volumes a node can take, at least 10; none if not given. */
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  /** Whether tokens are passed to the driver as secrets and not in the volume context; false if not given. */
  readonly serviceAccountTokenInSecrets?: boolean;
  /** Whether pods that need the driver stay off nodes where it is missing; false if not given. */
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

/** A storage driver that runs on a node. */
export interface CSINodeDriver {
  /** Name that the driver gives itself, as in its CSIDriver. */
  readonly name: string;
  /** Name by which the driver knows the node. */
  readonly nodeID: string;
  /** Labels of nodes by which the driver tells parts of the cluster apart. */
  readonly topologyKeys?: readonly string[] | null;
  /** How many volumes of the driver the node can take. */
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

/** The storage drivers of a node. */
export interface CSINodeSpec {
  /** Drivers on the node, by name. */
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
  /** Selects the nodes that can reach the storage; none if not given. Cannot be changed. */
  readonly nodeTopology?: metaV1.LabelSelector;
  /** StorageClass that the capacity is about. Cannot be changed. */
  readonly storageClassName: string;
  /** How many bytes are left; unknown if not given. */
  readonly capacity?: machinery.Quantity;
  /** Most bytes that a single volume can have; unknown if not given. */
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
  /** Driver that makes the volumes. Cannot be changed. */
  readonly provisioner: string;
  /** Settings for the driver, which alone knows their meaning. Cannot be changed. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** What becomes of volumes after their claim, Delete or Retain; Delete if not given. Cannot be changed. */
  readonly reclaimPolicy?: string;
  /** Options for mounting the volumes. Not checked beforehand. */
  readonly mountOptions?: readonly string[];
  /** Whether claims may ask for more storage later. */
  readonly allowVolumeExpansion?: boolean;
  /** When volumes are made and bound, Immediate or WaitForFirstConsumer; Immediate if not given. Cannot be changed. */
  readonly volumeBindingMode?: string;
  /** Parts of the cluster in which volumes may be made; all if empty. */
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

/** Describes a token that a storage driver wants to get. */
export interface TokenRequest {
  /** Whom the token is meant for; the API server if empty. */
  readonly audience: string;
  /** Seconds for which the token is valid; an hour if not given. */
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

/** The volume to attach, named or described; exactly one of the members is given. */
export interface VolumeAttachmentSource {
  /** Name of the PersistentVolume. */
  readonly persistentVolumeName?: string;
  /** The volume itself, for volumes of pods that are translated to a CSI driver. */
  readonly inlineVolumeSpec?: coreV1.PersistentVolumeSpec;
}

/** Which volume is attached to which node, and by whom. Cannot be changed. */
export interface VolumeAttachmentSpec {
  /** Driver that attaches the volume. */
  readonly attacher: string;
  /** The volume to attach. */
  readonly source: VolumeAttachmentSource;
  /** Node that the volume is attached to. */
  readonly nodeName: string;
}

/** Whether a volume is attached, and what went wrong. */
export interface VolumeAttachmentStatus {
  /** Whether the volume is attached. */
  readonly attached: boolean;
  /** What the driver reported after attaching, for use when the volume is mounted. */
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  /** The last error in attaching, if any. */
  readonly attachError?: VolumeError;
  /** The last error in detaching, if any. */
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

/** An error that occurred with a volume. */
export interface VolumeError {
  /** When the error occurred. */
  readonly time?: metaV1.Time | null;
  /** What went wrong, for people to read. Must not hold secrets. */
  readonly message?: string;
  /** The gRPC status code that the driver returned. */
  readonly errorCode?: number;
}

/** Limits of a storage driver on a node. */
export interface VolumeNodeResources {
  /** Most different volumes of the driver that the node can use; no limit known if not given. */
  readonly count?: number;
}

export const csiDrivers: Resource<CSIDriver> = { group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers', kind: 'CSIDriver', namespaced: false };
export const csiNodes: Resource<CSINode> = { group: 'storage.k8s.io', version: 'v1', resource: 'csinodes', kind: 'CSINode', namespaced: false };
export const csiStorageCapacities: Resource<CSIStorageCapacity> = { group: 'storage.k8s.io', version: 'v1', resource: 'csistoragecapacities', kind: 'CSIStorageCapacity', namespaced: true };
export const storageClasses: Resource<StorageClass> = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses', kind: 'StorageClass', namespaced: false };
export const volumeAttachments: Resource<VolumeAttachment> = { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattachments', kind: 'VolumeAttachment', namespaced: false };
export const volumeAttributesClasses: Resource<VolumeAttributesClass> = { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattributesclasses', kind: 'VolumeAttributesClass', namespaced: false };
