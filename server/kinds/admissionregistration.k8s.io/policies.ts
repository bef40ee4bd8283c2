import * as enums from '../../../api/data/enums.js';
import {
  all,
  andThen,
  byDefault,
  conditions,
  countAt,
  created,
  distinct,
  each,
  inOrder,
  invalid,
  itemsOf,
  memberAt,
  members,
  missing,
  nonZero,
  objectRules,
  objectRulesWith,
  oneOf,
  optional,
  orEmpty,
  Path,
  printedAs,
  qualified,
  required,
  requiredAs,
  requiredPointer,
  requiredPointerAs,
  sameValue,
  specOf,
  textAt,
  unset,
  whenFacts,
  whenOwner,
  withFacts,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Rule,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/admissionregistration/v1.js';
import { jsonPathProblem } from '../../../api/jsonPathSyntax.js';
import type { AdmissionScope, Wanted } from '../../../cel/check/admission.js';
import { expression, matchConditions, scopeOf, variables, trimmedExpression } from './expressions.js';
import { matchResources, paramKind } from './matchResources.js';
import { reservedNameWarnings, unreservedName } from './reservedNames.js';
import { mutatingOnly } from './rules.js';

type Validating = Draft<v1.ValidatingAdmissionPolicy>;
type Mutating = Draft<v1.MutatingAdmissionPolicy>;
type Policy = Validating | Mutating;
type CommonSpec = Omit<v1.ValidatingAdmissionPolicySpec, 'validations' | 'auditAnnotations'>;
type Spec = Writable<v1.ValidatingAdmissionPolicySpec>;
type Annotation = Writable<v1.AuditAnnotation>;
type Mutation = Writable<v1.Mutation>;

const specPath = Path.of('spec');
const auditAnnotationsMax = 20;
const valueExpressionBytesMax = 5 * 1024;
const nothingToDo = 'validations or auditAnnotations must contain at least one item';

const constraints = all(matchResources, members<v1.MatchResources>({ resourceRules: required() }));
const byConditions = ['paramKind', 'matchConditions'] as const;

/** Unchanged conditions are not checked again. */
interface Change {
  readonly sameConditions: boolean;
}
const changeOf = (policy: Policy, old: Policy | null): Change => ({
  sameConditions: old !== null && byConditions.every((member) => sameValue(specOf(policy)[member], specOf(old)[member])),
});

const commonRules = (mutating: boolean): Rule<Writable<CommonSpec>, unknown, Change> =>
  members<CommonSpec, Change>({
    failurePolicy: byDefault('Fail', oneOf(...enums.FailurePolicyType)),
    paramKind: optional(paramKind),
    matchConstraints: requiredPointer<Writable<v1.MatchResources>, unknown>(constraints, mutating ? mutatingOnly : () => []),
    matchConditions: whenFacts(
      ({ sameConditions }: Change) => !sameConditions,
      (conditions, path, spec) => matchConditions(scopeOf({ ...spec, variables: [] }, false))(conditions, path, spec),
    ),
    variables,
  });
const common = { validating: commonRules(false), mutating: commonRules(true) };
const { defaults } = objectRulesWith<v1.ValidatingAdmissionPolicy, Change>({ spec: created(common.validating) });

function validateValidating(policy: Validating, old: Validating | null): Found {
  const [spec, name] = [specOf(policy), policy.metadata.name ?? ''];
  const scope = scopeOf(spec, false);
  const own = members<v1.ValidatingAdmissionPolicySpec>({
    validations: each(validation(scope)),
    auditAnnotations: all(
      fewAnnotations,
      distinct<Annotation>('key', (once) => all(annotation(name, scope), once)),
    ),
  });
  return inOrder(withFacts(common.validating, changeOf(policy, old))(spec, specPath), all<Spec>(someTask, own)(spec, specPath, null));
}

function someTask({ validations, auditAnnotations }: Spec, path: Path): FieldError[] {
  if (itemsOf(validations).length + itemsOf(auditAnnotations).length > 0) return [];
  return ['validations', 'auditAnnotations'].map((member) => missing(path.child(member), nothingToDo));
}

const emptyText = (text: string, path: Path): FieldError[] =>
  text.trim() === '' ? [invalid(path, text, 'must be non-empty if specified')] : [];
const oneLine = (text: string, path: Path): FieldError[] =>
  /[\n\r]/.test(text.trim()) ? [invalid(path, text, 'must not contain line breaks')] : [];

/** Message expressions have no authorizer. */
const validation = (scope: AdmissionScope): Rule<Writable<v1.Validation>> =>
  members<v1.Validation>({
    expression: expression(scope, ['bool'], 'expression is not specified'),
    messageExpression: nonZero(andThen(emptyText, expression({ ...scope, authorizer: false }, ['string']))),
    message: nonZero(emptyText, oneLine),
    reason: optional(oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge')),
  });

function fewAnnotations(annotations: Annotation[] | undefined, path: Path): FieldError[] {
  const given = itemsOf(annotations);
  if (given.length <= auditAnnotationsMax) return [];
  const shown = given.map((each) => printedAs('admissionregistration.v1.AuditAnnotation', each));
  return [invalid(path, shown, `must not have more than ${auditAnnotationsMax} auditAnnotations`)];
}

/** The policy's name precedes the key in the audit log. */
const annotation = (policy: string, scope: AdmissionScope): Rule<Annotation> =>
  members<v1.AuditAnnotation>({
    key: orEmpty((key, path) =>
      policy === '' ? [invalid(path, key, 'requires metadata.name be non-empty')] : qualified(`${policy}/${key}`, path),
    ),
    valueExpression: orEmpty((text, path) =>
      Buffer.byteLength(text.trim()) > valueExpressionBytesMax
        ? [missing(path, `must not exceed ${valueExpressionBytesMax} bytes in length`)]
        : expression(scope, ['string', 'null'], 'valueExpression is not specified')(text.trim(), path),
    ),
  });

function validateMutating(policy: Mutating, old: Mutating | null): Found {
  const spec = specOf(policy);
  const own = members<v1.MutatingAdmissionPolicySpec>({
    mutations: requiredAs('mutations must contain at least one item', each(mutation(scopeOf(spec, true)))),
    reinvocationPolicy: required(oneOf(...enums.ReinvocationPolicyType)),
  });
  return inOrder(withFacts(common.mutating, changeOf(policy, old))(spec, specPath), own(spec, specPath, null));
}

const isOf =
  (type: string) =>
  ({ patchType }: Mutation): boolean =>
    patchType === type;
const notOf = (type: string, member: string): Rule<unknown, Mutation> =>
  optional((_, path, { patchType }: Mutation) =>
    patchType === type ? [] : [invalid(path, `{${member}}`, `must not be specified when patchType is ${patchType}`)],
  );

function mutation(scope: AdmissionScope): Rule<Mutation> {
  const patch = (type: string, wanted: Wanted): Rule<Mutation['jsonPatch'], Mutation> =>
    whenOwner(
      isOf(type),
      requiredPointerAs(
        `must be specified when patchType is ${type}`,
        members<v1.JSONPatch>({ expression: trimmedExpression(scope, [wanted]) }),
      ),
    );
  return andThen<Mutation, unknown>(
    members<v1.Mutation>({ patchType: required(oneOf(...enums.PatchType)) }),
    members<v1.Mutation>({
      jsonPatch: patch('JSONPatch', 'list<JSONPatch>'),
      applyConfiguration: patch('ApplyConfiguration', 'Object'),
    }),
    members<v1.Mutation>({
      jsonPatch: notOf('JSONPatch', 'jsonPatch'),
      applyConfiguration: notOf('ApplyConfiguration', 'applyConfiguration'),
    }),
  );
}

const expressionWarning = members<v1.ExpressionWarning>({
  // A warning of nothing but spaces counts.
  warning: required(),
  fieldRef: orEmpty((text, path) => validateFieldRef(text.trim(), path)),
});
const validateStatus = objectRules<v1.ValidatingAdmissionPolicy>({
  status: members<v1.ValidatingAdmissionPolicyStatus>({
    typeChecking: members<v1.TypeChecking>({ expressionWarnings: each(expressionWarning) }),
    conditions,
  }),
});

function validateFieldRef(path: string, at: Path): FieldError[] {
  if (path === '') return [missing(at, '')];
  const problem = jsonPathProblem(`{${path}}`);
  return problem === null ? [] : [invalid(at, path, `invalid JSONPath: ${problem}`)];
}

const paramCell = (object: Policy): string =>
  memberAt(object, 'spec', 'paramKind') === undefined
    ? unset
    : `${textAt(object, 'spec', 'paramKind', 'apiVersion')}/${textAt(object, 'spec', 'paramKind', 'kind')}`;

export const validatingAdmissionPolicies: Kind<Validating> = {
  name: 'validatingadmissionpolicies.admissionregistration.k8s.io',
  metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['spec'] },
  defaults,
  validate: (policy) => validateValidating(policy, null),
  update: { unconditional: false, review: ['objectMeta', validateValidating] },
  // The only status that passes `forceAllowCreate` on (validatingadmissionpolicy/storage/storage.go).
  subresources: { status: { creates: 'apply', keepsMetadata: true, review: [validateStatus] } },
  warnings: reservedNameWarnings,
  cells: { Validations: countAt('spec.validations'), ParamKind: paramCell },
};

export const mutatingAdmissionPolicies: Kind<Mutating> = {
  name: 'mutatingadmissionpolicies.admissionregistration.k8s.io',
  metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['spec'] },
  defaults,
  validate: (policy) => validateMutating(policy, null),
  update: { unconditional: false, review: ['objectMeta', validateMutating] },
  warnings: reservedNameWarnings,
  cells: { Mutations: countAt('spec.mutations'), ParamKind: paramCell },
};
