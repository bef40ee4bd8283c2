import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import {
  labelSelectorOf,
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirement,
  type FieldSelector,
  type LabelSelectorObject,
} from '../../../api/selectors/index.js';
import { invalidObject } from '../../../api/status.js';
import type { Attributes, Decision } from '../../authorization/authorizer.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { invalid, Path, toCause, type FieldError } from '../../registry/validation/field.js';
import { managerOf } from '../../patch/apply/managers.js';
import { checkNamespace } from '../../registry/writes.js';
import { admitBody } from '../admitting.js';
import { sendDocument, typeOf } from '../answers.js';
import type { RequestContext } from '../context.js';
import type { User } from '../../../api/user.js';
import { negotiateWrite } from '../negotiation.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { Route } from '../routing.js';
import { targetOf, type VerbDeps, type VerbHandler } from '../verbs/deps.js';
import { own } from './owned.js';
import { validateSelectors } from './selectorRules.js';

const specPath = Path.of('spec');
const resourcePath = specPath.child('resourceAttributes');
const nonResourcePath = specPath.child('nonResourceAttributes');

interface ReviewRules {
  readonly validate: (spec: JsonObject) => FieldError[];
  /** Returns findings that are reported after those about metadata. */
  readonly validateLast?: (spec: JsonObject, namespace: string) => FieldError[];
  readonly subject: (spec: JsonObject, caller: User) => User;
}

