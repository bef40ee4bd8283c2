import type { JsonObject } from '../../../api/object.js';
import { itemsOf } from '../../../api/json/members.js';
import type { GroupVersionKind } from '../../registry/admission.js';

export interface Rule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/status`, with `*` on either side of the slash. */
  readonly resources: readonly string[];
  readonly scope: string;
  /** Empty for all; only policies have them. */
  readonly names: readonly string[];
}

/** A resource's version, possibly with a subresource, and its bodies' type. */
export interface Addressed {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly kind: GroupVersionKind;
}

export interface Attributes extends Addressed {
  readonly operation: string;
  /** The object's namespace; a Namespace's own name; empty for other cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

const all = '*';

export function ruleOf(rule: JsonObject): Rule {
  const texts = (member: string): string[] => itemsOf(rule[member]).map(String);
  return {
    operations: texts('operations'),
    groups: texts('apiGroups'),
    versions: texts('apiVersions'),
    resources: texts('resources'),
    scope: typeof rule['scope'] === 'string' ? rule['scope'] : all,
    names: texts('resourceNames'),
  };
}

const includes = (values: readonly string[], value: string): boolean => values.includes(all) || values.includes(value);

export const matchesOperation = (rule: Rule, operation: string): boolean => includes(rule.operations, operation);
export const matchesGroup = (rule: Rule, group: string): boolean => includes(rule.groups, group);

export function matchesResource(rule: Rule, resource: string, subresource: string): boolean {
  return rule.resources.some((pattern) => {
    const slash = pattern.indexOf('/');
    const [main, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
    return (main === all || main === resource) && (sub === all || sub === subresource);
  });
}

/** A Namespace is cluster-scoped, although its requests have its name as namespace. */
function matchesScope({ scope }: Rule, { group, resource, namespace }: Attributes): boolean {
  if (scope === all) return true;
  const ofCluster = namespace === '' || (group === '' && resource === 'namespaces');
  return (scope === 'Cluster') === ofCluster;
}

export function matchesRule(rule: Rule, attributes: Attributes): boolean {
  const { operation, group, version, resource, subresource, name } = attributes;
  return (
    matchesOperation(rule, operation) &&
    matchesGroup(rule, group) &&
    includes(rule.versions, version) &&
    matchesResource(rule, resource, subresource) &&
    matchesScope(rule, attributes) &&
    (rule.names.length === 0 || rule.names.includes(name))
  );
}
