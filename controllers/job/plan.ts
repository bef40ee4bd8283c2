import { isTerminating, uidOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import type { Job, JobStatus } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import type { Backoff } from './backoff.js';
import { ensured } from './conditions.js';
import { count, hasUncounted, settle } from './counting.js';
import type { Facts } from './facts.js';
import { isEnding, isSuspended, isTracked } from './podOutcome.js';
import { sizing, type PodOrder } from './sizing.js';
import { completion, deadlineMs, finalType, interimType, verdictOf, type Verdict } from './verdict.js';
import type { NextSync } from '../workloads/nextSync.js';

/**
 * Decides on a Job in three steps: `plan` for its pods, `accountOf` for the status after that, `closing` for the status once counted pods are released. All
 * pure.
 */
export interface Observed {
  readonly facts: Facts;
  /** Includes the failures in the facts. */
  readonly backoff: Backoff;
  /** True when the cache shows all pods created and deleted here. */
  readonly settled: boolean;
  readonly now: number;
}

export type PodStep =
  | { readonly do: 'nothing' }
  /** Deletes pods because the Job ends. They keep their finalizers and count as failed. */
  | { readonly do: 'end'; readonly pods: readonly Pod[] }
  | { readonly do: 'delete'; readonly pods: readonly Pod[] }
  | { readonly do: 'create'; readonly orders: readonly PodOrder[] };

export interface Plan extends NextSync {
  /** Why the Job ends early; null if it continues. */
  readonly verdict: Verdict | null;
  /** A status to write before any pod is deleted: after a conflict or a restart, the next sync must not count these pods as failures. Null for none. */
  readonly decision: JobStatus | null;
  readonly pods: PodStep;
}

export interface Tally {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

export interface JobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface Account {
  readonly status: JobStatus;
  /** Recorded once the status is written. */
  readonly events: readonly JobEvent[];
  readonly free: readonly Pod[];
  /** The Job's result, delayed only by terminating or uncounted pods. */
  readonly verdict: Verdict | null;
  /** True when pods are left to count in another sync. */
  readonly partial: boolean;
}

/** `status` is the stored one, without the facts' additions. */
export function plan({ facts, backoff, settled, now }: Observed, status: JobStatus): Plan {
  const { job, active } = facts;
  const verdict = verdictOf(facts, now);
  const deadline = deadlineMs(job, now);
  if (verdict) {
    const decision = active.length > 0 && !isEnding(job) ? { ...status, ...interim(status, verdict, now) } : null;
    return { verdict, decision, pods: { do: 'end', pods: active }, againAfterMs: deadline };
  }
  const sized = settled && !isTerminating(job) ? sizing(facts, backoff, now) : ({ do: 'nothing' } as const);
  const idle = { verdict, decision: null };
  switch (sized.do) {
    case 'wait':
      return { ...idle, pods: { do: 'nothing' }, againAfterMs: earlier(deadline, sized.ms) };
    case 'create':
      return { ...idle, pods: { do: 'create', orders: sized.orders }, againAfterMs: earlier(deadline, sized.againAfterMs) };
    default:
      return { ...idle, pods: sized, againAfterMs: deadline };
  }
}

export function accountOf({ facts, settled, now }: Observed, steps: Plan, left: Tally): Account {
  const { job } = facts;
  const completed = steps.verdict ? null : completion(job, facts.succeeded, left.active);
  // Pods not reached or seen yet could still be counted differently.
  const verdict = left.active > 0 || !settled ? completed : (steps.verdict ?? completed);
  const goesOn = !steps.verdict && !completed && settled && !isTerminating(job);
  const { status: slept, events } = goesOn ? withSuspension(job, now) : { status: job.status ?? {}, events: [] };
  const counted = count({ ...facts, job: { ...job, status: slept } }, verdict && (verdict.succeeds ? 'success' : 'failure'));
  const { active, ready, terminating } = left;
  const status = { ...counted.status, active, ready, terminating, ...(verdict ? interim(counted.status, verdict, now) : {}) };
  return { status, events, verdict, free: counted.free, partial: counted.partial };
}

export interface Closing {
  readonly status: JobStatus;
  readonly events: readonly JobEvent[];
  /** The Job's result; null before its end. */
  readonly ended: Verdict | null;
}

/** `status` is the one stored after the account; `freed` has uids of its released pods. */
export function closing({
  facts,
  account,
  status,
  freed,
  now,
}: {
  readonly facts: Facts;
  readonly account: Account;
  readonly status: JobStatus;
  readonly freed: ReadonlySet<string>;
  readonly now: number;
}): Closing {
  const isHeld = (pod: Pod): boolean => isTracked(pod) && !freed.has(uidOf(pod)) && !facts.freed.has(uidOf(pod));
  const settled = settle(status, new Set(facts.pods.filter(isHeld).map(uidOf)));
  const { verdict } = account;
  const ends =
    account.free.every((pod) => freed.has(uidOf(pod))) && !account.partial && !hasUncounted(settled) && account.status.terminating === 0;
  return verdict && ends
    ? { status: final(settled, verdict, now), events: endEvents(facts.job, settled, verdict), ended: verdict }
    : { status: settled, events: [], ended: null };
}

function interim({ conditions = [] }: JobStatus, verdict: Verdict, now: number): Pick<JobStatus, 'conditions'> {
  const changed = ensured(
    conditions,
    { type: interimType(verdict), status: 'True', reason: verdict.reason, message: verdict.message },
    now,
  );
  return changed ? { conditions: changed } : {};
}

function final(status: JobStatus, verdict: Verdict, now: number): JobStatus {
  const { conditions = [] } = status;
  const changed = ensured(conditions, { type: finalType(verdict), status: 'True', reason: verdict.reason, message: verdict.message }, now);
  return { ...status, conditions: changed ?? conditions, ...(verdict.succeeds ? { completionTime: timeText(now) } : {}) };
}

function withSuspension(job: Job, now: number): { readonly status: JobStatus; readonly events: readonly JobEvent[] } {
  const status = job.status ?? {};
  const suspended = isSuspended(job);
  const [value, reason, message, event] = suspended
    ? (['True', 'JobSuspended', 'Job suspended', 'Suspended'] as const)
    : (['False', 'JobResumed', 'Job resumed', 'Resumed'] as const);
  const conditions = ensured(status.conditions ?? [], { type: 'Suspended', status: value, reason, message }, now);
  if (!conditions) return { status, events: [] };
  // The deadline must not run while the Job is suspended.
  const { startTime: _, ...rest } = status;
  return {
    events: [{ type: 'Normal', reason: event, message }],
    status: suspended ? { ...rest, conditions } : { ...rest, conditions, startTime: timeText(now) },
  };
}

function endEvents({ spec }: Job, { succeeded = 0 }: JobStatus, { succeeds, reason, message }: Verdict): readonly JobEvent[] {
  if (!succeeds) return [{ type: 'Warning', reason, message }];
  const completed: JobEvent = { type: 'Normal', reason: 'Completed', message: 'Job completed' };
  if (spec?.completions === undefined || succeeded <= spec.completions) return [completed];
  const tooMany = 'Too many succeeded pods running after completion count reached';
  return [{ type: 'Warning', reason: 'TooManySucceededPods', message: tooMany }, completed];
}

const earlier = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));
