import { withoutTrailing } from '../../api/trailing.js';
import type { PolicyRule } from './policy.js';

/** A rule with one word in each of its lists that are not empty. */
type Atom = PolicyRule;

const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] } as const;

/** What of `wanted` none of the `held` rules grants: compact rules, in order. Empty when all of it is held. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return compact(wanted.flatMap(atoms).filter((atom) => !held.some((rule) => covers(rule, atom))));
}

function atoms(rule: PolicyRule): Atom[] {
  const names: readonly (readonly string[])[] = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const ofResources = rule.apiGroups.flatMap((group) => rule.resources.flatMap((resource) => rule.verbs.flatMap((verb) => names.map(
    (resourceNames): Atom => ({ ...none, apiGroups: [group], resources: [resource], verbs: [verb], resourceNames })))));
  const ofPaths = rule.nonResourceURLs.flatMap((url) => rule.verbs.map((verb): Atom => ({ ...none, nonResourceURLs: [url], verbs: [verb] })));
  return [...ofResources, ...ofPaths];
}

/** Whether one rule alone grants an atom. Wildcards are held only by wildcards. */
function covers(held: PolicyRule, atom: Atom): boolean {
  return anyOrAll(held.verbs, atom.verbs) && anyOrAll(held.apiGroups, atom.apiGroups)
    && atom.resources.every((resource) => coversResource(held.resources, resource))
    && atom.nonResourceURLs.every((url) => held.nonResourceURLs.some((owned) => coversPath(owned, url)))
    && (held.resourceNames.length === 0 || (atom.resourceNames.length > 0 && atom.resourceNames.every((name) => held.resourceNames.includes(name))));
}

const anyOrAll = (held: readonly string[], wanted: readonly string[]): boolean => held.includes('*') || wanted.every((word) => held.includes(word));

function coversResource(held: readonly string[], resource: string): boolean {
  const slash = resource.indexOf('/');
  return held.includes('*') || held.includes(resource) || (slash >= 0 && held.includes(`*${resource.slice(slash)}`));
}

const coversPath = (held: string, path: string): boolean => held === path || (held.endsWith('*') && path.startsWith(withoutTrailing(held, '*')));

/** Joins atoms that differ in their verb alone, as long as they are about resources. */
function compact(list: readonly Atom[]): PolicyRule[] {
  const joined = new Map<string, Atom[]>();
  for (const atom of list) {
    const { verbs, ...rest } = atom;
    const key = JSON.stringify(atom.nonResourceURLs.length === 0 ? rest : { ...rest, verbs });
    joined.set(key, [...joined.get(key) ?? [], atom]);
  }
  return [...joined.values()].map((same) => ({ ...same[0]!, verbs: same.flatMap(({ verbs }) => verbs) }));
}
