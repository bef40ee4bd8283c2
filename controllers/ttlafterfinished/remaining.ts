import { isTerminating, keyTextOf } from '../../api/meta/object.js';
import { timeOf } from '../../api/time.js';
import type { Job } from '../../api/types/batch/v1.js';

/** Returns milliseconds until a Job may be deleted, 0 or less for now; null for one that stays, runs or is being deleted. Pure. */
export function remainingMs(job: Job, now: number): number | null {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  if (seconds === undefined || isTerminating(job)) return null;
  const end = job.status?.conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  if (!end) return null;
  const finishedAt = timeOf(end.lastTransitionTime);
  if (Number.isNaN(finishedAt)) throw new Error(`unable to find the time when the Job ${keyTextOf(job)} finished`);
  return finishedAt + seconds * 1000 - now;
}
