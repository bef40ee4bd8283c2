import * as enums from '../../../api/data/enums.js';
import {
  all,
  at,
  conditions,
  invalid,
  isSet,
  members,
  nonNegative,
  numberAt,
  objectAt,
  objectRules,
  oneOf,
  optional,
  pathSegmentName,
  printedAs,
  sameValue,
  validateLabelSelector,
  type ApiObject,
  type Draft,
  type FieldError,
  type JsonObject,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/policy/v1.js';
import type { Conversion } from '../../registry/behaviour.js';
import { atMostWhole, intOrPercent } from '../../registry/validation/intOrPercent.js';

type Spec = Writable<v1.PodDisruptionBudgetSpec> | null | undefined;

const amount = optional(intOrPercent, atMostWhole);
const spec = members<v1.PodDisruptionBudgetSpec>({
  minAvailable: amount,
  maxUnavailable: amount,
  selector: optional(validateLabelSelector),
  unhealthyPodEvictionPolicy: optional(oneOf(...enums.UnhealthyPodEvictionPolicyType)),
});
const validateSpec = objectRules<v1.PodDisruptionBudget>({ spec: all(oneAmount, spec) });

function oneAmount(spec: Spec, path: Path): FieldError[] {
  if (!isSet(spec?.minAvailable) || !isSet(spec?.maxUnavailable)) return [];
  return [invalid(path, printedAs('policy.v1.PodDisruptionBudgetSpec', spec), 'minAvailable and maxUnavailable cannot be both set')];
}

const validateStatus = objectRules<v1.PodDisruptionBudget>({
  status: members<v1.PodDisruptionBudgetStatus>({
    conditions,
    disruptionsAllowed: nonNegative,
    currentHealthy: nonNegative,
    desiredHealthy: nonNegative,
    expectedPods: nonNegative,
  }),
});

const selectsNone = { matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }] };
const selectsAll = { matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'DoesNotExist' }] };
const empty = {};

/** An empty selector matched no pods before `policy/v1`, and all since: the same pods stay selected. */
const withSelector =
  (meanings: readonly (readonly [from: JsonObject, to: JsonObject])[]) =>
  (budget: ApiObject): ApiObject => {
    const spec = objectAt(budget, 'spec');
    const meaning = meanings.find(([from]) => sameValue(spec?.['selector'] ?? null, from));
    return spec === null || meaning === undefined ? budget : { ...budget, spec: { ...spec, selector: structuredClone(meaning[1]) } };
  };

/** This version is no longer served, but stored by older releases. */
const emptySelectors: Conversion = {
  toStorage: withSelector([
    [empty, selectsNone],
    [selectsAll, empty],
  ]),
  fromStorage: withSelector([
    [selectsNone, empty],
    [empty, selectsAll],
  ]),
};

export const podDisruptionBudgets: Kind<Draft<v1.PodDisruptionBudget>> = {
  name: 'poddisruptionbudgets.policy',
  metadata: {
    // The reference checks a budget's name only generically: any path segment is valid.
    name: pathSegmentName,
    anyFinalizers: true,
    generationOf: ['spec'],
  },
  versions: { 'policy/v1beta1': { conversion: emptySelectors } },
  validate: validateSpec,
  create: {
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    prepare(budget) {
      budget.spec ??= {};
    },
  },
  update: {
    unconditional: false,
    review: [validateSpec],
  },
  subresources: {
    status: {
      review: [validateStatus],
    },
  },
  cells: {
    'Min Available': at('spec.minAvailable', 'N/A'),
    'Max Unavailable': at('spec.maxUnavailable', 'N/A'),
    'Allowed Disruptions': numberAt('status.disruptionsAllowed'),
  },
};
