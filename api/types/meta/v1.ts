// Generated from api/facts by `npm run generate`: change it there.
import type * as machinery from '../machinery.js';

/** A group, its versions, and the preferred one. */
export interface APIGroup {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name of the group. */
  readonly name: string;
  /** Versions that are served. */
  readonly versions?: readonly GroupVersionForDiscovery[] | null;
  /** The version to use. */
  readonly preferredVersion?: GroupVersionForDiscovery;
  /** Addresses of the server by where the client is. */
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDR[];
}

/** All groups. */
export interface APIGroupList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** The groups. */
  readonly groups?: readonly APIGroup[] | null;
}

/** A resource, and what can be done with it. */
export interface APIResource {
  /** Name in the plural, with the subresource after a slash. */
  readonly name: string;
  /** Whether objects are in namespaces. */
  readonly namespaced: boolean;
  /** Kind of the objects. */
  readonly kind: string;
  /** What can be done. */
  readonly verbs?: readonly string[] | null;
  /** Short names for command lines. */
  readonly shortNames?: readonly string[];
  /** Name in the singular. */
  readonly singularName: string;
  /** Groups that the resource belongs to, such as all. */
  readonly categories?: readonly string[];
  /** Group of the kind; that of the list if empty. */
  readonly group?: string;
  /** Version of the kind; that of the list if empty. */
  readonly version?: string;
  /** Changes when objects are stored in another version. */
  readonly storageVersionHash?: string;
}

/** The resources of a group version. */
export interface APIResourceList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** The group and version. */
  readonly groupVersion: string;
  /** The resources. */
  readonly resources?: readonly APIResource[] | null;
}

/** The versions of the core group. */
export interface APIVersions {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Versions that are served. */
  readonly versions?: readonly string[] | null;
  /** Addresses of the server by where the client is. */
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDR[] | null;
}

/** A statement about an object, whether it holds, and since when. */
export interface Condition {
  /** What the statement is, in one word. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** When the condition last changed. */
  readonly lastTransitionTime: Time | null;
  /** Why, in one word for programs. */
  readonly reason: string;
  /** Why, for people. */
  readonly message: string;
}

