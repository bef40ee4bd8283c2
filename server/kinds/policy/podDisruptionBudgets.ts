import { inOrder, type Found } from '../../registry/validation/ofEach.js';
import type { PodDisruptionBudget } from '../../../api/types/policy/v1.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf } from '../../../api/json/members.js';
import type { Conversion } from '../../registry/behaviour.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { atMostWhole, intOrPercent } from '../../registry/validation/intorpercent.js';
import { validateLabelSelector } from '../../registry/validation/labelselector.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { printedSelector } from '../../registry/validation/printed.js';
import { optionallyOneOf } from '../../registry/validation/values.js';
import { nonNegativeMembers } from '../apps/statusCounts.js';
import { at, numberAt } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const amounts = ['minAvailable', 'maxUnavailable'] as const;

function validateSpec(budget: Draft<PodDisruptionBudget>): Found {
  const spec = specOf(budget);
  const given = amounts.filter((member) => spec[member] !== undefined && spec[member] !== null);
  const selector = objectAt(spec, 'selector');
  return inOrder(
    given.length > 1 ? [invalid(specPath, printed(spec), 'minAvailable and maxUnavailable cannot be both set')] : [],
    given.flatMap((member) => [
      ...intOrPercent(spec[member], specPath.child(member)),
      ...atMostWhole(spec[member], specPath.child(member)),
    ]),
    selector === null ? [] : validateLabelSelector(selector, specPath.child('selector')),
    optionallyOneOf(spec.unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget'], specPath.child('unhealthyPodEvictionPolicy')),
  );
}

const printed = ({ minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy }: JsonObject): JsonObject => ({
  MinAvailable: minAvailable ?? null,
  Selector: printedSelector(selector),
  MaxUnavailable: maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
});

function validateStatus(budget: Draft<PodDisruptionBudget>): FieldError[] {
  const status = statusOf(budget);
  return [
    ...validateConditions(itemsOf(status.conditions), statusPath.child('conditions')),
    ...nonNegativeMembers(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'], statusPath),
  ];
}

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

export const podDisruptionBudgets: Kind<Draft<PodDisruptionBudget>> = {
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
