import type { WriteOutcome } from '../raft/replica-api.js';
import type { Version } from './storage/contract.js';
import type { Logger } from './observability/logger.js';

export interface CompactionOptions {
  readonly intervalMs: number;
  /** What the store has reached. */
  readonly version: () => Version;
  /** One replica is enough: the one that leads does it. */
  readonly leads: () => Promise<boolean>;
  readonly compact: (version: Version) => Promise<WriteOutcome>;
  readonly log: Logger;
}

/**
 * Drops history regularly. Each time, the version that was current one interval ago goes: clients can always resume from what they saw
 * within the last interval. Returns the call that stops it.
 */
export function compactRegularly({ intervalMs, version, leads, compact, log }: CompactionOptions): () => void {
  if (intervalMs === 0) return () => {};
  let before = version();
  let running = false;
  const turn = async (): Promise<void> => {
    const target = before;
    before = version();
    if (target === 0 || !(await leads())) return;
    const outcome = await compact(target);
    log.debug(2, 'compacted', { version: target, outcome: outcome.outcome });
  };
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    turn().catch((error: unknown) => { log.warn('compaction failed; it is tried again after the next interval', { error }); }).finally(() => { running = false; });
  }, intervalMs);
  timer.unref();
  return () => { clearInterval(timer); };
}