/** How to delete: when, with which dependents, and under which conditions. */
export interface DeleteOptions {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Seconds until the object goes; 0 at once. */
  readonly gracePeriodSeconds?: number;
  /** What must hold, or nothing is deleted. */
  readonly preconditions?: Preconditions;
  /** Whether dependents are kept. Deprecated in favour of the propagation policy. */
  readonly orphanDependents?: boolean;
  /** Orphan, Background or Foreground: what becomes of dependents. */
  readonly propagationPolicy?: string;
  /** All: do everything but delete. */
  readonly dryRun?: readonly string[];
  /** Delete even if the stored object cannot be read; finalizers and preconditions are skipped. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/** A requirement on one field. */
export interface FieldSelectorRequirement {
  /** Name of the field. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** For In and NotIn: the values. */
  readonly values?: readonly string[];
}

/** A set of fields: members are named f:NAME, list items k:{KEYS} or v:VALUE. */
export type FieldsV1 = Readonly<Record<string, unknown>>;

/** Names a resource. */
export interface GroupResource {
  /** Group of the resource. */
  readonly group: string;
  /** Name of the resource in the plural. */
  readonly resource: string;
}

/** A version of a group. */
export interface GroupVersionForDiscovery {
  /** Group and version as group/version. */
  readonly groupVersion: string;
  /** The version. */
  readonly version: string;
}

/** Selects objects by labels. All requirements must be met; an empty selector selects everything. */
export interface LabelSelector {
  /** Labels that must have exactly these values. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Further requirements. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** A requirement on one label. */
export interface LabelSelectorRequirement {
  /** Name of the label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** For In and NotIn: the values. */
  readonly values?: readonly string[];
}

/** What all lists have. */
export interface ListMeta {
  /** No longer set. */
  readonly selfLink?: string;
  /** State of the collection that the list shows. */
  readonly resourceVersion?: string;
  /** Token to ask for the next chunk with; empty at the end. */
  readonly continue?: string;
  /** How many objects follow, as far as known. */
  readonly remainingItemCount?: number;
  /** Which part of all objects the list holds, if it was asked for a part. */
  readonly shardInfo?: ShardInfo;
}

/** Which fields a manager has set, and when. */
export interface ManagedFieldsEntry {
  /** Who set the fields. */
  readonly manager?: string;
  /** Apply or Update. */
  readonly operation?: string;
  /** Version in which the fields are named. */
  readonly apiVersion?: string;
  /** When the manager last added or changed fields. */
  readonly time?: Time;
  /** How the fields are written; FieldsV1 is the only way. */
  readonly fieldsType?: string;
  /** The fields. */
  readonly fieldsV1?: FieldsV1;
  /** Subresource that was written to; empty for the object itself. */
  readonly subresource?: string;
}

/** A time of day in RFC 3339, to the microsecond. */
export type MicroTime = string;

/** What all stored objects have: name, identity, labels, and who depends on whom. */
export interface ObjectMeta {
  /** Name of the object, unique among objects of its resource in its namespace. Cannot be changed. */
  readonly name?: string;
  /** Beginning of the name: the server adds a random ending when name is not given. */
  readonly generateName?: string;
  /** Namespace of the object; empty for kinds that have none. Cannot be changed. */
  readonly namespace?: string;
  /** No longer set. */
  readonly selfLink?: string;
  /** Identity of the object. No other object, before or after, has the same. */
  readonly uid?: string;
  /** Version of the object as stored. An update that gives one is refused when the object has changed since. */
  readonly resourceVersion?: string;
  /** Counts changes of what is wanted. */
  readonly generation?: number;
  /** CreationTimestamp is a timestamp of when the object was created. */
  readonly creationTimestamp?: Time;
  /** When the object is to be gone. Set by the server once deletion has been asked for. */
  readonly deletionTimestamp?: Time;
  /** Seconds that the object was given to end. */
  readonly deletionGracePeriodSeconds?: number;
  /** Names and values to select objects by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Names and values for tools and people. They cannot be selected by. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Objects on which this one depends. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** What has to be done before the object may go; each is taken away by whoever does it. */
  readonly finalizers?: readonly string[];
  /** Who has set which fields. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** Names an object on which this one depends: it is removed when no owner is left. */
export interface OwnerReference {
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner. */
  readonly name: string;
  /** Identity of the owner. */
  readonly uid: string;
  /** Group and version of the owner. */
  readonly apiVersion: string;
  /** Whether the owner manages this object. One owner at most does. */
  readonly controller?: boolean;
  /** Whether foreground deletion of the owner waits for this object. */
  readonly blockOwnerDeletion?: boolean;
}

/** A description of changes; its form depends on the media type of the body. */
export type Patch = Readonly<Record<string, unknown>>;

/** What must hold of the object, or nothing is done. */
export interface Preconditions {
  /** Identity that the object must have. */
  readonly uid?: string;
  /** Version that the object must have. */
  readonly resourceVersion?: string;
}

/** An address of the server for clients of some range. */
export interface ServerAddressByClientCIDR {
  /** Range of the clients' addresses. */
  readonly clientCIDR: string;
  /** Address for them. */
  readonly serverAddress: string;
}

/** Which part of all objects a list or watch covers. */
export interface ShardInfo {
  /** Selects the part. */
  readonly selector: string;
}

/** The outcome of a request that does not answer with an object. */
export interface Status {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: ListMeta;
  /** Success or Failure. */
  readonly status?: string;
  /** What happened, for people. */
  readonly message?: string;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** More about it. */
  readonly details?: StatusDetails;
  /** The HTTP status code. */
  readonly code?: number;
}

/** One reason of a refusal, and the field that it is about. */
export interface StatusCause {
  /** What is wrong, in one word. */
  readonly reason?: string;
  /** What is wrong, for people. */
  readonly message?: string;
  /** The field that it is about. */
  readonly field?: string;
}

/** More about an outcome: the object, and the single causes. */
export interface StatusDetails {
  /** Name of the object. */
  readonly name?: string;
  /** Group of the object. */
  readonly group?: string;
  /** Kind or resource of the object. */
  readonly kind?: string;
  /** The single causes. */
  readonly causes?: readonly StatusCause[];
  /** After how many seconds to try again. */
  readonly retryAfterSeconds?: number;
  /** Identity of the object. */
  readonly uid?: string;
}

/** A time of day in RFC 3339, to the second. */
export type Time = string;

/** A change that a watch reports: its type and the object. */
export interface WatchEvent {
  readonly type: string;
  /** The object, or a Status where the type is ERROR. */
  readonly object: machinery.RawExtension;
}
