import type { ApiObject } from '../../api/object.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import { nodePorts } from '../serviceAddresses/claims.js';
import { binaryMinor } from '../../program/features/gates.js';
import { completionOf, referenceKinds, storedKinds, storedResourceTypes } from '../kinds/index.js';
import { decodeItem, encodeStored, itemOf } from '../storage/encoding.js';
import type { ObjectKey } from '../storage/contract.js';
import type { KeyValue, StoreEngine } from '../storage/engine.js';
import { isNameless, referenceLayout } from '../storage/keyLayout.js';
import { KeySpace } from '../storage/keys.js';
import type { StoredForm } from '../storage/forms.js';
import type { ReferenceForm } from '../storage/reference/values.js';

export type StoreKind = 'embedded' | 'etcd';

/** One end of a move: an engine, and its layout. */
export interface Side {
  readonly kind: StoreKind;
  /** Its values are decrypted. */
  readonly engine: StoreEngine;
  readonly keys: KeySpace;
  readonly form: StoredForm | ReferenceForm;
}

const protobuf = 'application/vnd.kubernetes.protobuf';

export const keySpaceOf = (kind: StoreKind, prefix: string): KeySpace =>
  new KeySpace(prefix, kind === 'etcd' ? referenceLayout(storedResourceTypes()) : undefined);

/** Returns the value format. Only kube-apiserver's needs `definedKinds`, the custom kinds. */
export function formOf(kind: StoreKind, definedKinds: ReadonlyMap<string, string>): StoredForm | ReferenceForm {
  if (kind === 'embedded') return { mediaType: protobuf, kind: storedKinds() };
  return { mediaType: protobuf, kindOf: referenceKinds(binaryMinor, (resource) => definedKinds.get(qualifiedName(resource)) ?? null) };
}

/** Store-specific entries that others cannot read, such as node port claims and server leases. Servers recreate them at their start. */
export const isBookkeeping = (resource: GroupResource): boolean =>
  isNameless(resource) || qualifiedName(resource) === qualifiedName(nodePorts);

export const definitions: GroupResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/** Throws a DamagedValueError for an unreadable value. */
export function objectOf(key: ObjectKey, { value, modRevision }: Pick<KeyValue, 'value' | 'modRevision'>): ApiObject {
  const item = itemOf(key, value, modRevision, completionOf(key.resource)?.convert);
  return { ...decodeItem(item.bytes, item.bigIntegers), apiVersion: item.apiVersion };
}

/** Translates another side's entry to this side's key and value. */
export function carried(
  item: KeyValue,
  key: ObjectKey,
  target: Pick<Side, 'keys' | 'form'>,
): { readonly key: string; readonly value: Buffer } {
  return { key: target.keys.keyOf(key), value: encodeStored(key, objectOf(key, item), target.form) };
}
