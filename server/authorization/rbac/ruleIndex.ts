import { withoutTrailing } from '../../../api/trailing.js';
import type { Attributes } from '../authorizer.js';
import type { PolicyRule } from './policy.js';
import { Prefixes } from './prefixes.js';

/** Grants of one resource, group and verb: for every object, or by name. */
interface Leaf<T> {
  everywhere: T | null;
  readonly named: Map<string, T>;
}
type ByVerb<T> = Map<string, Leaf<T>>;

/** A rule with lists too long to expand into combinations. */
interface WideRule<T> {
  readonly groups: ReadonlySet<string>;
  readonly verbs: ReadonlySet<string>;
  readonly names: ReadonlySet<string> | null;
  readonly value: T;
}

interface PathRule<T> {
  readonly verbs: ReadonlySet<string>;
  readonly value: T;
}

const any = '*';

/** Most entries per word of an expanded rule, for linear indices. */
const entriesPerWordMax = 4;

/**
 * Rules indexed by resource, group, verb and name, so that a decision takes a few look-ups. `*` is a word, looked up in addition to the requested one.
 *
 *     pods ─▶ "" ─▶ get ─▶ everywhere | named: web, db
 *     *    ─▶ *  ─▶ *
 *
 * Rules with long lists are kept apart, once for each of their resources, and checked one by one.
 */
export class RuleIndex<T> {
  readonly #resources = new Map<string, Map<string, ByVerb<T>>>();
  readonly #wide = new Map<string, WideRule<T>[]>();
  readonly #paths = new Map<string, PathRule<T>[]>();
  readonly #beginnings = new Map<string, PathRule<T>[]>();
  #prefixes: Prefixes | null = null;

  get size(): number {
    let size = 0;
    for (const byGroup of this.#resources.values())
      for (const byVerb of byGroup.values()) for (const leaf of byVerb.values()) size += 1 + leaf.named.size;
    for (const lists of [this.#wide, this.#paths, this.#beginnings]) for (const list of lists.values()) size += list.length;
    return size;
  }

  /** Finds an early rule of several with the same grant. */
  add(rule: PolicyRule, value: T): void {
    const { resources, apiGroups, verbs, resourceNames, nonResourceURLs } = rule;
    const entries = resources.length * apiGroups.length * verbs.length * Math.max(1, resourceNames.length);
    if (entries > entriesPerWordMax * (resources.length + apiGroups.length + verbs.length + resourceNames.length))
      this.#addWide(rule, value);
    else this.#addEntries(rule, value);
    if (nonResourceURLs.length === 0) return;
    const ofPaths = { verbs: new Set(verbs), value };
    for (const url of nonResourceURLs) {
      append(this.#paths, url, ofPaths);
      if (!url.endsWith(any)) continue;
      append(this.#beginnings, withoutTrailing(url, any), ofPaths);
      this.#prefixes = null;
    }
  }

  find(attributes: Attributes): T | null {
    if (!attributes.isResource) return this.#findPath(attributes.path, attributes.verb);
    const { resource, subresource } = attributes;
    const asked = subresource === '' ? resource : `${resource}/${subresource}`;
    return (
      this.#findResource(asked, attributes) ??
      this.#findResource(any, attributes) ??
      (subresource === '' ? null : this.#findResource(`*/${subresource}`, attributes))
    );
  }

  #addWide({ resources, apiGroups, verbs, resourceNames }: PolicyRule, value: T): void {
    const rule = {
      groups: new Set(apiGroups),
      verbs: new Set(verbs),
      names: resourceNames.length === 0 ? null : new Set(resourceNames),
      value,
    };
    for (const resource of new Set(resources)) append(this.#wide, resource, rule);
  }

  #addEntries({ resources, apiGroups, verbs, resourceNames }: PolicyRule, value: T): void {
    for (const resource of resources) {
      const byGroup = child(this.#resources, resource);
      for (const group of apiGroups) {
        const byVerb = child(byGroup, group);
        for (const verb of verbs) addLeaf(byVerb, verb, resourceNames, value);
      }
    }
  }

  #findResource(resource: string, { group, verb, name }: Attributes & { readonly isResource: true }): T | null {
    const byGroup = this.#resources.get(resource);
    const found = byGroup === undefined ? null : (findVerb(byGroup.get(group), verb, name) ?? findVerb(byGroup.get(any), verb, name));
    if (found !== null) return found;
    for (const rule of this.#wide.get(resource) ?? []) {
      if (has(rule.groups, group) && has(rule.verbs, verb) && (rule.names === null || rule.names.has(name))) return rule.value;
    }
    return null;
  }

  #findPath(path: string, verb: string): T | null {
    const exact = valueFor(this.#paths.get(path), verb);
    if (exact !== null) return exact;
    this.#prefixes ??= new Prefixes(this.#beginnings.keys());
    for (const prefix of this.#prefixes.of(path)) {
      const found = valueFor(this.#beginnings.get(prefix), verb);
      if (found !== null) return found;
    }
    return null;
  }
}

const has = (words: ReadonlySet<string>, word: string): boolean => words.has(word) || words.has(any);

function valueFor<T>(rules: readonly PathRule<T>[] | undefined, verb: string): T | null {
  for (const { verbs, value } of rules ?? []) if (has(verbs, verb)) return value;
  return null;
}

function append<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function addLeaf<T>(byVerb: ByVerb<T>, verb: string, names: readonly string[], value: T): void {
  let leaf = byVerb.get(verb);
  if (leaf === undefined) byVerb.set(verb, (leaf = { everywhere: null, named: new Map<string, T>() }));
  if (names.length === 0) leaf.everywhere ??= value;
  for (const name of names) if (!leaf.named.has(name)) leaf.named.set(name, value);
}

function findVerb<T>(byVerb: ByVerb<T> | undefined, verb: string, name: string): T | null {
  if (byVerb === undefined) return null;
  return ofLeaf(byVerb.get(verb), name) ?? ofLeaf(byVerb.get(any), name);
}

/** A request without a name, such as a list, needs a grant for all. */
const ofLeaf = <T>(leaf: Leaf<T> | undefined, name: string): T | null =>
  leaf === undefined ? null : (leaf.everywhere ?? leaf.named.get(name) ?? null);

function child<K, L>(map: Map<string, Map<K, L>>, key: string): Map<K, L> {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = new Map<K, L>()));
  return found;
}
