import { nameOf } from '../../api/meta/object.js';
import { selects } from '../../api/selectors.js';
import type { ClusterRole, PolicyRule } from '../../api/types/rbac/v1.js';
import { sameJson } from '../workloads/sameJson.js';

/** The rules of an aggregated role: those of all roles that it selects, selector by selector and in order of names, each once. Pure. */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const others = all.filter(other => nameOf(other) !== nameOf(role)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    for (const rule of others.filter(({ metadata }) => selects(selector, metadata.labels)).flatMap(other => other.rules ?? [])) {
      if (!rules.some(known => sameJson(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
