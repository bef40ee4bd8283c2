import type { ApiObject, JsonObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import type { StatusError } from '../../api/status.js';
import type { Versions } from '../patch/apply/ownership.js';
import type { ReplicasPaths } from '../patch/apply/scaled.js';
import type { Storage } from '../storage/contract.js';
import type { Stepwise } from './stepwise.js';
import type { Strategy } from './strategy.js';
import type { TableColumn } from './tableColumn.js';

/** What comes of an object that is brought into the form in which its type is kept. */
export type Received =
  | { readonly ok: true; readonly object: ApiObject; /** Unknown fields, one text each. */ readonly strict: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Translates objects between the stored version of a type and another served one. Both directions may reuse and change their argument. */
export interface Conversion {
  toStorage(object: ApiObject): ApiObject;
  fromStorage(object: ApiObject): ApiObject;
}

/** Asks a program for objects of one type in another version. Objects name their `apiVersion` and `kind`, and belong to the callee. */
export type AskForVersion = (objects: ApiObject[], apiVersion: string) => Promise<readonly ApiObject[]>;

/** What stands in the way: nobody owns the replicas yet, or they would change. */
export type UnappliedScale = 'unowned' | 'changed';

/** The type whose scale is written. */
export interface ScaledResource extends GroupResource {
  readonly namespaced: boolean;
}

/** How the subresource `scale` shows a workload and changes it. Both throw StatusError. */
export interface ScaleForm {
  /** The scale of a workload, with kind and apiVersion; `version` is the workload's resource version. */
  readonly show: (object: ApiObject, version: string) => ApiObject;
  /** What a write starts from, where that may be less than what is shown. */
  readonly before: (object: ApiObject, version: string) => ApiObject;
  /** The workload with what a client wrote to its scale; may change both. */
  readonly put: (object: ApiObject, written: { readonly scale: ApiObject }, resource: ScaledResource) => ApiObject;
  /** Where versions of the type keep the number of replicas that is wanted, for those who own it. */
  readonly replicasPath: ReplicasPaths;
  /** Why server-side apply of the scale fails although nothing conflicts: for types whose scale it can own, but not change. */
  readonly refuseApply?: (name: string, why: UnappliedScale) => StatusError;
}

/**
 * All that the server does differently for one type in one version, beyond its names: the one interface through which the generic code meets
 * built-in types and those that come and go while it runs. The names are in the catalogue, which is plain data that travels between threads.
 */
export interface Behaviour {
  readonly strategy: Strategy;
  /** Schemas of all versions of the type, for field ownership, and conversion between them. */
  readonly versions: Versions;
  /** Where only a program can say what objects are in another version: asks it. Then `versions.convert` is what holds while it cannot be asked. */
  readonly asks?: AskForVersion | null;
  /** Checks an object of the type, with kind and apiVersion, and brings it into the form in which it is kept. May change its argument. */
  readonly receive: (object: JsonObject) => Stepwise<Received>;
  /** The same for an object that server-side apply made; null where there is no difference. */
  readonly receiveApplied: ((object: JsonObject) => Stepwise<Received>) | null;
  /** The part of that which decoding a body has not done; null when there is none. */
  readonly receiveDecoded: ((object: JsonObject) => Stepwise<Received>) | null;
  /** Brings objects to and from the stored version; null where it has the same members. */
  readonly conversion: Conversion | null;
  /** Of the Table form. */
  readonly columns: readonly TableColumn[];
  /** Names of fields that select objects of this version, by those of the stored version, where they differ. Those that are missing are unknown. */
  readonly fieldNames: Readonly<Record<string, string>> | null;
  readonly scale: ScaleForm;
  /** Text of a `Warning` header in every answer; null for none. */
  readonly deprecation: string | null;
  /** Objects of the type have a Protobuf form. */
  readonly hasMessages: boolean;
  /** Items of lists name their kind and apiVersion, and lists their continue token even if there is none. */
  readonly selfDescribed: boolean;
  /** Storage as the registry is to see it for this type: it holds objects in the version of `ServedResource.storage`. */
  readonly storage: (storage: Storage) => Storage;
  /** Why nothing of this verb is done at present, or null. */
  readonly refusal: (verb: string) => StatusError | null;
  /** Aborts when the type is no longer served in this way: watches end, and their clients come back. Null for types that stay. */
  readonly retired: AbortSignal | null;
}

/** Every object has metadata from here on. */
export const withMetadata = (object: JsonObject): ApiObject => {
  object['metadata'] ??= {};
  return object as ApiObject;
};
