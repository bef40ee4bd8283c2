import { withoutTrailing } from '../../api/trailing.js';
import type { Attributes } from '../authorizer.js';
import type { PolicyRule } from './policy.js';

/** What one combination of resource, group and verb grants: on every object, or on some by name. */
interface Leaf<T> { everywhere: T | null; readonly named: Map<string, T> }
type ByVerb<T> = Map<string, Leaf<T>>;

const ANY = '*';

/**
 * Rules arranged so that finding one takes a few look-ups, however many there are: by resource, then group, then verb, then name.
 * `*` is a word like any other here, and looked up besides the one asked for.
 *
 *     pods ─▶ "" ─▶ get ─▶ everywhere | named: web, db
 *     *    ─▶ *  ─▶ *
 */
export class RuleIndex<T> {
  private readonly resources = new Map<string, Map<string, ByVerb<T>>>();
  private readonly paths = new Map<string, Map<string, T>>();
  private readonly prefixes: { readonly prefix: string; readonly verbs: readonly string[]; readonly value: T }[] = [];

  /** What was added first for a combination stays. */
  add(rule: PolicyRule, value: T): void {
    for (const resource of rule.resources) {
      const byGroup = child(this.resources, resource);
      for (const group of rule.apiGroups) {
        const byVerb = child(byGroup, group);
        for (const verb of rule.verbs) addLeaf(byVerb, verb, rule.resourceNames, value);
      }
    }
    for (const url of rule.nonResourceURLs) this.addPath(url, rule.verbs, value);
  }

  find(attributes: Attributes): T | null {
    if (!attributes.isResource) return this.findPath(attributes.path, attributes.verb);
    const { resource, subresource, group, verb, name } = attributes;
    const asked = subresource === '' ? resource : `${resource}/${subresource}`;
    return this.findResource(asked, group, verb, name)
      ?? this.findResource(ANY, group, verb, name)
      ?? (subresource === '' ? null : this.findResource(`*/${subresource}`, group, verb, name));
  }

  private findResource(resource: string, group: string, verb: string, name: string): T | null {
    const byGroup = this.resources.get(resource);
    if (byGroup === undefined) return null;
    return findVerb(byGroup.get(group), verb, name) ?? findVerb(byGroup.get(ANY), verb, name);
  }

  private addPath(url: string, verbs: readonly string[], value: T): void {
    const byVerb = child(this.paths, url);
    for (const verb of verbs) if (!byVerb.has(verb)) byVerb.set(verb, value);
    if (url.endsWith(ANY)) this.prefixes.push({ prefix: withoutTrailing(url, ANY), verbs, value });
  }

  private findPath(path: string, verb: string): T | null {
    const exact = this.paths.get(path);
    const found = exact?.get(verb) ?? exact?.get(ANY);
    if (found !== undefined) return found;
    return this.prefixes.find(({ prefix, verbs }) => path.startsWith(prefix) && (verbs.includes(verb) || verbs.includes(ANY)))?.value ?? null;
  }
}

function addLeaf<T>(byVerb: ByVerb<T>, verb: string, names: readonly string[], value: T): void {
  let leaf = byVerb.get(verb);
  if (leaf === undefined) byVerb.set(verb, leaf = { everywhere: null, named: new Map<string, T>() });
  if (names.length === 0) leaf.everywhere ??= value;
  for (const name of names) if (!leaf.named.has(name)) leaf.named.set(name, value);
}

function findVerb<T>(byVerb: ByVerb<T> | undefined, verb: string, name: string): T | null {
  if (byVerb === undefined) return null;
  return ofLeaf(byVerb.get(verb), name) ?? ofLeaf(byVerb.get(ANY), name);
}

/** A request without a name, such as a list, is granted only where names do not matter. */
const ofLeaf = <T>(leaf: Leaf<T> | undefined, name: string): T | null => (leaf === undefined ? null : leaf.everywhere ?? leaf.named.get(name) ?? null);

function child<K, L>(map: Map<string, Map<K, L>>, key: string): Map<K, L> {
  let found = map.get(key);
  if (found === undefined) map.set(key, found = new Map<K, L>());
  return found;
}
