import { matchesFields, matchesLabels, type FieldSelector, type LabelSelector } from '../../api/selectors/index.js';
import { isInShard, shardHash, type ShardField, type ShardSelector } from '../../api/shards.js';
import type { ObjectKey, StoredObject } from './contract.js';

/** What a list or watch looks for within its resource. */
export interface Selection {
  /** null for all namespaces. */
  readonly namespace: string | null;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly shard?: ShardSelector | null;
}

export const selectsAll = ({ labels, fields, shard = null }: Selection): boolean =>
  labels.length === 0 && fields.length === 0 && shard === null;

/** Whether a list or watch shows `object`. Asks the object for labels or fields only if it must. */
export function selects({ namespace, labels, fields, shard = null }: Selection, object: StoredObject): boolean {
  if (namespace !== null && object.namespace !== namespace) return false;
  if (fields.length > 0 && !matchesFields(fields, (field) => fieldValue(object, field))) return false;
  if (shard !== null && !isInShard(shard, hashesOf[shard.field](object))) return false;
  return labels.length === 0 || matchesLabels(labels, object.labels);
}

/** Watchers ask for the hash of an object with each of its events. */
const hashes = new WeakMap<StoredObject, bigint>();

const hashesOf: Readonly<Record<ShardField, (object: StoredObject) => bigint>> = {
  uid: (object) => {
    const known = hashes.get(object);
    if (known !== undefined) return known;
    const hash = shardHash(object.uid);
    hashes.set(object, hash);
    return hash;
  },
  namespace: ({ namespace }) => shardHash(namespace),
};

/** A field's value for selection; '' for a field that the object does not have. */
export function fieldValue(object: StoredObject, field: string): string {
  if (field === 'metadata.name') return object.name;
  if (field === 'metadata.namespace') return object.namespace;
  return object.fields[field] ?? '';
}

/**
 * The part of a resource's key space that a selection can be in: all of it, a namespace, or one object. A name alone names one object
 * only where there are no namespaces.
 */
export function scopeOf(selection: Selection, namespaced: boolean): { readonly namespace: string | null; readonly name: string | null } {
  const namespace = selection.namespace ?? (namespaced ? valueSelected(selection.fields, 'metadata.namespace') : '');
  return { namespace, name: namespace === null ? null : nameSelected(selection.fields) };
}

/** The name that a field selector demands, or null. */
export const nameSelected = (fields: FieldSelector): string | null => valueSelected(fields, 'metadata.name');

/** The value that a field selector demands of a field, or null. */
export function valueSelected(fields: FieldSelector, field: string): string | null {
  return fields.find((requirement) => requirement.equals && requirement.field === field)?.value ?? null;
}

/** Where an object of some resource is. */
export type Place = Pick<ObjectKey, 'namespace' | 'name'>;

/**
 * Order of objects in lists, and of keys in the store: by the bytes of `namespace/name`. It differs from ordering by namespace and then
 * by name where one namespace is a prefix of another: `a-b/x` comes before `a/x` because "-" sorts before "/".
 */
export function compareKeys(a: Place, b: Place): number {
  if (a.namespace !== b.namespace) return compareText(`${a.namespace}/`, `${b.namespace}/`);
  return compareText(a.name, b.name);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
