import type { ApiObject, JsonObject } from '../../../api/object.js';
import { sameValue } from '../../../registry/equality.js';
import { objectAt, objectsIn } from '../../../registry/defaulting.js';
import { isSet, itemsOf, textAt } from '../../../registry/members.js';
import { duplicate, invalid, Path, required, type FieldError } from '../../../registry/validation/field.js';
import { nonNegativeMembers } from '../../apps/statusCounts.js';
import { parseIndexes } from './indexes.js';

/** Rules of a job's status. Most look at a member only when it changes, so that what older controllers wrote stays writable. */

const statusPath = Path.of('status');
const conditions = statusPath.child('conditions');
const terminal = ['Failed', 'Complete', 'FailureTarget', 'SuccessCriteriaMet'];

const statusOf = (job: ApiObject): JsonObject => objectAt(job, 'status') ?? {};
const isTrue = (status: JsonObject, type: string): boolean =>
  objectsIn(status, 'conditions').some((each) => each['type'] === type && each['status'] === 'True');
const isFinished = (status: JsonObject): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed');
const wrong = (path: Path, why: string): FieldError => ({
  type: 'FieldValueInvalid',
  path: path.toString(),
  message: `Invalid value: ${why}`,
});

/** All findings about a new status, beyond its metadata. */
export function validateJobStatus(job: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [statusOf(job), statusOf(old)];
  const changed = (member: string): boolean => !sameValue(status[member] ?? null, before[member] ?? null);
  return [
    ...nonNegativeMembers(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], statusPath),
    ...validateUncounted(objectAt(status, 'uncountedTerminatedPods') ?? {}),
    ...validateConditions(status, before),
    ...validateTimes(status, before, changed),
    ...validateFinished(status, before, changed),
    ...validateIndexes(status, objectAt(job, 'spec') ?? {}, changed),
    ...(changed('ready') && Number(status['ready'] ?? 0) > Number(status['active'] ?? 0)
      ? [invalid(statusPath.child('ready'), status['ready'], 'cannot set more ready pods than active')]
      : []),
    ...validateTransition(job, old),
  ];
}

function validateUncounted(uncounted: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((list) =>
    itemsOf(uncounted[list]).flatMap((uid, position) => {
      const path = statusPath.child('uncountedTerminatedPods', list).index(position);
      const repeated = seen.has(String(uid));
      seen.add(String(uid));
      return uid === '' ? [invalid(path, uid, 'must not be empty')] : repeated ? [duplicate(path, uid)] : [];
    }),
  );
}

