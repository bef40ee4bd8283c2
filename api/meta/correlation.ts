import { entryOf } from '../json/members.js';
import { isObject, sameJson } from '../json/json.js';

/** Undefined if an item has no old value; null is never one. */
export type OldItem<V> = (item: V) => V | undefined;

type Members = Readonly<Record<string, unknown>>;

/**
 * Correlates new values with old ones by a schema's structure (`CorrelatedObject` of k8s.io/apiserver/pkg/cel/common). Keyed lists match items by key, in any
 * order; all other lists are unchanged only as a whole. Undescribed values have no old value, so an object that has any never counts as unchanged.
 */
export class Correlation {
  readonly #schema: Members;
  readonly #typed: readonly string[];
  readonly #members = new Map<string, Correlation | null>();
  #itemsMade: Correlation | null | undefined;
  /** Null for lists without keys. */
  readonly #keys: readonly string[] | null;

  /** Members named in `typed` have no old value: both objects are shown in the request's version. */
  constructor(schema: Members, typed: readonly string[] = []) {
    this.#schema = schema;
    this.#typed = typed;
    const keys = schema['x-kubernetes-list-map-keys'];
    this.#keys = schema['x-kubernetes-list-type'] === 'map' ? (Array.isArray(keys) ? keys.map(String) : []) : null;
  }

  static ofObject(schema: Members): Correlation {
    return new Correlation(schema, ['apiVersion', 'kind']);
  }

  /** Returns null for a member that the schema does not describe. */
  member(name: string): Correlation | null {
    if (this.#typed.includes(name)) return null;
    let known = this.#members.get(name);
    if (known === undefined) {
      const { properties, additionalProperties } = this.#schema;
      known = below(isObject(properties) ? entryOf(properties, name) : undefined) ?? below(additionalProperties);
      this.#members.set(name, known);
    }
    return known;
  }

  get items(): Correlation | null {
    return (this.#itemsMade ??= below(this.#schema['items']));
  }

  /** Null if no item has an old value. */
  oldItems<V>(old: V): OldItem<V> | null {
    const keys = this.#keys;
    if (!Array.isArray(old) || keys === null) return null;
    const byKey = new Map<string, V>();
    for (const item of old as readonly V[]) {
      const key = keyOf(item, keys);
      if (key !== null && !byKey.has(key)) byKey.set(key, item);
    }
    return (item) => {
      const key = keyOf(item, keys);
      return key === null ? undefined : byKey.get(key);
    };
  }

  isUnchanged(value: unknown, old: unknown): boolean {
    if (Array.isArray(value)) return Array.isArray(old) && value.length === old.length && this.#hasSameItems(value, old);
    if (!isObject(value)) return sameJson(value, old);
    if (!isObject(old)) return false;
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.#hasSameMember(name, value, old));
  }

  #hasSameItems(value: readonly unknown[], old: readonly unknown[]): boolean {
    if (this.#keys === null) return sameJson(value, old);
    const [before, { items }] = [this.oldItems<unknown>(old), this];
    return value.every((item) => {
      const oldItem = before?.(item);
      return oldItem !== undefined && items?.isUnchanged(item, oldItem) === true;
    });
  }

  #hasSameMember(name: string, value: Members, old: Members): boolean {
    const [member, oldMember] = [entryOf(value, name), entryOf(old, name)];
    return member !== undefined && oldMember !== undefined && this.member(name)?.isUnchanged(member, oldMember) === true;
  }
}

const below = (schema: unknown): Correlation | null => (isObject(schema) ? new Correlation(schema) : null);

/** Null if a key is absent or not a scalar. */
function keyOf(item: unknown, keys: readonly string[]): string | null {
  if (!isObject(item) || keys.length === 0) return null;
  let key = '';
  for (const name of keys) {
    const value = entryOf(item, name);
    if (value === undefined || typeof value === 'object') return null;
    key += `${typeof value === 'string' ? JSON.stringify(value) : String(value)}\0`;
  }
  return key;
}
