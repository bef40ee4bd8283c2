import type { Pod } from '../../api/types/core/v1.js';
import { finishedAt } from './podOutcome.js';

/** Failures in a row, which make a Job wait before it tries again. Pure. */
export interface Backoff {
  readonly failures: number;
  readonly lastFailureAt: number;
}

export const noBackoff: Backoff = { failures: 0, lastFailureAt: 0 };
const firstMs = 10_000;
const maxMs = 600_000;

/** A success begins the count anew: only failures after the last one count. */
export function withOutcomes(before: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  const lastSuccessAt = Math.max(-1, ...succeeded.map(finishedAt));
  const since = failed.map(finishedAt).filter((time) => time > lastSuccessAt);
  const kept = lastSuccessAt < 0 || before.lastFailureAt > lastSuccessAt ? before : noBackoff;
  return { failures: (lastSuccessAt < 0 ? kept.failures : 0) + since.length, lastFailureAt: Math.max(kept.lastFailureAt, 0, ...since) };
}

/** Milliseconds that are left to wait. */
export function remainingMs({ failures, lastFailureAt }: Backoff, now: number): number {
  if (failures === 0) return 0;
  return Math.max(0, lastFailureAt + Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)) - now);
}
