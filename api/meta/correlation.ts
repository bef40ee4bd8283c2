import { isObject, sameJson } from '../json/json.js';

/** Undefined where nothing old belongs to an item; null never does. */
export type OldItem<V> = (item: V) => V | undefined;

type Members = Readonly<Record<string, unknown>>;

/**
 * Which old value stands where a new one does, and whether the new one says the same, as the structure of a schema has it (`CorrelatedObject` of
 * k8s.io/apiserver/pkg/cel/common). Items of keyed lists are found by their keys, in whatever order they stand. Those of all other lists have no past: such a
 * list is new
 * as a whole or not at all. What the schema does not describe has no past either, so that an object with undescribed members never counts as unchanged.
 */
export class Correlation {
  private readonly members = new Map<string, Correlation | null>();
  private itemsMade: Correlation | null | undefined;
  /** Null for lists that are no keyed ones. */
  private readonly keys: readonly string[] | null;

  /** `typed`: names of members that have no past: an object is shown in the version of the request, before and after. */
  constructor(
    private readonly schema: Members,
    private readonly typed: readonly string[] = [],
  ) {
    const keys = schema['x-kubernetes-list-map-keys'];
    this.keys = schema['x-kubernetes-list-type'] === 'map' ? (Array.isArray(keys) ? keys.map(String) : []) : null;
  }

  /** How members of whole objects are found again. */
  static ofObject(schema: Members): Correlation {
    return new Correlation(schema, ['apiVersion', 'kind']);
  }

  /** Null for a member that the schema does not describe. */
  member(name: string): Correlation | null {
    if (this.typed.includes(name)) return null;
    let known = this.members.get(name);
    if (known === undefined) {
      const { properties, additionalProperties } = this.schema;
      known = below(isObject(properties) ? memberOf(properties, name) : undefined) ?? below(additionalProperties);
      this.members.set(name, known);
    }
    return known;
  }

  /** Null where items are not described. */
  get items(): Correlation | null {
    return (this.itemsMade ??= below(this.schema['items']));
  }

  /** Null where no item has a past. */
  oldItems<V>(old: V): OldItem<V> | null {
    const { keys } = this;
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
    if (Array.isArray(value)) return Array.isArray(old) && value.length === old.length && this.hasSameItems(value, old);
    if (!isObject(value)) return sameJson(value, old);
    if (!isObject(old)) return false;
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.hasSameMember(name, value, old));
  }

  private hasSameItems(value: readonly unknown[], old: readonly unknown[]): boolean {
    if (this.keys === null) return sameJson(value, old);
    const [before, { items }] = [this.oldItems<unknown>(old), this];
    return value.every((item) => {
      const oldItem = before?.(item);
      return oldItem !== undefined && items?.isUnchanged(item, oldItem) === true;
    });
  }

  private hasSameMember(name: string, value: Members, old: Members): boolean {
    const [member, oldMember] = [memberOf(value, name), memberOf(old, name)];
    return member !== undefined && oldMember !== undefined && this.member(name)?.isUnchanged(member, oldMember) === true;
  }
}

const memberOf = (object: Members, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);
const below = (schema: unknown): Correlation | null => (isObject(schema) ? new Correlation(schema) : null);

/** Null for what lacks one of the keys, or has something else there than a scalar. */
function keyOf(item: unknown, keys: readonly string[]): string | null {
  if (!isObject(item) || keys.length === 0) return null;
  let key = '';
  for (const name of keys) {
    const value = memberOf(item, name);
    if (value === undefined || typeof value === 'object') return null;
    key += `${typeof value === 'string' ? JSON.stringify(value) : String(value)}\0`;
  }
  return key;
}
