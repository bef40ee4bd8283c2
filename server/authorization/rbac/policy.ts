import type { ApiObject, JsonValue } from '../../../api/object.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** `rbac.authorization.k8s.io/v1 PolicyRule` with all lists present. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface RoleRef {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
}
export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** The namespace of a service account. */ readonly namespace: string;
}

const texts = (value: JsonValue | undefined): string[] => itemsOf(value).map(String);

export const rulesOf = (role: ApiObject): PolicyRule[] =>
  itemsOf(role['rules']).map((rule) => ({
    verbs: texts(memberAt(rule, 'verbs')),
    apiGroups: texts(memberAt(rule, 'apiGroups')),
    resources: texts(memberAt(rule, 'resources')),
    resourceNames: texts(memberAt(rule, 'resourceNames')),
    nonResourceURLs: texts(memberAt(rule, 'nonResourceURLs')),
  }));

/** Null for a kind that grants nothing. */
export function roleRefOf(binding: ApiObject): RoleRef | null {
  const kind = textAt(binding, 'roleRef', 'kind');
  return kind === 'Role' || kind === 'ClusterRole' ? { kind, name: textAt(binding, 'roleRef', 'name') } : null;
}

/** Returns a binding's subjects; a service account's default namespace is the binding's. */
export function subjectsOf(binding: ApiObject, namespace: string): Subject[] {
  return itemsOf(binding['subjects']).flatMap((subject): Subject[] => {
    const kind = textAt(subject, 'kind');
    const name = textAt(subject, 'name');
    if (kind === 'User' || kind === 'Group') return [{ kind, name, namespace: '' }];
    const own = textAt(subject, 'namespace') || namespace;
    return kind === 'ServiceAccount' && own !== '' ? [{ kind, name, namespace: own }] : [];
  });
}

/** The reference's format: `["a" "b"]`. */
export const printed = (list: readonly string[]): string => `[${list.map((text) => JSON.stringify(text)).join(' ')}]`;

export function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  return `{${parts
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}:${printed(list)}`)
    .join(', ')}}`;
}
