/** JSON before the object's kind is known. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [member: string]: JsonValue | undefined;
}

/** Metadata of every object (`meta.k8s.io/v1 ObjectMeta`); times are RFC 3339 in seconds. */
export interface ObjectMeta extends JsonObject {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: JsonObject[];
}

export interface OwnerReference extends JsonObject {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** An object of any kind, decoded and structurally checked. */
export interface ApiObject extends JsonObject {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
}
