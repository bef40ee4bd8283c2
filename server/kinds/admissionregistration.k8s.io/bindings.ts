import { inOrder, type Found } from '../../registry/validation/ofEach.js';
import type {
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
} from '../../../api/types/admissionregistration/v1.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { duplicate, invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { shownSelector } from '../../../api/selectors.js';
import type { LabelSelector } from '../../../api/types/meta/v1.js';
import { at, unset } from '../cells.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf } from '../parts.js';
import { setMatchDefaults, validateMatch, validateParamRef } from './matchResources.js';
import { validateMutatingOperations } from './rules.js';
import { reservedNameWarnings, unreservedName } from './reservedNames.js';
import { repeats } from '../../registry/validation/repeats.js';

/** Both kinds; those of mutating policies lack only the actions. */
type Binding = Draft<ValidatingAdmissionPolicyBinding>;
type BindingSpec = Writable<ValidatingAdmissionPolicyBindingSpec>;

const specPath = Path.of('spec');
const knownActions = ['Audit', 'Deny', 'Warn'];
const twiceTold =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

function validateCommon(spec: BindingSpec): Found {
  const policy = textAt(spec, 'policyName');
  const match = objectAt(spec, 'matchResources');
  return inOrder(
    policy === '' ? [required(specPath.child('policyName'), '')] : dnsSubdomain(policy, specPath.child('policyName')),
    validateParamRef(objectAt(spec, 'paramRef'), specPath.child('paramRef')),
    match === null ? [] : validateMatch(match, specPath.child('matchResources')),
  );
}

function validateActions(actions: readonly string[], path: Path): FieldError[] {
  if (actions.length === 0) return [required(path, 'at least one validation action is required')];
  const isRepeated = repeats(actions);
  return [
    ...actions.flatMap((action, position) => [
      ...(knownActions.includes(action) ? [] : [notSupported(path.index(position), action, knownActions)]),
      ...(isRepeated(position) ? [duplicate(path.index(position), action)] : []),
    ]),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalid(path, actions, twiceTold)] : []),
  ];
}

const validateValidating = (binding: Binding): Found =>
  inOrder(
    validateCommon(specOf(binding)),
    validateActions(itemsOf(specOf(binding).validationActions).map(String), specPath.child('validationActions')),
  );

const validateMutating = (binding: Binding): Found =>
  inOrder(
    validateCommon(specOf(binding)),
    validateMutatingOperations(
      objectsIn(objectAt(specOf(binding), 'matchResources') ?? {}, 'resourceRules'),
      specPath.child('matchResources', 'resourceRules', 'operations'),
    ),
  );

const paramRef = (object: Binding): string => {
  const { paramRef: ref } = specOf(object);
  if ((ref?.name ?? '') !== '') return `${(ref?.namespace ?? '') || '*'}/${ref?.name}`;
  return ref?.selector ? shownSelector(ref.selector as LabelSelector) : unset;
};

const bindingKind = (name: string, validate: (binding: Binding) => Found): Kind<Binding> => ({
  name: `${name}.admissionregistration.k8s.io`,
  metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['spec'] },
  defaults(binding) {
    setMatchDefaults(objectAt(specOf(binding), 'matchResources'));
  },
  validate,
  update: { unconditional: false, review: ['objectMeta', validate] },
  warnings: reservedNameWarnings,
  cells: { PolicyName: at('spec.policyName'), ParamRef: paramRef },
});

export const validatingAdmissionPolicyBindings = bindingKind('validatingadmissionpolicybindings', validateValidating);
export const mutatingAdmissionPolicyBindings = bindingKind('mutatingadmissionpolicybindings', validateMutating);
