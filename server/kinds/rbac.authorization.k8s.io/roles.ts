import type { ClusterRole } from '../../../api/types/rbac/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf } from '../../../api/json/members.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { validateLabelSelector } from '../../registry/validation/labelselector.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import type { Draft, Kind } from '../kind.js';
import { fromFound, inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const rules = Path.of('rules');

/** The scope of a role: namespaced roles cannot grant non-resource paths. */
type Scope = 'namespace' | 'cluster';

const validateRules = (role: Draft<ClusterRole>, scope: Scope): Found =>
  ofEach(objectsIn(role, 'rules'), (rule, position) => validateRule(rule, scope, rules.index(position)));

function validateRule(rule: JsonObject, scope: Scope, path: Path): FieldError[] {
  const has = (member: string): boolean => itemsOf(rule[member]).length > 0;
  const findings = has('verbs') ? [] : [required(path.child('verbs'), 'verbs must contain at least one value')];
  if (has('nonResourceURLs')) {
    const at = path.child('nonResourceURLs');
    if (scope === 'namespace') findings.push(invalid(at, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (['apiGroups', 'resources', 'resourceNames'].some(has))
      findings.push(invalid(at, rule.nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'));
    return findings;
  }
  if (!has('apiGroups')) findings.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (!has('resources')) findings.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
  return findings;
}

function validateAggregation(role: Draft<ClusterRole>): Found {
  const rule = objectAt(role, 'aggregationRule');
  if (rule === null) return [];
  const path = Path.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = objectsIn(rule, 'clusterRoleSelectors');
  if (selectors.length === 0) return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return ofEach(selectors, (selector, position) =>
    // An unreadable selector is also reported as a whole, without a quote.
    fromFound(validateLabelSelector(selector, path.index(position)), (findings) =>
      findings.length === 0 ? [] : [...findings, invalid(path.index(position), null, 'invalid label selector.')],
    ),
  );
}

const roleKind = (name: string, validate: (role: Draft<ClusterRole>) => Found): Kind<Draft<ClusterRole>> => ({
  name: `${name}.rbac.authorization.k8s.io`,
  // Names appear in other objects and in paths, and may contain colons and capitals.
  metadata: { name: pathSegmentName },
  validate,
  update: { creates: true, review: ['objectMeta', validate, 'objectMetaUpdate'] },
});

export const roles = roleKind('roles', (role) => validateRules(role, 'namespace'));
export const clusterRoles = roleKind('clusterroles', (role) => inOrder(validateRules(role, 'cluster'), validateAggregation(role)));
