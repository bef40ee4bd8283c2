import type * as v1 from '../../../api/types/certificates/v1.js';
import {
  duplicate,
  ensureObject,
  firstPositions,
  forbidden,
  invalid,
  isSet,
  itemsOf,
  missing,
  notSupported,
  Path,
  sameValue,
  type Draft,
  type FieldError,
  type Writable,
} from '../language.js';

type Request = Draft<v1.CertificateSigningRequest>;
type Condition = Writable<v1.CertificateSigningRequestCondition>;

const conditionsPath = Path.of('status', 'conditions');
/** Decisions, made only through `approval`. */
const decisions = ['Approved', 'Denied'];
/** Conditions that are never removed. */
const final = [...decisions, 'Failed'];
const statuses = ['False', 'True', 'Unknown'];

export const conditionsOf = ({ status }: Request): readonly Condition[] => itemsOf(status?.conditions);
const ofType = (request: Request, name: string): Condition[] => conditionsOf(request).filter(({ type }) => type === name);
const hasBoth = (request: Request): boolean => decisions.every((type) => ofType(request, type).length > 0);

export function validateConditions(request: Request, old: Request | null): FieldError[] {
  const conditions = conditionsOf(request);
  const types = conditions.map(({ type = '' }) => type);
  const before = old === null ? [] : conditionsOf(old).map(({ type = '' }) => type);
  const mayRepeat = new Set(before).size < before.length;
  const mayContradict = old !== null && hasBoth(old);
  const [first, namelessBefore] = [firstPositions(types), before.includes('')];
  return conditions.flatMap((condition, position) => {
    const path = conditionsPath.index(position);
    const type = types[position] ?? '';
    const opposite = decisions.find((decision) => decision !== type && decisions.includes(type));
    const contradicts = opposite !== undefined && !mayContradict && (first.get(opposite) ?? position) < position;
    return [
      ...(type === '' && !namelessBefore ? [missing(path.child('type'), '')] : []),
      ...validateStatus(condition.status ?? '', final.includes(type) ? ['True'] : statuses, path.child('status')),
      ...(contradicts ? [invalid(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive')] : []),
      ...(first.get(type) !== position && !mayRepeat ? [duplicate(path.child('type'), type)] : []),
    ];
  });
}

const validateStatus = (status: string, allowed: readonly string[], path: Path): FieldError[] =>
  status === '' ? [missing(path, '')] : allowed.includes(status) ? [] : [notSupported(path, status, allowed)];

/** Decisions are final; without `mayDecide` none may be added. */
export function validateKeptConditions(request: Request, old: Request, mayDecide: boolean): FieldError[] {
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

export function fillConditionTimes(request: Request, old: Request, now: string): void {
  const since = timesBefore(old);
  for (const condition of conditionsOf(request)) {
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= since.get(stateOf(condition)) ?? now;
  }
}

const stateOf = ({ type, status }: Condition): string => JSON.stringify([type, status]);

/** Known transition times of earlier conditions. */
function timesBefore(request: Request): ReadonlyMap<string, string> {
  const times = new Map<string, string>();
  for (const condition of conditionsOf(request)) {
    const [time, state] = [condition.lastTransitionTime, stateOf(condition)];
    if (isSet(time) && !times.has(state)) times.set(state, time);
  }
  return times;
}

/** Clients lose members: while all decisions are present, the stored ones stay. */
export function keepDecisions(request: Request, old: Request): void {
  for (const type of decisions) {
    const before = ofType(old, type);
    if (ofType(request, type).length !== before.length) continue;
    let next = 0;
    const conditions = conditionsOf(request).map((condition) => (condition.type === type ? (before[next++] ?? condition) : condition));
    if (conditions.length > 0) ensureObject(request, 'status').conditions = conditions;
  }
}
