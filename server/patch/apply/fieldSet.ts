import { inOneGo, type Steps } from '../../../api/steps.js';
import { parseJson } from '../../../workers/codecs/json.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';

const fieldsInStep = 256;

/**
 * A set of paths into an object, as a tree. Each edge is a path element in `FieldsV1` spelling:
 *
 *   f:NAME         member of a struct or map          k:{"name":"c"}  list item with these key members
 *   v:VALUE        item of a list that is a set       i:N             item by position
 *
 * `self` makes the path that ends here a member of the set. Sets are immutable; operations share what they can.
 */
export class FieldSet {
  static readonly empty = new FieldSet(false, new Map());
  static readonly leaf = new FieldSet(true, new Map());

  /** The immutable `fieldsV1` form, once known. Most sets are written as read. */
  #written: JsonObject | null = null;

  private constructor(
    readonly self: boolean,
    readonly children: ReadonlyMap<string, FieldSet>,
  ) {}

  /** Drops children without members, so that equal sets have equal trees. */
  static of(self: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
    let kept = children;
    for (const child of children.values()) {
      if (child.isEmpty) {
        kept = new Map([...children].filter(([, each]) => !each.isEmpty));
        break;
      }
    }
    if (kept.size > 0) return new FieldSet(self, kept);
    return self ? FieldSet.leaf : FieldSet.empty;
  }

  static at(path: readonly string[]): FieldSet {
    return path.reduceRight<FieldSet>((child, element) => new FieldSet(false, new Map([[element, child]])), FieldSet.leaf);
  }

  get isEmpty(): boolean {
    return !this.self && this.children.size === 0;
  }

  child(element: string): FieldSet {
    return this.children.get(element) ?? FieldSet.empty;
  }

  has(path: readonly string[]): boolean {
    let node = this as FieldSet | undefined;
    for (const element of path) node = node?.children.get(element);
    return node?.self ?? false;
  }

  /** Returns this very set when it contains the other. */
  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    let children: Map<string, FieldSet> | null = null;
    for (const [element, theirs] of other.children) {
      const ours = this.children.get(element);
      const both = ours === undefined ? theirs : ours.union(theirs);
      if (both !== ours) (children ??= new Map(this.children)).set(element, both);
    }
    return children === null && this.self === (this.self || other.self)
      ? this
      : FieldSet.of(this.self || other.self, children ?? this.children);
  }

  /** Returns the union of all sets in linear time; pairwise unions would copy repeatedly. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    const [first = FieldSet.empty, second, ...others] = sets;
    if (second === undefined) return first;
    if (others.length === 0) return first.union(second);
    const together = new Map<string, FieldSet[]>();
    for (const set of sets) {
      for (const [element, child] of set.children) {
        const known = together.get(element);
        if (known === undefined) together.set(element, [child]);
        else known.push(child);
      }
    }
    const children = new Map<string, FieldSet>();
    for (const [element, below] of together) children.set(element, FieldSet.unionOf(below));
    return FieldSet.of(
      sets.some(({ self }) => self),
      children,
    );
  }

  /** Keeps this set's order, in which conflicts are listed. */
  intersection(other: FieldSet): FieldSet {
    if (other === this) return this;
    const children = new Map<string, FieldSet>();
    for (const [element, ours] of this.children) {
      const theirs = other.children.get(element);
      if (theirs !== undefined) children.set(element, ours.intersection(theirs));
    }
    return FieldSet.of(this.self && other.self, children);
  }

  /** Returns this very set when nothing is removed. A path in `other` removes only itself, not its descendants. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (other === this) return FieldSet.empty;
    let children: Map<string, FieldSet> | null = null;
    for (const element of (this.children.size < other.children.size ? this : other).children.keys()) {
      const [ours, theirs] = [this.children.get(element), other.children.get(element)];
      if (ours === undefined || theirs === undefined) continue;
      const rest = ours.difference(theirs);
      if (rest === ours) continue;
      children ??= new Map(this.children);
      if (rest.isEmpty) children.delete(element);
      else children.set(element, rest);
    }
    const self = this.self && !other.self;
    return children === null && self === this.self ? this : FieldSet.of(self, children ?? this.children);
  }

  /** Like `difference`, but paths in `other` also remove everything below them. */
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

  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    for (const [element, { self }] of this.children) if (self) yield [...prefix, element];
    for (const [element, child] of this.children) yield* child.paths([...prefix, element]);
  }

  /** The same in the reference's order of conflicts: members of a level precede their descendants, each in order. */
  *orderedPaths(prefix: readonly string[] = []): Generator<readonly string[]> {
    const elements = sortedElements([...this.children.keys()]);
    for (const element of elements) if (this.child(element).self) yield [...prefix, element];
    for (const element of elements) yield* this.child(element).orderedPaths([...prefix, element]);
  }

  /** Returns the `fieldsV1` form with sorted elements, which is shared and must not be changed. */
  toFieldsV1(): JsonObject {
    return inOneGo(this.writingFieldsV1());
  }

  *writingFieldsV1(): Steps<JsonObject> {
    if (this.children.size === 0) return {};
    if (this.#written !== null) return this.#written;
    const fields: JsonObject = {};
    if (this.self) fields['.'] = {};
    let written = 0;
    for (const element of sortedElements([...this.children.keys()])) {
      if (++written % fieldsInStep === 0) yield;
      const child = this.children.get(element) as FieldSet;
      fields[element] = child.children.size === 0 ? {} : yield* child.writingFieldsV1();
    }
    return (this.#written = fields);
  }

  /** Throws RangeError for invalid `fieldsV1`, which becomes part of the set and must not be changed. */
  static fromFieldsV1(fields: JsonValue | undefined): FieldSet {
    return inOneGo(FieldSet.readingFieldsV1(fields));
  }

  static *readingFieldsV1(fields: JsonValue | undefined, root = true): Steps<FieldSet> {
    if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) throw new RangeError('fieldsV1 must be made of objects');
    if (isBare(fields)) return root ? FieldSet.empty : FieldSet.leaf;
    const children = new Map<string, FieldSet>();
    let [self, previous, asWritten, read] = [false, '', true, 0];
    for (const element of Object.keys(fields)) {
      if (++read % fieldsInStep === 0) yield;
      const below = fields[element];
      if (element === '.') {
        self = true;
        asWritten &&= previous === '' && isBare(below);
        continue;
      }
      const canonical = canonicalElement(element);
      const child = isBare(below) ? FieldSet.leaf : yield* FieldSet.readingFieldsV1(below, false);
      asWritten &&=
        canonical === element && (previous === '' || compareElements(previous, element) < 0) && child.#isWrittenAs(below as JsonObject);
      previous = element;
      children.set(canonical, child);
    }
    const set = FieldSet.of(self || (!root && children.size === 0), children);
    if (asWritten && set.children.size > 0) set.#written = fields;
    return set;
  }

  #isWrittenAs(fields: JsonObject): boolean {
    return this.children.size === 0 ? isBare(fields) : this.#written === fields;
  }
}

