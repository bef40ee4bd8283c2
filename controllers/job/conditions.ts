import { timeText } from '../../api/time.js';
import type { JobCondition } from '../../api/types/batch/v1.js';
import { conditionOf } from '../workloads/podState.js';

/** Returns the conditions with one set, or null if unchanged; does not add an absent condition as False. Pure. */
export function ensured(
  before: readonly JobCondition[],
  { type, status, reason, message }: Required<Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>>,
  now: number,
): readonly JobCondition[] | null {
  const old = conditionOf(before, type);
  const time = timeText(now);
  const wanted: JobCondition = { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
  if (!old) return status === 'False' ? null : [...before, wanted];
  if (old.status === status && old.reason === reason && old.message === message) return null;
  return before.map((condition) => (condition === old ? wanted : condition));
}
