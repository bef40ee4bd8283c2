import type * as v1 from '../../../api/types/rbac/v1.js';
import {
  all,
  andThen,
  created,
  dnsSubdomain,
  each,
  format,
  ifOwner,
  insteadOfZero,
  invalid,
  itemsOf,
  members,
  nonZero,
  objectRules,
  oneOf,
  Path,
  pathSegmentName,
  printedAs,
  required,
  sameValue,
  whenOwner,
  type Draft,
  type FieldError,
  type Kind,
  type ObjectRules,
  type Rule,
  type Writable,
} from '../language.js';

const groupName = 'rbac.authorization.k8s.io';
const roleRef = Path.of('roleRef');

/** The roles that a binding may name, and whether it is namespaced, which is the default of its service accounts. */
interface BindingRules {
  readonly roleKinds: readonly string[];
  readonly namespaced: boolean;
}

const isAccount = ({ kind }: Writable<v1.Subject>): boolean => kind === 'ServiceAccount';

const isPerson = ({ kind }: Writable<v1.Subject>): boolean => kind === 'User' || kind === 'Group';

const subjectOf = (namespaced: boolean): Rule<Writable<v1.Subject>> =>
  all(
    members<v1.Subject>({ name: required() }),
    andThen(
      members<v1.Subject>({ kind: oneOf('ServiceAccount', 'User', 'Group') }),
      members<v1.Subject>({
        name: whenOwner(isAccount, nonZero(dnsSubdomain)),
        apiGroup: all(whenOwner(isPerson, insteadOfZero(groupName)), ifOwner(isAccount, oneOf(''), oneOf(groupName))),
        namespace: whenOwner((subject) => isAccount(subject) && !namespaced, required()),
      }),
    ),
  );

const bindingRules = ({ roleKinds, namespaced }: BindingRules): ObjectRules<v1.RoleBinding> =>
  objectRules<v1.RoleBinding>({
    roleRef: created(
      members<v1.RoleRef>({
        apiGroup: insteadOfZero(groupName, oneOf(groupName)),
        kind: oneOf(...roleKinds),
        name: required(format(pathSegmentName)),
      }),
    ),
    subjects: each(subjectOf(namespaced)),
  });

/** Another role is another grant. */
function validateSameRole(binding: Draft<v1.RoleBinding>, old: Draft<v1.RoleBinding>): FieldError[] {
  const [ref, before] = [printedAs('rbac.v1.RoleRef', binding.roleRef), printedAs('rbac.v1.RoleRef', old.roleRef)];
  return sameValue(ref, before) ? [] : [invalid(roleRef, ref, 'cannot change roleRef')];
}

const subjects = (object: Draft<v1.RoleBinding>, kind: string): string =>
  itemsOf(object.subjects)
    .filter((subject) => subject.kind === kind)
    .map(({ name = '', namespace = '' }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ');

const bindingKind = (name: string, validate: ObjectRules<v1.RoleBinding>): Kind<Draft<v1.RoleBinding>> => ({
  name: `${name}.rbac.authorization.k8s.io`,
  metadata: { name: pathSegmentName },
  defaults: validate.defaults,
  validate,
  update: {
    creates: true,
    review: ['objectMeta', validate, 'objectMetaUpdate', validateSameRole],
  },
  cells: {
    Role: ({ roleRef: { kind = '', name = '' } = {} }) => `${kind}/${name}`,
    Users: (object) => subjects(object, 'User'),
    Groups: (object) => subjects(object, 'Group'),
    ServiceAccounts: (object) => subjects(object, 'ServiceAccount'),
  },
});

export const roleBindings = bindingKind('rolebindings', bindingRules({ roleKinds: ['Role', 'ClusterRole'], namespaced: true }));
export const clusterRoleBindings = bindingKind('clusterrolebindings', bindingRules({ roleKinds: ['ClusterRole'], namespaced: false }));
