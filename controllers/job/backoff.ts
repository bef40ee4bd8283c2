import type { Pod } from '../../api/types/core/v1.js';
import { finishedAt } from './podOutcome.js';

/** Consecutive failures, which delay a Job's retries. Pure. */
export interface Backoff {
  readonly failures: number;
  readonly lastFailureAt: number;
}

export const noBackoff: Backoff = { failures: 0, lastFailureAt: 0 };
const firstMs = 10_000;
const maxMs = 600_000;

/** A success resets the count of failures. */
export function withOutcomes(before: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  const lastSuccessAt = Math.max(-1, ...succeeded.map(finishedAt));
  const since = failed.map(finishedAt).filter((time) => time > lastSuccessAt);
  const kept = lastSuccessAt < 0 || before.lastFailureAt > lastSuccessAt ? before : noBackoff;
  return { failures: (lastSuccessAt < 0 ? kept.failures : 0) + since.length, lastFailureAt: Math.max(kept.lastFailureAt, 0, ...since) };
}

export function remainingMs({ failures, lastFailureAt }: Backoff, now: number): number {
  if (failures === 0) return 0;
  return Math.max(0, lastFailureAt + Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)) - now);
}
