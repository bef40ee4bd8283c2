import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { forbidden, invalid, notSupported, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { dnsLabelName } from '../../registry/validation/names.js';
import { dnsLabel, dnsSubdomain } from '../../registry/validation/values.js';

/** Requests of a flow schema: subjects, and resources or paths. */

const knownVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const all = '*';
/** Kinds of subjects: the member of each, and its messages. */
const subjects = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const;

export const validateRules = (rules: readonly JsonObject[], path: Path): FieldError[] =>
  rules.flatMap((rule, position) => validateRule(rule, path.index(position)));

function validateRule(rule: JsonObject, path: Path): FieldError[] {
  const [subjects, resources, others] = ['subjects', 'resourceRules', 'nonResourceRules'].map((list) => objectsIn(rule, list)) as [
    JsonObject[],
    JsonObject[],
    JsonObject[],
  ];
  return [
    ...subjects.flatMap((subject, position) => validateSubject(subject, path.child('subjects').index(position))),
    ...(subjects.length === 0 ? [required(path.child('subjects'), 'subjects must contain at least one value')] : []),
    ...(resources.length + others.length === 0
      ? [required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...resources.flatMap((each, position) => validateResourceRule(each, path.child('resourceRules').index(position))),
    ...others.flatMap((each, position) => validateNonResourceRule(each, path.child('nonResourceRules').index(position))),
  ];
}

function validateSubject(subject: JsonObject, path: Path): FieldError[] {
  const kind = textAt(subject, 'kind');
  const own = subjects.find(([name]) => name === kind);
  if (own === undefined) return [notSupported(path.child('kind'), kind, ['Group', 'ServiceAccount', 'User'])];
  const [, member] = own;
  const holder = objectAt(subject, member);
  const findings =
    holder === null
      ? [required(path.child(member), `${member} is required when subject kind is '${kind}'`)]
      : validateHolder(holder, kind, path.child(member));
  return [
    ...findings,
    ...subjects
      .filter(([name, other]) => name !== kind && objectAt(subject, other) !== null)
      .map(([name, other]) => forbidden(path.child(other), `${other} is forbidden when subject kind is not '${name}'`)),
  ];
}

function validateHolder(holder: JsonObject, kind: string, path: Path): FieldError[] {
  const name = textAt(holder, 'name');
  const findings = name === '' ? [required(path.child('name'), '')] : [];
  if (kind !== 'ServiceAccount') return findings;
  const namespace = textAt(holder, 'namespace');
  return [
    ...findings,
    ...(name === '' || name === all ? [] : dnsSubdomain(name, path.child('name'))),
    ...(namespace === ''
      ? [required(path.child('namespace'), 'must specify namespace for service account')]
      : dnsLabel(namespace, path.child('namespace'))),
  ];
}

function validateVerbs(rule: JsonObject, path: Path): FieldError[] {
  const verbs = itemsOf(rule['verbs']).map(String);
  if (verbs.length === 0) return [required(path, 'verbs must contain at least one value')];
  if (verbs.includes(all)) return verbs.length > 1 ? [invalid(path, verbs, "if '*' is present, must not specify other verbs")] : [];
  return verbs.every((verb) => knownVerbs.includes(verb)) ? [] : [notSupported(path, verbs, knownVerbs)];
}

function validateResourceRule(rule: JsonObject, path: Path): FieldError[] {
  return [
    ...validateVerbs(rule, path.child('verbs')),
    ...someOrAll(rule, 'apiGroups', { one: 'api group', several: 'api groups' }, path),
    ...someOrAll(rule, 'resources', { one: 'resource', several: 'resources' }, path),
    ...validateNamespaces(rule, path.child('namespaces')),
  ];
}

function someOrAll(
  rule: JsonObject,
  member: string,
  { one, several }: { readonly one: string; readonly several: string },
  path: Path,
): FieldError[] {
  const values = itemsOf(rule[member]).map(String);
  if (values.length === 0) return [required(path.child(member), `resource rules must supply at least one ${one}`)];
  return values.length > 1 && values.includes(all)
    ? [invalid(path.child(member), values, `if '*' is present, must not specify other ${several}`)]
    : [];
}

function validateNamespaces(rule: JsonObject, path: Path): FieldError[] {
  const namespaces = itemsOf(rule['namespaces']).map(String);
  if (namespaces.length === 0)
    return rule['clusterScope'] === true
      ? []
      : [required(path, 'resource rules that are not cluster scoped must supply at least one namespace')];
  if (namespaces.includes(all))
    return namespaces.length > 1 ? [invalid(path, namespaces, "if '*' is present, must not specify other namespaces")] : [];
  return namespaces.flatMap((namespace, position) =>
    dnsLabelName(namespace, false).map((text) =>
      invalid(path.index(position), namespace, `each member of this list must be '*' or a DNS-1123 label; ${text}`),
    ),
  );
}

function validateNonResourceRule(rule: JsonObject, path: Path): FieldError[] {
  const urls = itemsOf(rule['nonResourceURLs']).map(String);
  const at = path.child('nonResourceURLs');
  return [...validateVerbs(rule, path.child('verbs')), ...validateUrls(urls, at)];
}

function validateUrls(urls: readonly string[], path: Path): FieldError[] {
  if (urls.length === 0) return [required(path, 'nonResourceURLs must contain at least one value')];
  if (urls.includes(all))
    return urls.length > 1 ? [invalid(path, urls, "if '*' is present, must not specify other non-resource URLs")] : [];
  return urls.flatMap((url, position) => {
    const text = urlProblem(url);
    return text === null ? [] : [invalid(path.index(position), url, text)];
  });
}

function urlProblem(url: string): string | null {
  if (url === '') return 'must not be empty';
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split(all).length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : null;
}
