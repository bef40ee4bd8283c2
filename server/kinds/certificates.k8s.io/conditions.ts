import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { ensureObject, objectsIn } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';
import { duplicate, forbidden, invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { statusOf } from '../parts.js';
import { firstPositions } from '../../registry/validation/repeats.js';

/** Conditions of a request: who may set them, and which are final. */

const conditionsPath = Path.of('status', 'conditions');
/** Decisions, made only through `approval`. */
const decisions = ['Approved', 'Denied'];
/** Conditions that are never removed. */
const final = [...decisions, 'Failed'];
const statuses = ['False', 'True', 'Unknown'];

export const conditionsOf = (request: ApiObject): JsonObject[] => objectsIn(statusOf(request), 'conditions');
const ofType = (request: ApiObject, type: string): JsonObject[] => conditionsOf(request).filter((condition) => condition['type'] === type);
const hasBoth = (request: ApiObject): boolean => decisions.every((type) => ofType(request, type).length > 0);

export function validateConditions(request: ApiObject, old: ApiObject | null): FieldError[] {
  const conditions = conditionsOf(request);
  const types = conditions.map((condition) => textAt(condition, 'type'));
  const before = old === null ? [] : conditionsOf(old).map((condition) => textAt(condition, 'type'));
  const mayRepeat = new Set(before).size < before.length;
  const mayContradict = old !== null && hasBoth(old);
  const [first, namelessBefore] = [firstPositions(types), before.includes('')];
  return conditions.flatMap((condition, position) => {
    const path = conditionsPath.index(position);
    const type = types[position] ?? '';
    const opposite = decisions.find((decision) => decision !== type && decisions.includes(type));
    const contradicts = opposite !== undefined && !mayContradict && (first.get(opposite) ?? position) < position;
    return [
      ...(type === '' && !namelessBefore ? [required(path.child('type'), '')] : []),
      ...validateStatus(textAt(condition, 'status'), final.includes(type) ? ['True'] : statuses, path.child('status')),
      ...(contradicts ? [invalid(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive')] : []),
      ...(first.get(type) !== position && !mayRepeat ? [duplicate(path.child('type'), type)] : []),
    ];
  });
}

const validateStatus = (status: string, allowed: readonly string[], path: Path): FieldError[] =>
  status === '' ? [required(path, '')] : allowed.includes(status) ? [] : [notSupported(path, status, allowed)];

/** Decisions are final; without `mayDecide` none may be added. */
export function validateKeptConditions(request: ApiObject, old: ApiObject, mayDecide: boolean): FieldError[] {
  const counts = (type: string): readonly [number, number] => [ofType(request, type).length, ofType(old, type).length];
  const removed = final
    .filter((type) => counts(type)[0] < counts(type)[1])
    .map((type) => forbidden(conditionsPath, `updates may not remove a condition of type "${type}"`));
  if (mayDecide) return removed;
  return [
    ...removed,
    ...decisions.flatMap((type) => {
      const [now, before] = counts(type);
      if (now > before) return [forbidden(conditionsPath, `updates may not add a condition of type "${type}"`)];
      return now === before && !sameValue(ofType(request, type), ofType(old, type))
        ? [forbidden(conditionsPath, `updates may not modify a condition of type "${type}"`)]
        : [];
    }),
  ];
}

const isZero = (time: JsonValue | undefined): boolean => time === undefined || time === null;

export function fillConditionTimes(request: ApiObject, old: ApiObject, now: string): void {
  const since = timesBefore(old);
  for (const condition of conditionsOf(request)) {
    if (isZero(condition['lastUpdateTime'])) condition['lastUpdateTime'] = now;
    if (!isZero(condition['lastTransitionTime'])) continue;
    condition['lastTransitionTime'] = since.get(stateOf(condition)) ?? now;
  }
}

const stateOf = (condition: JsonObject): string => JSON.stringify([condition['type'], condition['status']]);

/** Known transition times of earlier conditions. */
function timesBefore(request: ApiObject): ReadonlyMap<string, JsonValue> {
  const times = new Map<string, JsonValue>();
  for (const condition of conditionsOf(request)) {
    const time = condition['lastTransitionTime'];
    const state = stateOf(condition);
    if (time !== undefined && time !== null && !times.has(state)) times.set(state, time);
  }
  return times;
}

/** Clients lose members: while all decisions are present, the stored ones stay. */
export function keepDecisions(request: ApiObject, old: ApiObject): void {
  for (const type of decisions) {
    const before = ofType(old, type);
    if (ofType(request, type).length !== before.length) continue;
    let next = 0;
    const conditions = conditionsOf(request).map((condition) => (condition['type'] === type ? (before[next++] ?? condition) : condition));
    if (conditions.length > 0) ensureObject(request, 'status')['conditions'] = conditions;
  }
}
