import type {
  AuditAnnotation,
  MutatingAdmissionPolicy,
  Mutation,
  ValidatingAdmissionPolicy,
  Validation,
} from '../../../api/types/admissionregistration/v1.js';
import type { JsonObject } from '../../../api/object.js';
import type { AdmissionScope, Wanted } from '../../../cel/check/admission.js';
import { jsonPathProblem } from '../../../api/jsonPathSyntax.js';
import { ensureObject, objectAt, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { duplicate, invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { oneOf, optionallyOneOf, qualified } from '../../registry/validation/values.js';
import { countAt, unset } from '../cells.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { scopeOf, validateExpression, validateMatchConditions, validateVariables } from './expressions.js';
import { setMatchDefaults, validateMatch, validateParamKind } from './matchResources.js';
import { validateMutatingOperations } from './rules.js';
import { reservedNameWarnings, unreservedName } from './reservedNames.js';
import { repeats } from '../../registry/validation/repeats.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

type Validating = Draft<ValidatingAdmissionPolicy>;
type Mutating = Draft<MutatingAdmissionPolicy>;
type Policy = Validating | Mutating;

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const auditAnnotationsMax = 20;
const valueExpressionBytesMax = 5 * 1024;
const nothingToDo = 'validations or auditAnnotations must contain at least one item';
const auditAnnotation: StructureForm = [
  ['key', 'Key', 'text'],
  ['valueExpression', 'ValueExpression', 'text'],
];

function setDefaults(policy: Policy): void {
  const spec = ensureObject(policy, 'spec');
  setDefault(spec, 'failurePolicy', 'Fail');
  setMatchDefaults(objectAt(spec, 'matchConstraints'));
}

/** Unchanged conditions are not checked again. */
function validateCommon(policy: Policy, old: Policy | null, mutating: boolean): Found {
  const spec = specOf(policy);
  const kind = objectAt(spec, 'paramKind');
  const unchanged =
    old !== null && (['paramKind', 'matchConditions'] as const).every((member) => sameValue(spec[member], specOf(old)[member]));
  return inOrder(
    optionallyOneOf(spec.failurePolicy, ['Fail', 'Ignore'], specPath.child('failurePolicy')),
    kind === null ? [] : validateParamKind(kind, specPath.child('paramKind')),
    validateConstraints(objectAt(spec, 'matchConstraints'), mutating, specPath.child('matchConstraints')),
    unchanged ? [] : validateMatchConditions(spec, specPath.child('matchConditions'), scopeOf({ ...spec, variables: [] }, false)),
    validateVariables(spec, specPath.child('variables'), mutating),
  );
}

function validateConstraints(constraints: JsonObject | null, mutating: boolean, path: Path): Found {
  if (constraints === null) return [required(path, '')];
  const rules = objectsIn(constraints, 'resourceRules');
  return inOrder(
    validateMatch(constraints, path),
    rules.length === 0 ? [required(path.child('resourceRules'), '')] : [],
    mutating ? validateMutatingOperations(rules, path.child('resourceRules', 'operations')) : [],
  );
}

function validateValidating(policy: Validating, old: Validating | null): Found {
  const spec = specOf(policy);
  const [validations, annotations] = [objectsIn(spec, 'validations'), objectsIn(spec, 'auditAnnotations')];
  const common = validateCommon(policy, old, false);
  const scope = scopeOf(spec, false);
  if (validations.length + annotations.length === 0)
    return inOrder(
      common,
      ['validations', 'auditAnnotations'].map((member) => required(specPath.child(member), nothingToDo)),
    );
  return inOrder(
    common,
    ofEach(validations, (validation, position) => validateValidation(validation, scope, specPath.child('validations').index(position))),
    validateAuditAnnotations(annotations, policy.metadata.name ?? '', scope, specPath.child('auditAnnotations')),
  );
}

function validateValidation(validation: Writable<Validation>, scope: AdmissionScope, path: Path): FieldError[] {
  const [message, messageExpression] = [textAt(validation, 'message'), textAt(validation, 'messageExpression')];
  return [
    ...validateExpression(validation.expression, path.child('expression'), scope, {
      types: ['bool'],
      absent: 'expression is not specified',
    }),
    ...validateMessageExpression(messageExpression, scope, path.child('messageExpression')),
    ...(message !== '' && message.trim() === '' ? [invalid(path.child('message'), message, 'must be non-empty if specified')] : []),
    ...(/[\n\r]/.test(message.trim()) ? [invalid(path.child('message'), message, 'must not contain line breaks')] : []),
    ...optionallyOneOf(validation.reason, ['Forbidden', 'Invalid', 'RequestEntityTooLarge'], path.child('reason')),
  ];
}

/** Message expressions have no authorizer. */
function validateMessageExpression(expression: string, scope: AdmissionScope, path: Path): FieldError[] {
  if (expression === '') return [];
  return expression.trim() === ''
    ? [invalid(path, expression, 'must be non-empty if specified')]
    : validateExpression(expression, path, { ...scope, authorizer: false }, { types: ['string'] });
}

function validateAuditAnnotations(
  annotations: readonly Writable<AuditAnnotation>[],
  policy: string,
  scope: AdmissionScope,
  path: Path,
): FieldError[] {
  const keys = annotations.map((annotation) => textAt(annotation, 'key'));
  const isRepeated = repeats(keys);
  return [
    ...(annotations.length > auditAnnotationsMax
      ? [
          invalid(
            path,
            annotations.map((annotation) => printedStructure(annotation, auditAnnotation)),
            `must not have more than ${auditAnnotationsMax} auditAnnotations`,
          ),
        ]
      : []),
    ...annotations.flatMap((annotation, position) => [
      ...validateAuditAnnotation(annotation, policy, scope, path.index(position)),
      ...(isRepeated(position) ? [duplicate(path.index(position).child('key'), keys[position])] : []),
    ]),
  ];
}

function validateAuditAnnotation(annotation: Writable<AuditAnnotation>, policy: string, scope: AdmissionScope, path: Path): FieldError[] {
  const key = textAt(annotation, 'key');
  const expression = textAt(annotation, 'valueExpression').trim();
  const tooLong = Buffer.byteLength(expression) > valueExpressionBytesMax;
  return [
    // The policy's name precedes the key in the audit log.
    ...(policy === ''
      ? [invalid(path.child('key'), key, 'requires metadata.name be non-empty')]
      : qualified(`${policy}/${key}`, path.child('key'))),
    ...(tooLong
      ? [required(path.child('valueExpression'), `must not exceed ${valueExpressionBytesMax} bytes in length`)]
      : validateExpression(expression, path.child('valueExpression'), scope, {
          types: ['string', 'null'],
          absent: 'valueExpression is not specified',
        })),
  ];
}

function validateMutating(policy: Mutating, old: Mutating | null): Found {
  const spec = specOf(policy);
  const mutations = objectsIn(spec, 'mutations');
  const scope = scopeOf(spec, true);
  return inOrder(
    validateCommon(policy, old, true),
    mutations.length === 0 ? [required(specPath.child('mutations'), 'mutations must contain at least one item')] : [],
    ofEach(mutations, (mutation, position) => validateMutation(mutation, scope, specPath.child('mutations').index(position))),
    oneOf(spec.reinvocationPolicy, ['IfNeeded', 'Never'], specPath.child('reinvocationPolicy')),
  );
}

const patches: readonly (readonly [type: string, member: 'jsonPatch' | 'applyConfiguration', Wanted])[] = [
  ['JSONPatch', 'jsonPatch', 'list<JSONPatch>'],
  ['ApplyConfiguration', 'applyConfiguration', 'Object'],
];

function validateMutation(mutation: Writable<Mutation>, scope: AdmissionScope, path: Path): FieldError[] {
  const type = textAt(mutation, 'patchType');
  const known = patches.find(([name]) => name === type);
  if (known === undefined) return oneOf(type, ['ApplyConfiguration', 'JSONPatch'], path.child('patchType'));
  const [, member, wanted] = known;
  const patch = objectAt(mutation, member);
  return [
    ...(patch === null
      ? [required(path.child(member), `must be specified when patchType is ${type}`)]
      : validateExpression(patch.expression, path.child(member, 'expression'), scope, { types: [wanted] })),
    ...patches
      .filter(([name, other]) => name !== type && objectAt(mutation, other) !== null)
      .map(([, other]) => invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${type}`)),
  ];
}

function validateStatus(policy: Validating): FieldError[] {
  const status = statusOf(policy);
  const warnings = objectsIn(objectAt(status, 'typeChecking') ?? {}, 'expressionWarnings');
  return [
    ...warnings.flatMap((warning, position) => {
      const at = statusPath.child('typeChecking', 'expressionWarnings').index(position);
      // A warning of nothing but spaces counts.
      return [
        ...(textAt(warning, 'warning') === '' ? [required(at.child('warning'), '')] : []),
        ...validateFieldRef(textAt(warning, 'fieldRef').trim(), at.child('fieldRef')),
      ];
    }),
    ...validateConditions(itemsOf(status.conditions), statusPath.child('conditions')),
  ];
}

function validateFieldRef(path: string, at: Path): FieldError[] {
  if (path === '') return [required(at, '')];
  const problem = jsonPathProblem(`{${path}}`);
  return problem === null ? [] : [invalid(at, path, `invalid JSONPath: ${problem}`)];
}

const paramKind = (object: Policy): string =>
  memberAt(object, 'spec', 'paramKind') === undefined
    ? unset
    : `${textAt(object, 'spec', 'paramKind', 'apiVersion')}/${textAt(object, 'spec', 'paramKind', 'kind')}`;

export const validatingAdmissionPolicies: Kind<Validating> = {
  name: 'validatingadmissionpolicies.admissionregistration.k8s.io',
  metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['spec'] },
  defaults: setDefaults,
  validate: (policy) => validateValidating(policy, null),
  update: { unconditional: false, review: ['objectMeta', validateValidating] },
  // The only status that passes `forceAllowCreate` on (validatingadmissionpolicy/storage/storage.go).
  subresources: { status: { creates: 'apply', keepsMetadata: true, review: [validateStatus] } },
  warnings: reservedNameWarnings,
  cells: { Validations: countAt('spec.validations'), ParamKind: paramKind },
};

export const mutatingAdmissionPolicies: Kind<Mutating> = {
  name: 'mutatingadmissionpolicies.admissionregistration.k8s.io',
  metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['spec'] },
  defaults: setDefaults,
  validate: (policy) => validateMutating(policy, null),
  update: { unconditional: false, review: ['objectMeta', validateMutating] },
  warnings: reservedNameWarnings,
  cells: { Mutations: countAt('spec.mutations'), ParamKind: paramKind },
};
