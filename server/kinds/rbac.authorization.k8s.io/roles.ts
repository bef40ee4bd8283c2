import type * as v1 from '../../../api/types/rbac/v1.js';
import {
  each,
  fromFound,
  invalid,
  itemsOf,
  members,
  nonZero,
  objectRules,
  optional,
  pathSegmentName,
  requiredAs,
  validateLabelSelector,
  whenOwner,
  type Draft,
  type FieldError,
  type Found,
  type JsonObject,
  type Kind,
  type Path,
  type Rule,
  type Writable,
} from '../language.js';

type PolicyRule = Writable<v1.PolicyRule>;

const grantsNoPaths = ({ nonResourceURLs }: PolicyRule): boolean => itemsOf(nonResourceURLs).length === 0;
const grantsResources = ({ apiGroups, resources, resourceNames }: PolicyRule): boolean =>
  [apiGroups, resources, resourceNames].some((list) => itemsOf(list).length > 0);

const notBoth = whenOwner(grantsResources, (urls: unknown, path: Path) => [
  invalid(path, urls, 'rules cannot apply to both regular resources and non-resource URLs'),
]);
const clusterWide = (urls: unknown, path: Path): FieldError[] => [
  invalid(path, urls, 'namespaced rules cannot apply to non-resource URLs'),
];

const rules = (...ofPaths: readonly Rule<unknown, PolicyRule>[]): Rule<readonly PolicyRule[] | null | undefined> =>
  each(
    members<v1.PolicyRule>({
      verbs: requiredAs('verbs must contain at least one value'),
      nonResourceURLs: nonZero(...ofPaths, notBoth),
      apiGroups: whenOwner(grantsNoPaths, requiredAs('resource rules must supply at least one api group')),
      resources: whenOwner(grantsNoPaths, requiredAs('resource rules must supply at least one resource')),
    }),
  );

/** An unreadable selector is also reported as a whole, without a quote. */
const selector: Rule<JsonObject> = (value, path) =>
  fromFound(validateLabelSelector(value, path), (findings) =>
    findings.length === 0 ? [] : [...findings, invalid(path, null, 'invalid label selector.')],
  );

const aggregation = members<v1.AggregationRule>({
  clusterRoleSelectors: requiredAs('at least one clusterRoleSelector required if aggregationRule is non-nil', each(selector)),
});

const roleKind = (name: string, validate: (role: Draft<v1.ClusterRole>) => Found): Kind<Draft<v1.ClusterRole>> => ({
  name: `${name}.rbac.authorization.k8s.io`,
  // Names appear in other objects and in paths, and may contain colons and capitals.
  metadata: { name: pathSegmentName },
  validate,
  update: { creates: true, review: ['objectMeta', validate, 'objectMetaUpdate'] },
});

/** Namespaced roles cannot grant non-resource paths. */
export const roles = roleKind('roles', objectRules<v1.ClusterRole>({ rules: rules(clusterWide) }));
export const clusterRoles = roleKind(
  'clusterroles',
  objectRules<v1.ClusterRole>({ rules: rules(), aggregationRule: optional(aggregation) }),
);
