import type * as v1 from '../../../api/types/rbac/v1.js';
import { ensureObject, objectsIn, setTextDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf } from '../../../api/json/members.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, texts } from '../../registry/validation/internalform.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import type { Found } from '../../registry/validation/ofEach.js';
import {
  all,
  andThen,
  each,
  format,
  members,
  nonZero,
  objectRules,
  oneOf,
  required,
  whenOwner,
  type Rule,
} from '../../registry/validation/table.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import type { Draft, Kind, Writable } from '../kind.js';

const groupName = 'rbac.authorization.k8s.io';
const roleRef = Path.of('roleRef');
const roleRefForm = texts('apiGroup=APIGroup', 'kind', 'name');

function setDefaults(binding: Draft<v1.RoleBinding>): void {
  setTextDefault(ensureObject(binding, 'roleRef'), 'apiGroup', groupName);
  for (const subject of objectsIn(binding, 'subjects')) {
    if (subject.kind === 'User' || subject.kind === 'Group') setTextDefault(subject, 'apiGroup', groupName);
  }
}

/** The roles that a binding may name, and whether it is namespaced, which is the default of its service accounts. */
interface BindingRules {
  readonly roleKinds: readonly string[];
  readonly namespaced: boolean;
}

const isAccount = ({ kind }: Writable<v1.Subject>): boolean => kind === 'ServiceAccount';

const subjectOf = (namespaced: boolean): Rule<Writable<v1.Subject>> =>
  all(
    members<v1.Subject>({ name: required() }),
    andThen(
      members<v1.Subject>({ kind: oneOf('ServiceAccount', 'User', 'Group') }),
      members<v1.Subject>({
        name: whenOwner(isAccount, nonZero(dnsSubdomain)),
        apiGroup: (group, path, subject) => oneOf(isAccount(subject) ? '' : groupName)(group, path),
        namespace: whenOwner((subject) => isAccount(subject) && !namespaced, required()),
      }),
    ),
  );

const bindingRules = ({ roleKinds, namespaced }: BindingRules): ((binding: Draft<v1.RoleBinding>) => Found) =>
  objectRules<v1.RoleBinding>({
    roleRef: members<v1.RoleRef>({ apiGroup: oneOf(groupName), kind: oneOf(...roleKinds), name: required(format(pathSegmentName)) }),
    subjects: each(subjectOf(namespaced)),
  });

/** Another role is another grant. */
function validateSameRole(binding: Draft<v1.RoleBinding>, old: Draft<v1.RoleBinding>): FieldError[] {
  const [ref, before] = [printedStructure(binding.roleRef, roleRefForm), printedStructure(old.roleRef, roleRefForm)];
  return sameValue(ref, before) ? [] : [invalid(roleRef, ref, 'cannot change roleRef')];
}

const subjects = (object: Draft<v1.RoleBinding>, kind: string): string =>
  itemsOf(object.subjects)
    .filter((subject) => subject.kind === kind)
    .map(({ name = '', namespace = '' }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ');

const bindingKind = (name: string, validate: (binding: Draft<v1.RoleBinding>) => Found): Kind<Draft<v1.RoleBinding>> => ({
  name: `${name}.rbac.authorization.k8s.io`,
  metadata: { name: pathSegmentName },
  defaults: setDefaults,
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
