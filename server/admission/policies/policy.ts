import type { ApiObject, JsonObject } from '../../../api/object.js';
import { labelSelectorOf, type LabelSelector, type LabelSelectorObject } from '../../../api/selectors/index.js';
import type { Variable } from '../../../cel/admission.js';
import { compileAdmission, compileMatchConditions, type Compiled, type MatchConditions } from '../../../cel/matchConditions.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { matchTermsOf, type MatchTerms } from '../matching/match.js';
import { ruleOf } from '../matching/rules.js';

/** Stored policies and bindings, parsed and compiled once. */

export interface Criteria {
  readonly terms: MatchTerms;
  /** Exclusions, which ignore selectors. */
  readonly excluded: Pick<MatchTerms, 'rules' | 'equivalent'>;
}

export interface Policy {
  readonly name: string;
  readonly criteria: Criteria;
  readonly conditions: MatchConditions;
  readonly variables: readonly Variable[];
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | null;
  /** A failed evaluation does not refuse the request (`failurePolicy: Ignore`). */
  readonly ignoresFailures: boolean;
}

export interface Validation {
  readonly test: Compiled;
  readonly message: string;
  readonly messages: Compiled | null;
  readonly reason: string;
}

export interface ValidatingPolicy extends Policy {
  readonly validations: readonly Validation[];
  readonly annotations: readonly { readonly key: string; readonly value: Compiled }[];
}

export interface MutatingPolicy extends Policy {
  readonly mutations: readonly { readonly patchType: string; readonly patch: Compiled }[];
  /** Runs again after later changes (`reinvocationPolicy: IfNeeded`). */
  readonly reinvoked: boolean;
}

export interface ParamRef {
  readonly name: string;
  readonly namespace: string;
  readonly selector: LabelSelector | null;
  readonly deniesAbsence: boolean;
}

export interface Binding {
  readonly name: string;
  readonly policy: string;
  /** Null for all requests that the policy matches. */
  readonly criteria: Criteria | null;
  readonly paramRef: ParamRef | null;
  /** `Deny`, `Warn`, `Audit`. */
  readonly actions: readonly string[];
}

const anyRequest = ruleOf({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] });

function criteriaOf(holder: JsonObject): Criteria {
  const terms = matchTermsOf(holder, 'resourceRules');
  return {
    terms: terms.rules.length === 0 ? { ...terms, rules: [anyRequest] } : terms,
    excluded: matchTermsOf(holder, 'excludeResourceRules'),
  };
}

function policyOf(policy: ApiObject, spec: JsonObject): Policy {
  const kind = objectAt(spec, 'paramKind');
  return {
    name: policy.metadata.name ?? '',
    criteria: criteriaOf(objectAt(spec, 'matchConstraints') ?? {}),
    conditions: compileMatchConditions(
      objectsIn(spec, 'matchConditions').map((condition) => ({
        name: textAt(condition, 'name'),
        expression: textAt(condition, 'expression'),
      })),
    ),
    variables: objectsIn(spec, 'variables').map((variable) => ({
      name: textAt(variable, 'name'),
      program: compileAdmission(textAt(variable, 'expression')).program,
    })),
    paramKind: kind === null ? null : { apiVersion: textAt(kind, 'apiVersion'), kind: textAt(kind, 'kind') },
    ignoresFailures: spec['failurePolicy'] === 'Ignore',
  };
}

const optional = (expression: string): Compiled | null => (expression.trim() === '' ? null : compileAdmission(expression));

export function validatingPolicyOf(policy: ApiObject): ValidatingPolicy {
  const spec = objectAt(policy, 'spec') ?? {};
  return {
    ...policyOf(policy, spec),
    validations: objectsIn(spec, 'validations').map((validation) => ({
      test: compileAdmission(textAt(validation, 'expression')),
      message: textAt(validation, 'message').trim(),
      messages: optional(textAt(validation, 'messageExpression')),
      reason: textAt(validation, 'reason'),
    })),
    annotations: objectsIn(spec, 'auditAnnotations').map((annotation) => ({
      key: textAt(annotation, 'key'),
      value: compileAdmission(textAt(annotation, 'valueExpression')),
    })),
  };
}

const patches: Readonly<Record<string, string>> = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' };

export function mutatingPolicyOf(policy: ApiObject): MutatingPolicy {
  const spec = objectAt(policy, 'spec') ?? {};
  return {
    ...policyOf(policy, spec),
    reinvoked: spec['reinvocationPolicy'] === 'IfNeeded',
    mutations: objectsIn(spec, 'mutations').map((mutation) => {
      const patchType = textAt(mutation, 'patchType');
      return { patchType, patch: compileAdmission(textAt(objectAt(mutation, patches[patchType] ?? '') ?? {}, 'expression')) };
    }),
  };
}

export function bindingOf(binding: ApiObject): Binding {
  const spec = objectAt(binding, 'spec') ?? {};
  const match = objectAt(spec, 'matchResources');
  const ref = objectAt(spec, 'paramRef');
  return {
    name: binding.metadata.name ?? '',
    policy: textAt(spec, 'policyName'),
    criteria: match === null ? null : criteriaOf(match),
    paramRef: ref === null ? null : paramRefOf(ref),
    actions: itemsOf(spec['validationActions']).map(String),
  };
}

function paramRefOf(ref: JsonObject): ParamRef {
  const selector = objectAt(ref, 'selector');
  const parsed = selector === null ? null : labelSelectorOf(selector as LabelSelectorObject);
  if (parsed?.ok === false) throw new Error(`broken invariant: stored selector: ${parsed.message}`);
  return {
    name: textAt(ref, 'name'),
    namespace: textAt(ref, 'namespace'),
    selector: parsed?.selector ?? null,
    deniesAbsence: ref['parameterNotFoundAction'] === 'Deny',
  };
}
