import { matchesFields, matchesLabels, type FieldSelector, type LabelSelector } from '../../api/selectors/index.js';
import { isInShard, shardHash, type ShardField, type ShardSelector } from '../../api/shards.js';
import type { ObjectKey, StoredObject } from './contract.js';

/** The selection of a list or watch within its resource. */
export interface Selection {
  /** Null for all namespaces. */
  readonly namespace: string | null;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly shard?: ShardSelector | null;
}

export const selectsAll = ({ labels, fields, shard = null }: Selection): boolean =>
  labels.length === 0 && fields.length === 0 && shard === null;

/** Reads the object's labels or fields only if needed. */
export function selects({ namespace, labels, fields, shard = null }: Selection, object: StoredObject): boolean {
  if (namespace !== null && object.namespace !== namespace) return false;
  if (fields.length > 0 && !matchesFields(fields, (field) => fieldValue(object, field))) return false;
  if (shard !== null && !isInShard(shard, hashesOf[shard.field](object))) return false;
  return labels.length === 0 || matchesLabels(labels, object.labels);
}

/** Watchers need an object's hash for each event. */
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

/** Returns '' for a missing field. */
export function fieldValue(object: StoredObject, field: string): string {
  if (field === 'metadata.name') return object.name;
  if (field === 'metadata.namespace') return object.namespace;
  return object.fields[field] ?? '';
}

/** A name identifies one object only in cluster-scoped resources. */
export function scopeOf(selection: Selection, namespaced: boolean): { readonly namespace: string | null; readonly name: string | null } {
  const namespace = selection.namespace ?? (namespaced ? valueSelected(selection.fields, 'metadata.namespace') : '');
  return { namespace, name: namespace === null ? null : nameSelected(selection.fields) };
}

export const nameSelected = (fields: FieldSelector): string | null => valueSelected(fields, 'metadata.name');

/** Null unless the selector requires one value. */
export function valueSelected(fields: FieldSelector, field: string): string | null {
  return fields.find((requirement) => requirement.equals && requirement.field === field)?.value ?? null;
}

export type Place = Pick<ObjectKey, 'namespace' | 'name'>;

/** Differs from namespace-then-name order: `a-b/x` precedes `a/x` because "-" sorts before "/". */
export function compareKeys(a: Place, b: Place): number {
  if (a.namespace !== b.namespace) return compareText(`${a.namespace}/`, `${b.namespace}/`);
  return compareText(a.name, b.name);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
