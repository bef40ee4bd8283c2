// Generated from api/facts by `npm run generate`: change it there.
import type * as machinery from '../machinery.js';

/** A group, its versions, and the preferred one. */
export interface APIGroup {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  readonly name: string;
  readonly versions?: readonly GroupVersionForDiscovery[] | null;
  readonly preferredVersion?: GroupVersionForDiscovery;
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDR[];
}

/** All groups. */
export interface APIGroupList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  readonly groups?: readonly APIGroup[] | null;
}

/** A resource, and what can be done with it. */
export interface APIResource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs?: readonly string[] | null;
  readonly shortNames?: readonly string[];
  readonly singularName: string;
  readonly categories?: readonly string[];
  readonly group?: string;
  readonly version?: string;
  readonly storageVersionHash?: string;
}

/** The resources of a group version. */
export interface APIResourceList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  readonly groupVersion: string;
  readonly resources?: readonly APIResource[] | null;
}

/** The versions of the core group. */
export interface APIVersions {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  readonly versions?: readonly string[] | null;
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
  readonly orphanDependents?: boolean;
  /** Orphan, Background or Foreground: what becomes of dependents. */
  readonly propagationPolicy?: string;
  /** All: do everything but delete. */
  readonly dryRun?: readonly string[];
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export interface FieldSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A set of fields: members are named f:NAME, list items k:{KEYS} or v:VALUE. */
export type FieldsV1 = Readonly<Record<string, unknown>>;

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupVersionForDiscovery {
  readonly groupVersion: string;
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
  readonly selfLink?: string;
  /** State of the collection that the list shows. */
  readonly resourceVersion?: string;
  /** Token to ask for the next chunk with; empty at the end. */
  readonly continue?: string;
  /** How many objects follow, as far as known. */
  readonly remainingItemCount?: number;
  readonly shardInfo?: ShardInfo;
}

/** Which fields a manager has set, and when. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: Time;
  readonly fieldsType?: string;
  readonly fieldsV1?: FieldsV1;
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
  /** When the object was created. */
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
  readonly kind: string;
  /** Name of the owner. */
  readonly name: string;
  /** Identity of the owner. */
  readonly uid: string;
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
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface ServerAddressByClientCIDR {
  readonly clientCIDR: string;
  readonly serverAddress: string;
}

export interface ShardInfo {
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
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** More about an outcome: the object, and the single causes. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
  readonly uid?: string;
}

/** A time of day in RFC 3339, to the second. */
export type Time = string;

/** A change that a watch reports: its type and the object. */
export interface WatchEvent {
  readonly type: string;
  readonly object: machinery.RawExtension;
}
