import type { ApiObject, JsonObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import type { StatusError } from '../../api/status.js';
import type { Versions } from '../patch/apply/ownership.js';
import type { ReplicasPaths } from '../patch/apply/scaled.js';
import type { Storage } from '../storage/contract.js';
import type { Stepwise } from './stepwise.js';
import type { Strategy } from './strategy.js';
import type { TableColumn } from './tableColumn.js';

export type Received =
  | { readonly ok: true; readonly object: ApiObject; /** One text for each unknown field. */ readonly strict: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Both directions, to and from the stored version, may reuse and change their argument. */
export interface Conversion {
  toStorage(object: ApiObject): ApiObject;
  fromStorage(object: ApiObject): ApiObject;
}

/** Asks a conversion webhook for objects of one type in another version. Objects carry `apiVersion` and `kind`, and belong to the callee. */
export type AskForVersion = (objects: ApiObject[], apiVersion: string) => Promise<readonly ApiObject[]>;

/** The reason that blocks the apply: no manager owns the replicas yet, or they would change. */
export type UnappliedScale = 'unowned' | 'changed';

export interface ScaledResource extends GroupResource {
  readonly namespaced: boolean;
}

/** The `scale` subresource of a workload. Both functions throw StatusError. */
export interface ScaleForm {
  /** Returns the scale of a workload, with kind and apiVersion; `version` is the workload's resource version. */
  readonly show: (object: ApiObject, version: string) => ApiObject;
  /** Returns the state from which a write starts, which may hold less than `show` returns. */
  readonly before: (object: ApiObject, version: string) => ApiObject;
  /** Merges what a client wrote to the scale into the workload; may change both. */
  readonly put: (object: ApiObject, scale: ApiObject, resource: ScaledResource) => ApiObject;
  /** The path of the desired number of replicas in each version, for field ownership. */
  readonly replicasPath: ReplicasPaths;
  /** Refuses server-side apply of a scale without a conflict, for types whose scale it can own but not change. */
  readonly refuseApply?: (name: string, why: UnappliedScale) => StatusError;
}

/** A version that clients should leave. */
export interface Deprecation {
  /** The text of a `Warning` header in every response. */
  readonly text: string;
  /** The release without it, such as `1.37`; empty where it is unknown. */
  readonly removedRelease: string;
}

/**
 * The server's behaviour for one type in one version, through which generic code reaches built-in types and custom resources alike. Names are in the catalogue,
 * which is plain data that travels between threads.
 */
export interface Behaviour {
  readonly strategy: Strategy;
  /** Schemas of all versions of the type, for field ownership, and conversion between them. */
  readonly versions: Versions;
  /** Asks the conversion webhook of the type. `versions.convert` then applies while the webhook cannot be called. */
  readonly asks?: AskForVersion | null;
  /** Checks an object of the type, with kind and apiVersion, and brings it into stored form. May change its argument. */
  readonly receive: (object: JsonObject) => Stepwise<Received>;
  /** The same for the result of server-side apply; null where there is no difference. */
  readonly receiveApplied: ((object: JsonObject) => Stepwise<Received>) | null;
  /** The part of `receive` that body decoding has not done; null when there is none. */
  readonly receiveDecoded: ((object: JsonObject) => Stepwise<Received>) | null;
  /** Null where both versions have the same members. */
  readonly conversion: Conversion | null;
  readonly columns: readonly TableColumn[];
  /** Field selector names of this version by those of the stored version, where they differ. A name that is missing is unknown. */
  readonly fieldNames: Readonly<Record<string, string>> | null;
  readonly scale: ScaleForm;
  /** Null for versions that are not deprecated. */
  readonly deprecation: Deprecation | null;
  readonly hasMessages: boolean;
  /** List items carry kind and apiVersion, and lists carry a continue token even if it is empty. */
  readonly selfDescribed: boolean;
  /** Wraps storage for this type, which then holds objects in the version of `ServedResource.storage`. */
  readonly storage: (storage: Storage) => Storage;
  readonly refusal: (verb: string) => StatusError | null;
  /** Aborts when the type is no longer served this way: watches end and their clients reconnect. Null for permanent types. */
  readonly retired: AbortSignal | null;
}

/** Adds metadata where it is absent: later code relies on it. */
export const withMetadata = (object: JsonObject): ApiObject => {
  object['metadata'] ??= {};
  return object as ApiObject;
};
