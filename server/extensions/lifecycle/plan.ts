import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { approvalCondition } from './approval.js';
import { objectsIn } from '../../../api/json/defaulting.js';
import { membersOf } from '../../../api/json/members.js';
import type { LifeCycle, Names } from '../definition.js';
import { hasCondition, isTrue, says, withCondition, type Condition } from './conditions.js';
import { acceptedNames } from './names.js';
import { nonStructuralType } from './structuralCondition.js';

/** The changes to a definition's status. Pure. */
export interface StatusPlan {
  readonly names: Names;
  readonly conditions: readonly Condition[];
  /** Types of conditions to remove. */
  readonly without: readonly string[];
}

const establishedCondition: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const badBundle: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};
const notAccepted: Condition = { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };

const acceptedCondition: Condition = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };

/** Nothing is left to decide, whatever others do: the usual case. */
const isSettled = ({ requested, accepted, conditions }: LifeCycle, further: readonly Condition[], without: readonly string[]): boolean =>
  isTrue(conditions, 'Established') &&
  says(conditions, acceptedCondition) &&
  further.every((condition) => says(conditions, condition)) &&
  without.length === 0 &&
  isDeepStrictEqual(requested, accepted);

/**
 * Returns null when the status is right. An established definition stays established. A change of the specification alone writes no status, so that its client
 * may go on changing it.
 */
export function planStatus(own: LifeCycle, others: readonly LifeCycle[]): StatusPlan | null {
  const further = [approvalCondition(own), own.nonStructural].filter((condition) => condition !== null);
  const without = own.nonStructural === null && hasCondition(own.conditions, nonStructuralType) ? [nonStructuralType] : [];
  if (isSettled(own, further, without)) return null;
  const { names, conflict } = acceptedNames(own, others);
  const accepted: Condition = conflict === null ? acceptedCondition : { type: 'NamesAccepted', status: 'False', ...conflict };
  const next = conflict !== null ? notAccepted : own.hasBadBundle ? badBundle : establishedCondition;
  const established = isTrue(own.conditions, 'Established') ? [] : [next];
  const conditions = [accepted, ...established, ...further].filter((condition) => !says(own.conditions, condition));
  const nothing = conditions.length === 0 && without.length === 0 && isDeepStrictEqual(names, own.accepted);
  return nothing ? null : { names, conditions, without };
}

/** Applies the plan. `now` is RFC 3339 with seconds. */
export function withStatus(definition: ApiObject, { names, conditions, without }: StatusPlan, now: string): ApiObject {
  const status = membersOf(definition['status']);
  const before = objectsIn(status, 'conditions').filter(({ type }) => !without.includes(String(type)));
  const after = conditions.reduce((list, condition) => withCondition(list, condition, now), before);
  return {
    ...definition,
    status: {
      ...status,
      acceptedNames: namesObject(names),
      conditions: after,
    },
  };
}

const namesObject = ({ plural, singular, kind, listKind, shortNames, categories }: Names): JsonObject => ({
  plural,
  singular,
  ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
  kind,
  listKind,
  ...(categories.length === 0 ? {} : { categories: [...categories] }),
});
