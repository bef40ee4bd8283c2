import * as enums from '../../../api/data/enums.js';
import {
  all,
  at,
  distinct,
  dnsSubdomain,
  invalid,
  members,
  objectRules,
  oneOf,
  optional,
  required,
  requiredAs,
  specOf,
  unset,
  type Draft,
  type FieldError,
  type Kind,
  type ObjectRules,
  type Path,
} from '../language.js';
import type * as v1 from '../../../api/types/admissionregistration/v1.js';
import { shownSelector } from '../../../api/selectors.js';
import type { LabelSelector } from '../../../api/types/meta/v1.js';
import { matchResources, paramRef } from './matchResources.js';
import { mutatingOnly } from './rules.js';
import { reservedNameWarnings, unreservedName } from './reservedNames.js';

/** Both kinds; those of mutating policies lack only the actions. */
type Binding = Draft<v1.ValidatingAdmissionPolicyBinding>;

const repeatsFailure =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

const common = members<v1.ValidatingAdmissionPolicyBindingSpec>({
  policyName: required(dnsSubdomain),
  paramRef: optional(paramRef),
  matchResources: optional(matchResources),
});
const actions = members<v1.ValidatingAdmissionPolicyBindingSpec>({
  validationActions: requiredAs(
    'at least one validation action is required',
    distinct<string>(null, (once) => all(oneOf(...enums.ValidationAction), once)),
    notBoth,
  ),
});
const operations = members<v1.ValidatingAdmissionPolicyBindingSpec>({ matchResources: optional(mutatingOnly) });

function notBoth(actions: readonly string[], path: Path): FieldError[] {
  return actions.includes('Deny') && actions.includes('Warn') ? [invalid(path, actions, repeatsFailure)] : [];
}

const paramCell = (object: Binding): string => {
  const { paramRef: ref } = specOf(object);
  if ((ref?.name ?? '') !== '') return `${(ref?.namespace ?? '') || '*'}/${ref?.name}`;
  return ref?.selector ? shownSelector(ref.selector as LabelSelector) : unset;
};

const bindingKind = (name: string, validate: ObjectRules<v1.ValidatingAdmissionPolicyBinding>): Kind<Binding> => ({
  name: `${name}.admissionregistration.k8s.io`,
  metadata: { name: unreservedName, anyFinalizers: true, generationOf: ['spec'] },
  defaults: validate.defaults,
  validate,
  update: { unconditional: false, review: ['objectMeta', validate] },
  warnings: reservedNameWarnings,
  cells: { PolicyName: at('spec.policyName'), ParamRef: paramCell },
});

export const validatingAdmissionPolicyBindings = bindingKind(
  'validatingadmissionpolicybindings',
  objectRules<v1.ValidatingAdmissionPolicyBinding>({ spec: all(common, actions) }),
);
export const mutatingAdmissionPolicyBindings = bindingKind(
  'mutatingadmissionpolicybindings',
  objectRules<v1.ValidatingAdmissionPolicyBinding>({ spec: all(common, operations) }),
);
