import { limited, type Finding } from './finding.js';

/** A read of an old revision. */
export interface PastRead {
  readonly who: string;
  readonly what: 'watch' | 'exact list' | 'next page';
  readonly version: number;
  /** `expired`: 410. */
  readonly outcome: 'served' | 'expired';
  /** The server's compacted revision before the request; null if unknown. */
  readonly goneBefore: number | null;
  /** The highest compacted revision in the cluster after the answer; null if unknown. */
  readonly goneAfter: number | null;
}

/** Checks that only compacted revisions give 410 and that exact reads of them are refused. A watch that began earlier may continue. */
export function checkPastReads(reads: readonly PastRead[]): readonly Finding[] {
  return limited(
    reads.flatMap(({ who, what, version, outcome, goneBefore, goneAfter }) => {
      if (outcome === 'expired' && goneAfter !== null && version >= goneAfter)
        return [finding(`${who}: ${what} from ${version} was refused with 410, although history reaches back to ${goneAfter}`)];
      if (outcome === 'served' && what !== 'watch' && goneBefore !== null && version < goneBefore)
        return [finding(`${who}: ${what} at ${version} was served, although history before ${goneBefore} was gone`)];
      return [];
    }),
  );
}

const finding = (details: string): Finding => ({ promise: 'compaction', details });