/** Exactly one of the two kinds of attributes is required. */
function validateAttributes(spec: JsonObject): FieldError[] {
  const resource = present(spec['resourceAttributes']);
  const nonResource = present(spec['nonResourceAttributes']);
  return [
    ...(resource && nonResource
      ? [invalid(nonResourcePath, shownNonResource(spec), 'cannot be specified in combination with resourceAttributes')]
      : []),
    ...(resource || nonResource
      ? []
      : [invalid(resourcePath, null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')]),
  ];
}

const validateResourceSelectors = (spec: JsonObject): FieldError[] =>
  present(spec['resourceAttributes']) ? validateSelectors(spec['resourceAttributes'], resourcePath) : [];

const validateSubject = (spec: JsonObject): FieldError[] =>
  textAt(spec, 'user') === '' && itemsOf(spec['groups']).length === 0
    ? [invalid(specPath.child('user'), textAt(spec, 'user'), 'at least one of user or group must be specified')]
    : [];

const present = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;
const shownNonResource = (spec: JsonObject): JsonObject => ({
  Path: textAt(spec, 'nonResourceAttributes', 'path'),
  Verb: textAt(spec, 'nonResourceAttributes', 'verb'),
});

const namedSubject = (spec: JsonObject): User => ({
  name: textAt(spec, 'user'),
  uid: textAt(spec, 'uid'),
  groups: itemsOf(spec['groups']).map(String),
  extra: Object.fromEntries(Object.entries(membersOf(spec['extra'])).map(([key, values]) => [key, itemsOf(values).map(String)])),
});

const ofSubject: ReviewRules = {
  validate: (spec) => [...validateAttributes(spec), ...validateSubject(spec), ...validateResourceSelectors(spec)],
  subject: namedSubject,
};

/** A local review asks about its own namespace. */
function validateLocality(spec: JsonObject, namespace: string): FieldError[] {
  const own = textAt(spec, 'resourceAttributes', 'namespace');
  const elsewhere = present(spec['resourceAttributes']) && own !== namespace;
  return [
    ...(elsewhere ? [invalid(resourcePath.child('namespace'), own, 'must match metadata.namespace')] : []),
    ...(present(spec['nonResourceAttributes'])
      ? [invalid(nonResourcePath, shownNonResource(spec), 'disallowed on this kind of request')]
      : []),
  ];
}

const ofLocalSubject: ReviewRules = { ...ofSubject, validateLast: validateLocality };

const ofSelf: ReviewRules = {
  validate: (spec) => [...validateAttributes(spec), ...validateResourceSelectors(spec)],
  subject: (_spec, caller) => caller,
};

export const subjectAccessReview: VerbHandler = (context, route, deps) => review(context, route, deps, ofSubject);
export const localSubjectAccessReview: VerbHandler = (context, route, deps) => review(context, route, deps, ofLocalSubject);
export const selfSubjectAccessReview: VerbHandler = (context, route, deps) => review(context, route, deps, ofSelf);

async function review(context: RequestContext, route: Route, deps: VerbDeps, rules: ReviewRules): Promise<void> {
  const { reader, authorize } = deps;
  const { resource } = route;
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const { dryRun, fieldManager, fieldValidation } = parseWriteParameters(context.query, 'CreateOptions');
  const body = await reader.object(context, resource, fieldValidation);
  checkNamespace(body.metadata, targetOf(route));
  const namespace = route.namespace ?? '';
  await own(body, resource, managerOf(fieldManager, context.request.headers['user-agent']));
  await admitBody(context, route, deps, { object: body, asksAboutRights: true, dryRun, fieldManager });
  const spec = membersOf(body['spec']);
  refuse(resource.group, [
    ...rules.validate(spec),
    ...validateMetadata(body, resource.namespaced),
    ...(rules.validateLast?.(spec, namespace) ?? []),
  ]);
  const decision = await authorize(attributesOf(spec, rules.subject(spec, context.user)));
  const metadata = { ...body.metadata, ...(resource.namespaced ? { namespace } : {}) };
  sendDocument(context, representation, { ...typeOf(resource), metadata, spec, status: statusOf(decision, spec) }, { code: 201 });
}

/** A review's metadata must be empty apart from the namespace. */
function validateMetadata({ metadata }: ApiObject, namespaced: boolean): FieldError[] {
  const { namespace: _namespace, managedFields: _managedFields, ...rest } = metadata;
  const extra = namespaced ? rest : metadata;
  return Object.keys(rest).length === 0 && (namespaced || (metadata.namespace ?? '') === '')
    ? []
    : [invalid(Path.of('metadata'), extra, namespaced ? 'must be empty except for namespace' : 'must be empty')];
}

function refuse(group: string, findings: readonly FieldError[]): void {
  // The reference leaves the kind empty here.
  if (findings.length > 0) throw invalidObject({ group, kind: '' }, '', findings.map(toCause));
}

function attributesOf(spec: JsonObject, user: User): Attributes {
  const resource = memberAt(spec, 'resourceAttributes');
  if (!present(resource))
    return {
      isResource: false,
      user,
      verb: textAt(spec, 'nonResourceAttributes', 'verb'),
      path: textAt(spec, 'nonResourceAttributes', 'path'),
    };
  const text = (member: string): string => textAt(resource, member);
  return {
    isResource: true,
    user,
    verb: text('verb'),
    group: text('group'),
    version: text('version') || '*',
    namespace: text('namespace'),
    resource: text('resource'),
    subresource: text('subresource'),
    name: text('name'),
    fields: selectedFields(memberAt(resource, 'fieldSelector')),
  };
}

function selectedFields(selector: JsonValue | undefined): FieldSelector {
  const parsed = parseFieldSelector(textAt(selector, 'rawSelector'));
  const ofRequirements = itemsOf(memberAt(selector, 'requirements')).flatMap((requirement): FieldRequirement[] => {
    const [value, ...more] = itemsOf(memberAt(requirement, 'values'));
    const operator = textAt(requirement, 'operator');
    if (value === undefined || more.length > 0 || (operator !== 'In' && operator !== 'NotIn')) return [];
    return [{ field: textAt(requirement, 'key'), equals: operator === 'In', value: String(value) }];
  });
  return [...(parsed.ok ? parsed.selector : []), ...ofRequirements];
}

const unusable: Readonly<Record<'fieldSelector' | 'labelSelector', (requirement: JsonValue) => boolean>> = {
  fieldSelector: (requirement) =>
    itemsOf(memberAt(requirement, 'values')).length !== 1 || !['In', 'NotIn'].includes(textAt(requirement, 'operator')),
  labelSelector: (requirement) => !labelSelectorOf({ matchExpressions: [requirement] } as LabelSelectorObject).ok,
};
const parsers = { fieldSelector: parseFieldSelector, labelSelector: parseLabelSelector } as const;

/** BuildEvaluationError of registry/authorization/util. */
function problemOf(member: keyof typeof unusable, spec: JsonObject): string[] {
  const selector = memberAt(spec, 'resourceAttributes', member);
  const requirements = itemsOf(memberAt(selector, 'requirements'));
  const left = requirements.filter(unusable[member]).length;
  const isWhole = requirements.length > 0 ? left === 0 : parsers[member](textAt(selector, 'rawSelector')).ok;
  return isWhole ? [] : [`spec.resourceAttributes.${member} ${left < requirements.length ? 'partially ' : ''}ignored due to parse error`];
}

function statusOf({ decision, reason, error }: Decision, spec: JsonObject): JsonObject {
  const problems = [...(error === undefined ? [] : [error]), ...problemOf('fieldSelector', spec), ...problemOf('labelSelector', spec)];
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(problems.length === 0 ? {} : { evaluationError: problems.join('; ') }),
  };
}
