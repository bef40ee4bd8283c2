import type { JsonObject } from '../../../api/object.js';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

const conditionOf = (conditions: readonly JsonObject[], type: string): JsonObject | undefined =>
  conditions.find((condition) => condition['type'] === type);

export const hasCondition = (conditions: readonly JsonObject[], type: string): boolean => conditionOf(conditions, type) !== undefined;

export const isTrue = (conditions: readonly JsonObject[], type: string): boolean => conditionOf(conditions, type)?.['status'] === 'True';

/** Replaces a condition; its time changes only with its status. New ones come last. `now` is RFC 3339 with seconds. */
export function withCondition(conditions: readonly JsonObject[], condition: Condition, now: string): JsonObject[] {
  const before = conditionOf(conditions, condition.type);
  const time = before !== undefined && before['status'] === condition.status ? (before['lastTransitionTime'] ?? now) : now;
  const { type, status, reason, message } = condition;
  const next: JsonObject = { lastTransitionTime: time, message, reason, status, type };
  return before === undefined ? [...conditions, next] : conditions.map((each) => (each === before ? next : each));
}

/** Reports whether the condition is already present. */
export function says(conditions: readonly JsonObject[], { type, status, reason, message }: Condition): boolean {
  const present = conditionOf(conditions, type);
  return present !== undefined && present['status'] === status && present['reason'] === reason && present['message'] === message;
}
