import type { RoleBinding } from '../../../api/types/rbac/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, objectsIn, setTextDefault } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { dnsSubdomain, named } from '../../registry/validation/values.js';
import type { Draft, Kind } from '../kind.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const groupName = 'rbac.authorization.k8s.io';
const roleRef = Path.of('roleRef');
const subjectsPath = Path.of('subjects');
const subjectKinds = ['ServiceAccount', 'User', 'Group'];
const roleRefForm: StructureForm = [
  ['apiGroup', 'APIGroup', 'text'],
  ['kind', 'Kind', 'text'],
  ['name', 'Name', 'text'],
];

function setDefaults(binding: Draft<RoleBinding>): void {
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

function validateBinding(binding: Draft<RoleBinding>, { roleKinds, namespaced }: BindingRules): Found {
  const ref = objectAt(binding, 'roleRef') ?? {};
  const { apiGroup: group = '', kind = '', name = '' } = ref;
  return inOrder(
    group === groupName ? [] : [notSupported(roleRef.child('apiGroup'), group, [groupName])],
    roleKinds.includes(kind) ? [] : [notSupported(roleRef.child('kind'), kind, roleKinds)],
    name === '' ? [required(roleRef.child('name'), '')] : named(name, pathSegmentName, roleRef.child('name')),
    ofEach(objectsIn(binding, 'subjects'), (subject, position) => validateSubject(subject, namespaced, subjectsPath.index(position))),
  );
}

function validateSubject(subject: JsonObject, namespaced: boolean, path: Path): FieldError[] {
  const [group, kind, name] = ['apiGroup', 'kind', 'name'].map((member) => textAt(subject, member)) as [string, string, string];
  const findings = name === '' ? [required(path.child('name'), '')] : [];
  if (!subjectKinds.includes(kind)) return [...findings, notSupported(path.child('kind'), kind, subjectKinds)];
  if (kind === 'ServiceAccount') {
    if (name !== '') findings.push(...dnsSubdomain(name, path.child('name')));
    if (group !== '') findings.push(notSupported(path.child('apiGroup'), group, ['']));
    if (!namespaced && textAt(subject, 'namespace') === '') findings.push(required(path.child('namespace'), ''));
    return findings;
  }
  return group === groupName ? findings : [...findings, notSupported(path.child('apiGroup'), group, [groupName])];
}

const printedRef = (binding: Draft<RoleBinding>): JsonObject => printedStructure(binding.roleRef, roleRefForm);

/** Another role is another grant. */
function validateSameRole(binding: Draft<RoleBinding>, old: Draft<RoleBinding>): FieldError[] {
  const [ref, before] = [printedRef(binding), printedRef(old)];
  return Object.keys(ref).every((member) => ref[member] === before[member]) ? [] : [invalid(roleRef, ref, 'cannot change roleRef')];
}

const subjects = (object: Draft<RoleBinding>, kind: string): string =>
  itemsOf(object.subjects)
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => (kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}` : textAt(subject, 'name')))
    .join(', ');

const bindingKind = (name: string, rules: BindingRules): Kind<Draft<RoleBinding>> => ({
  name: `${name}.rbac.authorization.k8s.io`,
  metadata: { name: pathSegmentName },
  defaults: setDefaults,
  validate: (binding) => validateBinding(binding, rules),
  update: {
    creates: true,
    review: ['objectMeta', (binding) => validateBinding(binding, rules), 'objectMetaUpdate', validateSameRole],
  },
  cells: {
    Role: (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`,
    Users: (object) => subjects(object, 'User'),
    Groups: (object) => subjects(object, 'Group'),
    ServiceAccounts: (object) => subjects(object, 'ServiceAccount'),
  },
});

export const roleBindings = bindingKind('rolebindings', { roleKinds: ['Role', 'ClusterRole'], namespaced: true });
export const clusterRoleBindings = bindingKind('clusterrolebindings', { roleKinds: ['ClusterRole'], namespaced: false });
