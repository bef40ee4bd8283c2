import type * as v1 from '../../../api/types/flowcontrol/v1.js';
import {
  all,
  andThen,
  dnsLabel,
  dnsLabelName,
  dnsSubdomain,
  each,
  forbiddenAs,
  invalid,
  isSet,
  itemsOf,
  members,
  missing,
  notSupported,
  oneOf,
  orEmpty,
  required,
  requiredAs,
  requiredPointerAs,
  when,
  whenOwner,
  type FieldError,
  type Path,
  type Rule,
  type Writable,
} from '../language.js';

type Subject = Writable<v1.Subject>;
type PolicyRule = Writable<v1.PolicyRulesWithSubjects>;

const knownVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const star = '*';

const own = <V>(kind: string, member: string, rule: Rule<V>): Rule<V | null | undefined, Subject> =>
  whenOwner((subject: Subject) => subject.kind === kind, requiredPointerAs(`${member} is required when subject kind is '${kind}'`, rule));
const notOf = (kind: string, member: string): Rule<unknown, Subject> =>
  whenOwner((subject: Subject) => subject.kind !== kind, forbiddenAs(`${member} is forbidden when subject kind is not '${kind}'`));

const serviceAccount = members<v1.ServiceAccountSubject>({
  name: required(when((name: string) => name !== star, dnsSubdomain)),
  namespace: requiredAs('must specify namespace for service account', dnsLabel),
});
const subject = andThen(
  members<v1.Subject>({ kind: orEmpty(oneOf('Group', 'ServiceAccount', 'User')) }),
  members<v1.Subject>({
    serviceAccount: own('ServiceAccount', 'serviceAccount', serviceAccount),
    user: own('User', 'user', members<v1.UserSubject>({ name: required() })),
    group: own('Group', 'group', members<v1.GroupSubject>({ name: required() })),
  }),
  members<v1.Subject>({
    serviceAccount: notOf('ServiceAccount', 'serviceAccount'),
    user: notOf('User', 'user'),
    group: notOf('Group', 'group'),
  }),
);

const someOrAll = (absent: string, several: string, ofSome: Rule<string[]> = () => []): Rule<string[] | null | undefined> =>
  requiredAs(absent, (values, path, owner) => {
    if (!values.includes(star)) return ofSome(values, path, owner);
    return values.length > 1 ? [invalid(path, values, `if '*' is present, must not specify other ${several}`)] : [];
  });

const verbs = someOrAll('verbs must contain at least one value', 'verbs', (values, path) =>
  values.every((verb) => knownVerbs.includes(verb)) ? [] : [notSupported(path, values, knownVerbs)],
);
const someNamespaces = someOrAll(
  'resource rules that are not cluster scoped must supply at least one namespace',
  'namespaces',
  each((namespace, path) =>
    dnsLabelName(namespace, false).map((text) =>
      invalid(path, namespace, `each member of this list must be '*' or a DNS-1123 label; ${text}`),
    ),
  ),
);
const someUrls = someOrAll('nonResourceURLs must contain at least one value', 'non-resource URLs', each(url));

const resourceRule = members<v1.ResourcePolicyRule>({
  verbs,
  apiGroups: someOrAll('resource rules must supply at least one api group', 'api groups'),
  resources: someOrAll('resource rules must supply at least one resource', 'resources'),
  namespaces: (namespaces, path, rule) =>
    itemsOf(namespaces).length === 0 && rule.clusterScope === true ? [] : someNamespaces(namespaces, path, rule),
});

export const policyRules = each(
  all<PolicyRule>(
    members<v1.PolicyRulesWithSubjects>({ subjects: requiredAs('subjects must contain at least one value', each(subject)) }),
    someRequests,
    members<v1.PolicyRulesWithSubjects>({
      resourceRules: each(resourceRule),
      nonResourceRules: each(members<v1.NonResourcePolicyRule>({ verbs, nonResourceURLs: someUrls })),
    }),
  ),
);

function someRequests({ resourceRules, nonResourceRules }: PolicyRule, path: Path): FieldError[] {
  return itemsOf(resourceRules).length + itemsOf(nonResourceRules).length === 0
    ? [missing(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
    : [];
}

function url(value: string, path: Path): FieldError[] {
  const problem = urlProblem(value);
  return isSet(problem) ? [invalid(path, value, problem)] : [];
}

function urlProblem(url: string): string | null {
  if (url === '') return 'must not be empty';
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split(star).length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : null;
}
