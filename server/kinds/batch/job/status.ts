import type * as v1 from '../../../../api/types/batch/v1.js';
import {
  duplicate,
  inOrder,
  invalid,
  invalidUnquoted,
  isSet,
  itemsOf,
  members,
  missing,
  nonNegative,
  optional,
  Path,
  printedAs,
  sameValue,
  specOf,
  statusOf,
  textAt,
  type Draft,
  type FieldError,
  type Found,
  type Writable,
} from '../../language.js';
import { overlapOf, parseIndexes } from './indexes.js';

/** Most rules check a member only when it changes, so that statuses of older controllers stay writable. */

const statusPath = Path.of('status');
const conditionsPath = statusPath.child('conditions');

type Spec = Writable<v1.JobSpec>;
type Status = Writable<v1.JobStatus>;

const isTrue = (status: Status, type: string): boolean =>
  itemsOf(status.conditions).some((each) => each.type === type && each.status === 'True');
const isFinished = (status: Status): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed');

interface Write {
  readonly spec: Spec;
  readonly status: Status;
  readonly before: Status;
  readonly changed: (...members: readonly (keyof Status)[]) => boolean;
  readonly turned: (...types: readonly string[]) => boolean;
}

const count = optional(nonNegative);
const counts = members<v1.JobStatus>({ active: count, succeeded: count, failed: count, ready: count, terminating: count });

export function validateJobStatus(job: Draft<v1.Job>, old: Draft<v1.Job>): Found {
  const [status, before] = [statusOf(job), statusOf(old)];
  const write: Write = {
    spec: specOf(job),
    status,
    before,
    changed: (...members) => members.some((member) => !sameValue(status[member] ?? null, before[member] ?? null)),
    turned: (...types) => types.some((type) => isTrue(status, type) !== isTrue(before, type)),
  };
  return inOrder(
    counts(status, statusPath, job),
    validateUncounted(status.uncountedTerminatedPods ?? {}),
    validateOutcome(write),
    validateFinished(write),
    validateIndexes(write),
    validateCounts(write),
    validateSuccess(write),
    validateTransition(write),
  );
}

function validateUncounted(uncounted: NonNullable<Status['uncountedTerminatedPods']>): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    itemsOf(uncounted[list]).flatMap((uid, position) => {
      const path = statusPath.child('uncountedTerminatedPods', list).index(position);
      const repeated = seen.has(String(uid));
      seen.add(String(uid));
      return uid === '' ? [invalid(path, uid, 'must not be empty')] : repeated ? [duplicate(path, uid)] : [];
    }),
  );
}

