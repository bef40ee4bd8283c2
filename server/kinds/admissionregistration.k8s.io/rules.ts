import * as enums from '../../../api/data/enums.js';
import {
  all,
  byDefault,
  distinct,
  each,
  format,
  invalid,
  itemsOf,
  members,
  missing,
  notSupported,
  oneOf,
  pathSegmentName,
  required,
  type FieldError,
  type Path,
  type Rule,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/admissionregistration/v1.js';

const star = '*';
/** A deleted object cannot be mutated. */
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

const someOrAll = (what: string): Rule<string[] | null | undefined> =>
  required((values, path) =>
    values.length > 1 && values.includes(star) ? [invalid(path, values, `if '*' is present, must not specify other ${what}`)] : [],
  );

export const rule = members<v1.RuleWithOperations>({
  operations: all(someOrAll('operations'), each(oneOf(...enums.OperationType))),
  apiGroups: someOrAll('API groups'),
  apiVersions: all(someOrAll('API versions'), each(required())),
  resources: required(resourceNames),
  scope: byDefault(star, oneOf(...enums.ScopeType)),
});

function resourceNames(resources: string[], path: Path): FieldError[] {
  const plain = resources.filter((resource) => resource !== '' && !resource.includes('/'));
  const earlier = new Set<string>();
  const findings = resources.flatMap((resource, position) => {
    const found = covered(resource, earlier, path.index(position));
    earlier.add(resource);
    return found;
  });
  if (resources.length > 1 && resources.includes('*/*'))
    findings.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  // Only the last name without a subresource counts: one after the star.
  if (plain.includes(star) && plain.at(-1) !== star)
    findings.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  return findings;
}

/** An earlier entry with a star covers the subresource. */
function covered(resource: string, earlier: ReadonlySet<string>, path: Path): FieldError[] {
  if (resource === '') return [missing(path, '')];
  const slash = resource.indexOf('/');
  if (slash < 0) return [];
  return [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`]
    .filter((pattern) => earlier.has(pattern))
    .map((pattern) => invalid(path, resource, `if '${pattern}' is present, must not specify ${resource}`));
}

/** A rule of a policy may also name objects. */
export const namedRule = all(
  members<v1.NamedRuleWithOperations>({ resourceNames: distinct<string>(null, (once) => all(format(pathSegmentName), once)) }),
  rule,
);

/** Operations that mutating policies cannot match; reported for all rules together. */
export const mutatingOnly = ({ resourceRules }: Writable<v1.MatchResources>, path: Path): FieldError[] =>
  itemsOf(resourceRules)
    .flatMap(({ operations }) => itemsOf(operations))
    .filter((operation) => !mutatingOperations.includes(operation))
    .map((operation) => notSupported(path.child('resourceRules', 'operations'), operation, mutatingOperations));
