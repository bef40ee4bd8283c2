import { nameOf } from '../../api/meta/object.js';
import { selects } from '../../api/selectors.js';
import type { ClusterRole, PolicyRule } from '../../api/types/rbac/v1.js';

/** Returns the rules of an aggregated role: those of all selected roles, by selector, sorted by name, without duplicates. Pure. */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const others = all.filter((other) => nameOf(other) !== nameOf(role)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    for (const rule of others.filter(({ metadata }) => selects(selector, metadata.labels)).flatMap((other) => other.rules ?? [])) {
      const key = contentOf(rule);
      if (!rules.has(key)) rules.set(key, rule);
    }
  }
  return [...rules.values()];
}

const contentOf = (rule: PolicyRule): string => JSON.stringify(lists.map((list) => rule[list] ?? []));
const lists = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
