import type { JsonObject } from '../../../api/object.js';
import { objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { itemsOf } from '../../../api/json/members.js';
import { duplicate, invalid, notSupported, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { named } from '../../registry/validation/values.js';
import { repeats } from '../../registry/validation/repeats.js';

/** Match rules of webhooks and policies: groups, versions, resources, operations and scope. */

const all = '*';
const knownOperations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
/** A deleted object cannot be mutated. */
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

export const setRuleDefaults = (holder: JsonObject, list: string): void => {
  for (const rule of objectsIn(holder, list)) setDefault(rule, 'scope', all);
};

const texts = (rule: JsonObject, member: string): string[] => itemsOf(rule[member]).map(String);

export function validateRule(rule: JsonObject, path: Path): FieldError[] {
  const operations = texts(rule, 'operations');
  const scope = rule['scope'];
  return [
    ...someOrAll(operations, 'operations', path.child('operations')),
    ...operations.flatMap((operation, position) =>
      knownOperations.includes(operation) ? [] : [notSupported(path.child('operations').index(position), operation, knownOperations)],
    ),
    ...someOrAll(texts(rule, 'apiGroups'), 'API groups', path.child('apiGroups')),
    ...someOrAll(texts(rule, 'apiVersions'), 'API versions', path.child('apiVersions')),
    ...texts(rule, 'apiVersions').flatMap((version, position) =>
      version === '' ? [required(path.child('apiVersions').index(position), '')] : [],
    ),
    ...validateResources(texts(rule, 'resources'), path.child('resources')),
    ...(scope !== undefined && !scopes.includes(String(scope)) ? [notSupported(path.child('scope'), scope, scopes)] : []),
  ];
}

function someOrAll(values: readonly string[], what: string, path: Path): FieldError[] {
  if (values.length === 0) return [required(path, '')];
  return values.length > 1 && values.includes(all) ? [invalid(path, values, `if '*' is present, must not specify other ${what}`)] : [];
}

function validateResources(resources: readonly string[], path: Path): FieldError[] {
  if (resources.length === 0) return [required(path, '')];
  const plain = resources.filter((resource) => resource !== '' && !resource.includes('/'));
  const earlier = new Set<string>();
  return [
    ...resources.flatMap((resource, position) => {
      const findings = covered(resource, earlier, path.index(position));
      earlier.add(resource);
      return findings;
    }),
    ...(resources.length > 1 && resources.includes('*/*')
      ? [invalid(path, resources, "if '*/*' is present, must not specify other resources")]
      : []),
    // Only the last name without a subresource counts: one after the star.
    ...(plain.includes(all) && plain.at(-1) !== all
      ? [invalid(path, resources, "if '*' is present, must not specify other resources without subresources")]
      : []),
  ];
}

/** An earlier entry with a star covers the subresource. */
function covered(resource: string, earlier: ReadonlySet<string>, path: Path): FieldError[] {
  if (resource === '') return [required(path, '')];
  const slash = resource.indexOf('/');
  if (slash < 0) return [];
  return [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`]
    .filter((pattern) => earlier.has(pattern))
    .map((pattern) => invalid(path, resource, `if '${pattern}' is present, must not specify ${resource}`));
}

/** A rule of a policy may also name objects. */
export function validateNamedRule(rule: JsonObject, path: Path): FieldError[] {
  const names = texts(rule, 'resourceNames');
  const isRepeated = repeats(names);
  return [
    ...names.flatMap((name, position) => {
      const at = path.child('resourceNames').index(position);
      return [...named(name, pathSegmentName, at), ...(isRepeated(position) ? [duplicate(at, name)] : [])];
    }),
    ...validateRule(rule, path),
  ];
}

/** Operations that mutating policies cannot match; reported for all rules together. */
export const validateMutatingOperations = (rules: readonly JsonObject[], path: Path): FieldError[] =>
  rules
    .flatMap((rule) => texts(rule, 'operations'))
    .filter((operation) => !mutatingOperations.includes(operation))
    .map((operation) => notSupported(path, operation, mutatingOperations));