function validateConditions(status: JsonObject, before: JsonObject): FieldError[] {
  const turned = (...types: readonly string[]): boolean => types.some((type) => isTrue(status, type) !== isTrue(before, type));
  const [complete, failed] = [isTrue(status, 'Complete'), isTrue(status, 'Failed')];
  return [
    ...(turned('Complete', 'Failed') && complete && failed
      ? [wrong(conditions, 'cannot set Complete=True and Failed=true conditions')]
      : []),
    ...(turned('Complete', 'FailureTarget') && complete && isTrue(status, 'FailureTarget')
      ? [wrong(conditions, 'cannot set Complete=True and FailureTarget=true conditions')]
      : []),
    ...(turned('Failed', 'FailureTarget') && failed && !isTrue(status, 'FailureTarget')
      ? [wrong(conditions, 'cannot set Failed=True condition without the FailureTarget=true condition')]
      : []),
    ...(turned('Complete', 'SuccessCriteriaMet') && complete && !isTrue(status, 'SuccessCriteriaMet')
      ? [wrong(conditions, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition')]
      : []),
  ];
}

type Changed = (member: string) => boolean;

function validateTimes(status: JsonObject, before: JsonObject, changed: Changed): FieldError[] {
  const [start, end] = [status['startTime'], status['completionTime']];
  const path = statusPath.child('completionTime');
  const complete = isTrue(status, 'Complete');
  const completes = complete !== isTrue(before, 'Complete');
  return [
    ...(changed('completionTime') && isSet(end) && !complete
      ? [invalid(path, end, 'cannot set completionTime when there is no Complete=True condition')]
      : []),
    ...(completes && complete && !isSet(end) ? [required(path, 'completionTime is required for Complete jobs')] : []),
    ...((changed('completionTime') || changed('startTime')) &&
    isSet(start) &&
    isSet(end) &&
    Date.parse(String(end)) < Date.parse(String(start))
      ? [invalid(path, end, 'completionTime cannot be set before startTime')]
      : []),
  ];
}

/** A job that has finished has neither pods at work nor pods to count. */
function validateFinished(status: JsonObject, before: JsonObject, changed: Changed): FieldError[] {
  if (!isFinished(status)) return [];
  const ends = !isFinished(before);
  const uncounted = objectAt(status, 'uncountedTerminatedPods');
  const counts = ['active', 'terminating'].filter((member) => (ends || changed(member)) && Number(status[member] ?? 0) > 0);
  const left = uncounted !== null && ['succeeded', 'failed'].some((list) => itemsOf(uncounted[list]).length > 0);
  return [
    ...counts.map((member) => invalid(statusPath.child(member), status[member], `${member}>0 is invalid for finished job`)),
    ...((ends || changed('startTime')) && !isSet(status['startTime'])
      ? [required(statusPath.child('startTime'), 'startTime is required for finished job')]
      : []),
    ...((ends || changed('uncountedTerminatedPods')) && left
      ? [invalid(statusPath.child('uncountedTerminatedPods'), uncounted, 'uncountedTerminatedPods needs to be empty for finished job')]
      : []),
  ];
}

function validateIndexes(status: JsonObject, spec: JsonObject, changed: Changed): FieldError[] {
  const completions = Number(spec['completions'] ?? 0);
  const indexed = spec['completionMode'] === 'Indexed';
  const [completed, failed] = [textAt(status, 'completedIndexes'), textAt(status, 'failedIndexes')];
  const parsed = (['completedIndexes', 'failedIndexes'] as const).map((member) => ({
    member,
    indexes: parseIndexes(textAt(status, member), completions),
  }));
  const broken = indexed ? parsed.filter(({ member, indexes }) => changed(member) && !indexes.ok) : [];
  return [
    ...broken.map(({ member, indexes }) =>
      invalid(statusPath.child(member), status[member], `error parsing ${member}: ${indexes.ok ? '' : indexes.message}`),
    ),
    ...(changed('completedIndexes') && !indexed && completed !== ''
      ? [invalid(statusPath.child('completedIndexes'), completed, 'cannot set non-empty completedIndexes when non-indexed completion mode')]
      : []),
    ...(changed('failedIndexes') && !isSet(spec['backoffLimitPerIndex']) && isSet(status['failedIndexes'])
      ? [invalid(statusPath.child('failedIndexes'), failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null')]
      : []),
    ...(broken.length === 0 && (changed('failedIndexes') || changed('completedIndexes'))
      ? validateOverlap(
          failed,
          parsed.map(({ indexes }) => indexes),
        )
      : []),
  ];
}

function validateOverlap(failed: string, [completed, failures]: readonly ReturnType<typeof parseIndexes>[]): FieldError[] {
  if (completed?.ok !== true || failures?.ok !== true) return [];
  for (const [first, last] of failures.intervals) {
    const other = completed.intervals.find(([from, to]) => from <= last && first <= to);
    if (other !== undefined)
      return [
        invalid(
          statusPath.child('failedIndexes'),
          failed,
          `failedIndexes and completedIndexes overlap at index: ${Math.max(first, other[0])}`,
        ),
      ];
  }
  return [];
}

/** What is final, and what only grows. */
function validateTransition(job: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [statusOf(job), statusOf(old)];
  const suspended = objectAt(job, 'spec')?.['suspend'] === true;
  const [start, wasStart] = [status['startTime'], before['startTime']];
  const restarts = !suspended && isSet(wasStart) && !sameValue(start ?? null, wasStart);
  return [
    ...terminal
      .filter((type) => isTrue(before, type) && !isTrue(status, type))
      .map((type) => wrong(conditions, `cannot disable the terminal ${type}=True condition`)),
    ...['failed', 'succeeded']
      .filter((member) => Number(status[member] ?? 0) < Number(before[member] ?? 0))
      .map((member) => invalid(statusPath.child(member), status[member] ?? 0, `cannot decrease the ${member} counter`)),
    ...(isSet(before['completionTime']) && !sameValue(status['completionTime'] ?? null, before['completionTime'])
      ? [invalid(statusPath.child('completionTime'), status['completionTime'], 'field is immutable')]
      : []),
    ...(restarts
      ? [
          isSet(start)
            ? invalid(statusPath.child('startTime'), start, 'startTime cannot be changed for unsuspended job')
            : required(statusPath.child('startTime'), 'startTime cannot be removed for unsuspended job'),
        ]
      : []),
  ];
}
