import type { JsonObject, JsonValue } from '../../api/object.js';

/**
 * A set of paths into an object, kept as a tree. Each edge is one path element in the spelling of `FieldsV1`:
 *
 *   f:NAME         member of a struct or map          k:{"name":"c"}  list item with these key members
 *   v:VALUE        item of a list that is a set       i:N             item by position
 *
 * `self` says that the path which ends here is a member of the set. Sets are immutable; operations share what they can.
 */
export class FieldSet {
  static readonly empty = new FieldSet(false, new Map());
  static readonly leaf = new FieldSet(true, new Map());

  private constructor(readonly self: boolean, readonly children: ReadonlyMap<string, FieldSet>) {}

  /** Builds a node; children without members are dropped, so that equal sets have equal trees. */
  static of(self: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
    let kept = children;
    for (const child of children.values()) {
      if (child.isEmpty) { kept = new Map([...children].filter(([, each]) => !each.isEmpty)); break; }
    }
    if (kept.size > 0) return new FieldSet(self, kept);
    return self ? FieldSet.leaf : FieldSet.empty;
  }

  get isEmpty(): boolean { return !this.self && this.children.size === 0; }

  child(element: string): FieldSet { return this.children.get(element) ?? FieldSet.empty; }

  has(path: readonly string[]): boolean {
    let node = this as FieldSet | undefined;
    for (const element of path) node = node?.children.get(element);
    return node?.self ?? false;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    const children = new Map(this.children);
    for (const [element, theirs] of other.children) {
      const ours = children.get(element);
      children.set(element, ours === undefined ? theirs : ours.union(theirs));
    }
    return FieldSet.of(this.self || other.self, children);
  }

  intersection(other: FieldSet): FieldSet {
    if (other === this) return this;
    const children = new Map<string, FieldSet>();
    for (const [element, ours] of this.children) {
      const theirs = other.children.get(element);
      if (theirs !== undefined) children.set(element, ours.intersection(theirs));
    }
    return FieldSet.of(this.self && other.self, children);
  }

  /** Paths of this set that are not in `other`. A path is removed only by itself, not by its parent. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const children = new Map<string, FieldSet>();
    for (const [element, ours] of this.children) {
      const theirs = other.children.get(element);
      children.set(element, theirs === undefined ? ours : ours.difference(theirs));
    }
    return FieldSet.of(this.self && !other.self, children);
  }

  /** Like `difference`, but a path in `other` takes everything below it away too. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const children = new Map<string, FieldSet>();
    for (const [element, ours] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined) children.set(element, ours);
      else if (!theirs.self) children.set(element, ours.recursiveDifference(theirs));
    }
    return FieldSet.of(this.self && !other.self, children);
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.self !== other.self || this.children.size !== other.children.size) return false;
    for (const [element, ours] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined || !ours.equals(theirs)) return false;
    }
    return true;
  }

  /** Every member path, parents before children. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    if (this.self && prefix.length > 0) yield prefix;
    for (const [element, child] of this.children) yield* child.paths([...prefix, element]);
  }

  /** The `fieldsV1` form, elements sorted. */
  toFieldsV1(): JsonObject {
    const fields: JsonObject = {};
    if (this.self && this.children.size > 0) fields['.'] = {};
    for (const [element, child] of [...this.children].sort(([a], [b]) => compareElements(a, b))) fields[element] = child.toFieldsV1();
    return fields;
  }

  /** Reads the `fieldsV1` form; throws RangeError for what is not one. */
  static fromFieldsV1(fields: JsonValue | undefined, root = true): FieldSet {
    if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) throw new RangeError('fieldsV1 must be made of objects');
    const children = new Map<string, FieldSet>();
    let self = false;
    for (const element of Object.keys(fields)) {
      if (element === '.') { self = true; continue; }
      if (!/^[fkvi]:/.test(element)) throw new RangeError(`fieldsV1 has the path element ${JSON.stringify(element)}, which starts with none of f:, k:, v:, i:`);
      children.set(canonicalElement(element), FieldSet.fromFieldsV1(fields[element], false));
    }
    return FieldSet.of(self || (!root && children.size === 0), children);
  }
}

/** Collects paths; much cheaper than a union for each of them. */
export class FieldSetBuilder {
  private self = false;
  private readonly children = new Map<string, FieldSetBuilder>();

  insert(path: readonly string[]): void {
    let node: FieldSetBuilder = this;
    for (const element of path) {
      let next = node.children.get(element);
      if (next === undefined) node.children.set(element, next = new FieldSetBuilder());
      node = next;
    }
    node.self = true;
  }

  build(): FieldSet {
    return FieldSet.of(this.self, new Map([...this.children].map(([element, child]) => [element, child.build()])));
  }
}

/** `f:NAME` */
export const fieldElement = (name: string): string => `f:${name}`;
/** `v:VALUE` */
export const valueElement = (value: JsonValue): string => `v:${JSON.stringify(value)}`;
/** `k:{...}`, members sorted by name, as two spellings of one key must be one element. */
export function keyElement(key: Readonly<Record<string, JsonValue>>): string {
  const members = Object.keys(key).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(key[name])}`);
  return `k:{${members.join(',')}}`;
}

function canonicalElement(element: string): string {
  if (!element.startsWith('k:')) return element;
  try {
    return keyElement(JSON.parse(element.slice(2)) as Record<string, JsonValue>);
  } catch (cause) {
    throw new RangeError(`fieldsV1 has a key that is not JSON: ${element}`, { cause });
  }
}

const elementOrder = 'fkvi';
function compareElements(a: string, b: string): number {
  const kind = elementOrder.indexOf(a[0] ?? '') - elementOrder.indexOf(b[0] ?? '');
  if (kind !== 0) return kind;
  return a < b ? -1 : a > b ? 1 : 0;
}