function validateOutcome({ status, changed, turned }: Write): FieldError[] {
  const [start, end] = [status.startTime, status.completionTime];
  const path = statusPath.child('completionTime');
  const [complete, failed] = [isTrue(status, 'Complete'), isTrue(status, 'Failed')];
  const completes = turned('Complete') || changed('completionTime');
  const reversed = isSet(start) && isSet(end) && Date.parse(String(end)) < Date.parse(String(start));
  return [
    ...(turned('Complete', 'Failed') && complete && failed
      ? [invalidUnquoted(conditionsPath, 'cannot set Complete=True and Failed=true conditions')]
      : []),
    ...(turned('Complete', 'FailureTarget') && complete && isTrue(status, 'FailureTarget')
      ? [invalidUnquoted(conditionsPath, 'cannot set Complete=True and FailureTarget=true conditions')]
      : []),
    ...(completes && isSet(end) && !complete
      ? [invalid(path, end, 'cannot set completionTime when there is no Complete=True condition')]
      : []),
    ...(completes && complete && !isSet(end) ? [missing(path, 'completionTime is required for Complete jobs')] : []),
    ...(changed('completionTime', 'startTime') && reversed ? [invalid(path, end, 'must be equal to or after `startTime`')] : []),
    ...(turned('Failed', 'FailureTarget') && failed && !isTrue(status, 'FailureTarget')
      ? [invalidUnquoted(conditionsPath, 'cannot set Failed=True condition without the FailureTarget=true condition')]
      : []),
    ...(turned('Complete', 'SuccessCriteriaMet') && complete && !isTrue(status, 'SuccessCriteriaMet')
      ? [invalidUnquoted(conditionsPath, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition')]
      : []),
  ];
}

/** A finished job has neither active nor uncounted pods. */
function validateFinished({ spec, status, before, changed }: Write): FieldError[] {
  if (!isFinished(status)) return [];
  const ends = !isFinished(before);
  const uncounted = status.uncountedTerminatedPods ?? null;
  const left = uncounted !== null && [uncounted.succeeded, uncounted.failed].some((list) => itemsOf(list).length > 0);
  // A suspended job of no completions finishes without a start.
  const neverStarts = spec.suspend === true && spec.completions === 0;
  return [
    ...((ends || changed('active')) && (status.active ?? 0) > 0
      ? [invalid(statusPath.child('active'), status.active, 'active>0 is invalid for finished job')]
      : []),
    ...((ends || changed('startTime')) && !isSet(status.startTime) && !neverStarts
      ? [missing(statusPath.child('startTime'), 'startTime is required for finished job')]
      : []),
    ...((ends || changed('uncountedTerminatedPods')) && left
      ? [
          invalid(
            statusPath.child('uncountedTerminatedPods'),
            printedAs('batch.v1.UncountedTerminatedPods', uncounted),
            'must be empty for finished job',
          ),
        ]
      : []),
  ];
}

function validateIndexes({ spec, status, changed }: Write): FieldError[] {
  const completions = isSet(spec.completions) ? (spec.completions ?? 0) : null;
  const perIndex = isSet(spec.backoffLimitPerIndex);
  const indexed = spec.completionMode === 'Indexed';
  const [completed, failed] = [status.completedIndexes ?? '', status.failedIndexes ?? ''];
  const [completedPath, failedPath] = [statusPath.child('completedIndexes'), statusPath.child('failedIndexes')];
  const malformed = (member: 'completedIndexes' | 'failedIndexes'): FieldError[] => {
    const indexes = parseIndexes(textAt(status, member), completions ?? 0);
    return indexes.ok ? [] : [invalid(statusPath.child(member), status[member], `error parsing ${member}: ${indexes.message}`)];
  };
  const overlap = completions === null || !isSet(status.failedIndexes) ? null : overlapOf(completed, failed, completions);
  return [
    ...(changed('completedIndexes') && completions !== null ? malformed('completedIndexes') : []),
    ...(changed('failedIndexes') && completions !== null && perIndex && isSet(status.failedIndexes) ? malformed('failedIndexes') : []),
    ...(changed('completedIndexes') && !indexed && completed !== ''
      ? [invalid(completedPath, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode')]
      : []),
    ...(changed('failedIndexes') && !perIndex && isSet(status.failedIndexes)
      ? [invalid(failedPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null')]
      : []),
    ...(changed('failedIndexes', 'completedIndexes') && overlap !== null
      ? [invalid(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${overlap}`)]
      : []),
  ];
}

function validateCounts({ status, before, changed }: Write): FieldError[] {
  const ends = isFinished(status) && !isFinished(before);
  return [
    ...(isFinished(status) && (ends || changed('terminating')) && (status.terminating ?? 0) > 0
      ? [invalid(statusPath.child('terminating'), status.terminating, 'terminating>0 is invalid for finished job')]
      : []),
    ...(changed('ready', 'active') && isSet(status.ready) && (status.ready ?? 0) > (status.active ?? 0)
      ? [invalid(statusPath.child('ready'), status.ready, 'cannot set more ready pods than active')]
      : []),
  ];
}

/** Checks early success, whether or not it changes. */
function validateSuccess({ spec, status }: Write): FieldError[] {
  const met = isTrue(status, 'SuccessCriteriaMet');
  return [
    ...(met && isTrue(status, 'Failed')
      ? [invalidUnquoted(conditionsPath, 'cannot set SuccessCriteriaMet=True and Failed=true conditions')]
      : []),
    ...(met && isTrue(status, 'FailureTarget')
      ? [invalidUnquoted(conditionsPath, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')]
      : []),
    ...(isSet(spec.successPolicy) && !met && isTrue(status, 'Complete')
      ? [invalidUnquoted(conditionsPath, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')]
      : []),
  ];
}

function validateTransition({ spec, status, before, changed }: Write): FieldError[] {
  const shrinks = spec.completionMode === 'Indexed' && sameValue(spec.completions ?? null, spec.parallelism ?? null);
  const counters: readonly ('failed' | 'succeeded')[] = shrinks ? ['failed'] : ['failed', 'succeeded'];
  const end = status.completionTime;
  const ceases = (type: string): boolean => isTrue(before, type) && !isTrue(status, type);
  const resumes =
    isTrue(before, 'Suspended') && itemsOf(status.conditions).some((each) => each.type === 'Suspended' && each.status === 'False');
  return [
    ...['Failed', 'Complete', 'FailureTarget']
      .filter(ceases)
      .map((type) => invalidUnquoted(conditionsPath, `cannot disable the terminal ${type}=True condition`)),
    ...counters
      .filter((member) => (status[member] ?? 0) < (before[member] ?? 0))
      .map((member) => invalid(statusPath.child(member), status[member] ?? 0, `cannot decrease the ${member} counter`)),
    ...(isSet(end) && isSet(before.completionTime) && changed('completionTime')
      ? [invalid(statusPath.child('completionTime'), end, 'field is immutable')]
      : []),
    ...(isSet(before.startTime) && changed('startTime') && spec.suspend !== true && !resumes
      ? [invalid(statusPath.child('startTime'), status.startTime ?? null, 'field is immutable for unsuspended job once set')]
      : []),
    ...(ceases('SuccessCriteriaMet') ? [invalidUnquoted(conditionsPath, 'cannot disable the SuccessCriteriaMet=True condition')] : []),
    ...(isTrue(before, 'Complete') && !isTrue(before, 'SuccessCriteriaMet') && isTrue(status, 'SuccessCriteriaMet')
      ? [invalidUnquoted(conditionsPath, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions')]
      : []),
  ];
}
