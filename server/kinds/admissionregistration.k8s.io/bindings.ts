import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { itemsOf, textAt } from '../../registry/members.js';
import type { Strategy } from '../../registry/strategy.js';
import { duplicate, invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { setMatchDefaults, validateMatch, validateParamRef } from './matchResources.js';
import { validateMutatingOperations } from './rules.js';

const SPEC = Path.of('spec');
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const TWICE_TOLD =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

const specOf = (binding: ApiObject): JsonObject => objectAt(binding, 'spec') ?? {};

function validateCommon(spec: JsonObject): FieldError[] {
  const policy = textAt(spec, 'policyName');
  const match = objectAt(spec, 'matchResources');
  return [
    ...(policy === '' ? [required(SPEC.child('policyName'), '')] : dnsSubdomain(policy, SPEC.child('policyName'))),
    ...validateParamRef(objectAt(spec, 'paramRef'), SPEC.child('paramRef')),
    ...(match === null ? [] : validateMatch(match, SPEC.child('matchResources'))),
  ];
}

function validateActions(actions: readonly string[], path: Path): FieldError[] {
  if (actions.length === 0) return [required(path, 'at least one validation action is required')];
  return [
    ...actions.flatMap((action, position) => [
      ...(ACTIONS.includes(action) ? [] : [notSupported(path.index(position), action, ACTIONS)]),
      ...(actions.indexOf(action) < position ? [duplicate(path.index(position), action)] : []),
    ]),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalid(path, actions, TWICE_TOLD)] : []),
  ];
}

const validateValidating = (binding: ApiObject): FieldError[] => [
  ...validateCommon(specOf(binding)),
  ...validateActions(itemsOf(specOf(binding)['validationActions']).map(String), SPEC.child('validationActions')),
];

const validateMutating = (binding: ApiObject): FieldError[] => [
  ...validateCommon(specOf(binding)),
  ...validateMutatingOperations(
    objectsIn(objectAt(specOf(binding), 'matchResources') ?? {}, 'resourceRules'),
    SPEC.child('matchResources', 'resourceRules', 'operations'),
  ),
];

const bindingRules = (validate: (binding: ApiObject) => FieldError[]): Strategy => ({
  anyFinalizers: true,
  unconditionalUpdate: false,
  generationOf: ['spec'],
  setDefaults(binding) {
    setMatchDefaults(objectAt(specOf(binding), 'matchResources'));
  },
  validate,
  reviewUpdate: (binding, _old, metadata) => [...metadata.object(), ...validate(binding)],
});

export const validatingAdmissionPolicyBindings = bindingRules(validateValidating);
export const mutatingAdmissionPolicyBindings = bindingRules(validateMutating);
