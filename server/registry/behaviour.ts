import type { ValuePath } from '../../api/json/valuePath.js';
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
  | {
      readonly ok: true;
      readonly object: ApiObject;
      /** One text for each unknown field. */
      readonly strict: readonly string[];
      readonly respelled?: readonly ValuePath[];
    }
  | { readonly ok: false; readonly message: string };

/** Neither direction changes its argument; results may share members with it. */
export interface Conversion {
  toStorage(object: ApiObject): ApiObject;
  fromStorage(object: ApiObject): ApiObject;
}

/** Objects carry `apiVersion` and `kind`, and belong to the callee. */
export type AskForVersion = (objects: ApiObject[], apiVersion: string) => Promise<readonly ApiObject[]>;

/** The reason that blocks the apply: no manager owns the replicas yet, or they would change. */
export type UnappliedScale = 'unowned' | 'changed';

export interface ScaledResource extends GroupResource {
  readonly namespaced: boolean;
}

/** Both functions throw StatusError. */
export interface ScaleForm {
  readonly show: (object: ApiObject, version: string) => ApiObject;
  /** Set for types whose number of replicas may be absent, which only a read refuses. */
  readonly read?: (object: ApiObject, version: string) => ApiObject;
  readonly before: (object: ApiObject, version: string) => ApiObject;
  /** May change both. */
  readonly put: (object: ApiObject, scale: ApiObject, resource: ScaledResource) => ApiObject;
  readonly replicasPath: ReplicasPaths;
  /** Set for types whose scale apply can own but not change. */
  readonly refuseApply?: (name: string, why: UnappliedScale) => StatusError;
}

/** A version that clients should leave. */
export interface Deprecation {
  readonly text: string;
  /** The release without it, such as `1.37`; empty where it is unknown. */
  readonly removedRelease: string;
}

/** Generic code reaches built-in types and custom resources through it. Names are in the catalogue, plain data that travels between threads. */
export interface Behaviour {
  readonly strategy: Strategy;
  readonly versions: Versions;
  /** `versions.convert` then applies while the webhook cannot be called. */
  readonly asks?: AskForVersion | null;
  /** Checks an object, and brings it into stored form. May change its argument. */
  readonly receive: (object: JsonObject) => Stepwise<Received>;
  readonly receiveApplied: ((object: JsonObject) => Stepwise<Received>) | null;
  /** The part of `receive` that body decoding has not done. */
  readonly receiveDecoded: ((object: JsonObject) => Stepwise<Received>) | null;
  /** Null where both versions have the same members. */
  readonly conversion: Conversion | null;
  readonly columns: readonly TableColumn[];
  /** Annotations that metadata alone lacks. */
  readonly contentAnnotations: readonly string[];
  /** Conditions of a table's row; null where no row has any. */
  readonly rowConditions: ((object: ApiObject) => readonly JsonObject[]) | null;
  /** A name that is missing is unknown. */
  readonly fieldNames: Readonly<Record<string, string>> | null;
  readonly scale: ScaleForm;
  readonly deprecation: Deprecation | null;
  readonly hasMessages: boolean;
  /** List items carry kind and apiVersion, and lists carry a continue token even if it is empty. */
  readonly selfDescribed: boolean;
  /** The result holds objects in the version of `ServedResource.storage`. */
  readonly storage: (storage: Storage) => Storage;
  readonly creationRefusal: (name: string) => StatusError | null;
  /** Watches end, and their clients reconnect. Null for permanent types. */
  readonly retired: AbortSignal | null;
}

/** Adds metadata where it is absent: later code relies on it. */
export const withMetadata = (object: JsonObject): ApiObject => {
  object['metadata'] ??= {};
  return object as ApiObject;
};
