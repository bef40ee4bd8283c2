import type { Attributes } from '../authorization/authorizer.js';
import { stages } from './event.js';
import type { Level, Stage } from './event.js';
import type { AuditPolicy, PolicyResources, PolicyRule } from './policy.js';

/** The detail that is written of one request. */
export interface Extent {
  readonly level: Level;
  readonly stages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

const nothing: Extent = { level: 'None', stages: new Set(), omitManagedFields: false };

/** Compiles a policy. The result depends on the request alone. */
export function extentBy(policy: AuditPolicy): (attributes: Attributes) => Extent {
  const prepared = policy.rules.map((rule) => ({ rule, extent: extentOf(rule, policy) }));
  return (attributes) => prepared.find(({ rule }) => fits(rule, attributes))?.extent ?? nothing;
}

function extentOf({ level, omitStages, omitManagedFields }: PolicyRule, policy: AuditPolicy): Extent {
  const omitted = new Set([...policy.omitStages, ...omitStages]);
  return {
    level,
    stages: new Set(stages.filter((stage) => !omitted.has(stage))),
    omitManagedFields: omitManagedFields ?? policy.omitManagedFields,
  };
}

/** Every non-empty list must contain the request's value. */
function fits(rule: PolicyRule, attributes: Attributes): boolean {
  const { user, verb } = attributes;
  if (rule.users.length > 0 && !rule.users.includes(user.name)) return false;
  if (rule.userGroups.length > 0 && !user.groups.some((group) => rule.userGroups.includes(group))) return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return attributes.isResource && fitsResource(rule, attributes);
  if (rule.nonResourceURLs.length > 0) return !attributes.isResource && rule.nonResourceURLs.some((url) => fitsPath(url, attributes.path));
  return true;
}

type ResourceAttributes = Attributes & { readonly isResource: true };

/** An empty namespace in a rule matches cluster-scoped resources. */
function fitsResource({ namespaces, resources }: PolicyRule, attributes: ResourceAttributes): boolean {
  if (namespaces.length > 0 && !namespaces.includes(attributes.namespace)) return false;
  return (
    resources.length === 0 ||
    resources.some((selected) => ['*', attributes.group].includes(selected.group) && fitsNames(selected, attributes))
  );
}

function fitsNames({ resources, resourceNames }: PolicyResources, { resource, subresource, name }: ResourceAttributes): boolean {
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (pattern) =>
      pattern === '*' || pattern === whole || (subresource !== '' && pattern === `*/${subresource}`) || pattern === `${resource}/*`,
  );
}

function fitsPath(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}