/** Collects paths, much cheaper than a union for each. */
export class FieldSetBuilder {
  #self = false;
  readonly #children = new Map<string, FieldSetBuilder>();

  insert(path: readonly string[]): void {
    let node: FieldSetBuilder = this;
    for (const element of path) {
      let next = node.#children.get(element);
      if (next === undefined) node.#children.set(element, (next = new FieldSetBuilder()));
      node = next;
    }
    node.#self = true;
  }

  build(): FieldSet {
    return FieldSet.of(this.#self, new Map([...this.#children].map(([element, child]) => [element, child.build()])));
  }
}

/** `f:NAME` */
export const fieldElement = (name: string): string => `f:${name}`;
/** `i:N` */
export const indexElement = (position: number): string => `i:${position}`;
/** `v:VALUE` */
export const valueElement = (value: JsonValue): string => `v:${writeJson(value)}`;
/** `k:{...}` with sorted members, so that one key has one spelling. */
export function keyElement(key: Readonly<Record<string, JsonValue>>): string {
  const members = Object.keys(key)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${writeJson(key[name])}`);
  return `k:{${members.join(',')}}`;
}

/** The same for a key of a single text member. */
export const keyElementOf = (name: string, value: string): string => `k:{${JSON.stringify(name)}:${JSON.stringify(value)}}`;

function isBare(fields: JsonValue | undefined): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  for (const _element in fields as JsonObject) return false;
  return true;
}

const colon = ':'.charCodeAt(0);
const elementOrder = 'fkvi';

function canonicalElement(element: string): string {
  if (element.charCodeAt(1) !== colon || !elementOrder.includes(element.charAt(0))) {
    throw new RangeError(`fieldsV1 has the path element ${JSON.stringify(element)}, which starts with none of f:, k:, v:, i:`);
  }
  if (!element.startsWith('k:')) return element;
  try {
    return keyElement(keyOf(element));
  } catch (cause) {
    throw new RangeError(`fieldsV1 has a key that is not JSON: ${element}`, { cause });
  }
}

/** More digits than a number represents exactly. */
const longNumber = /\d{16}/;
const keyDepthMax = 2;

/** Throws SyntaxError for anything but a `k:` element. */
export function keyOf(element: string): Readonly<Record<string, JsonValue>> {
  const text = element.slice(2);
  if (!longNumber.test(text)) return JSON.parse(text) as Record<string, JsonValue>;
  const read = parseJson(Buffer.from(text), { depthMax: keyDepthMax, keepLiterals: false });
  if (!read.ok) throw new SyntaxError(read.message);
  return read.value as Record<string, JsonValue>;
}

function compareElements(a: string, b: string): number {
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return elementOrder.indexOf(a.charAt(0)) - elementOrder.indexOf(b.charAt(0));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorts in place; elements of one kind as plain texts, without a function. */
function sortedElements(elements: string[]): string[] {
  const kind = elements[0]?.charCodeAt(0);
  return elements.every((element) => element.charCodeAt(0) === kind) ? elements.sort() : elements.sort(compareElements);
}
