import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { approvalCondition, approvalType } from './approval.js';
import { membersOf } from '../../../api/json/members.js';
import type { LifeCycle, Names } from '../definition.js';
import { isTrue, says, withCondition, type Condition } from './conditions.js';
import { acceptedNames } from './names.js';

/** What has to change in the status of a definition. Pure. */
export interface StatusPlan {
  readonly names: Names;
  readonly conditions: readonly Condition[];
  /** The generation that all of it is about, where the status is to say so. */
  readonly generation: number | null;
}

export interface PlanOptions {
  /** Whether the status says which generation of the definition it is about (feature CRDObservedGenerationTracking). */
  readonly tracksGenerations: boolean;
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

/** Whether nothing is left to decide, whatever the others do: nearly all definitions nearly always. */
const isSettled = ({ requested, accepted, conditions }: LifeCycle, approval: Condition | null): boolean =>
  isTrue(conditions, 'Established') &&
  says(conditions, acceptedCondition) &&
  (approval === null || says(conditions, approval)) &&
  isDeepStrictEqual(requested, accepted);

/** Null when the status is as it should be. Once a definition is established, it stays so whatever becomes of names that it asks for later. */
export function planStatus(own: LifeCycle, others: readonly LifeCycle[], { tracksGenerations }: PlanOptions): StatusPlan | null {
  const approval = approvalCondition(own);
  const isAboutOther = tracksGenerations && own.observedGeneration !== own.generation;
  if (!isAboutOther && isSettled(own, approval)) return null;
  const { names, conflict } = acceptedNames(own, others);
  const accepted: Condition = conflict === null ? acceptedCondition : { type: 'NamesAccepted', status: 'False', ...conflict };
  const next = conflict !== null ? notAccepted : own.hasBadBundle ? badBundle : establishedCondition;
  const established = isTrue(own.conditions, 'Established') ? [] : [next];
  const conditions = [accepted, ...established, ...(approval === null ? [] : [approval])].filter(
    (condition) => !says(own.conditions, condition),
  );
  const nothing = conditions.length === 0 && !isAboutOther && isDeepStrictEqual(names, own.accepted);
  return nothing ? null : { names, conditions, generation: tracksGenerations ? own.generation : null };
}

/** The definition with its status as planned. `now` is RFC 3339 with seconds. */
export function withStatus(definition: ApiObject, { names, conditions, generation }: StatusPlan, now: string): ApiObject {
  const status = membersOf(definition['status']);
  const before = Array.isArray(status['conditions']) ? (status['conditions'] as JsonObject[]) : [];
  const after = conditions.reduce((list, condition) => withCondition(list, condition, now), before);
  return {
    ...definition,
    status: {
      ...status,
      acceptedNames: namesObject(names),
      conditions: generation === null ? after : after.map((condition) => about(condition, generation)),
      ...(generation === null ? {} : { observedGeneration: generation }),
    },
  };
}

/** The conditions that are decided here: they hold for the definition as it is now. What others say is theirs to judge again. */
const ownTypes: ReadonlySet<unknown> = new Set([acceptedCondition.type, establishedCondition.type, approvalType]);

const about = (condition: JsonObject, generation: number): JsonObject =>
  ownTypes.has(condition['type']) ? { ...condition, observedGeneration: generation } : condition;

const namesObject = ({ plural, singular, kind, listKind, shortNames, categories }: Names): JsonObject => ({
  plural,
  singular,
  ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
  kind,
  listKind,
  ...(categories.length === 0 ? {} : { categories: [...categories] }),
});
