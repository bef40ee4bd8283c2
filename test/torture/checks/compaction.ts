import { limited, type Finding } from './finding.js';

/** A question about the past, and whether history was still there. */
export interface PastRead {
  readonly who: string;
  readonly what: 'watch' | 'exact list' | 'next page';
  readonly version: number;
  /** `expired`: 410. */
  readonly outcome: 'served' | 'expired';
  /** History before this version was gone on the server that was asked, before it was asked; null when that is not known. */
  readonly goneBefore: number | null;
  /** History before this version was gone somewhere in the cluster, once the answer had come; null when nobody said. */
  readonly goneAfter: number | null;
}

/** A 410 is only for what was compacted, and exact reads of that are refused. A watch that began earlier may still be served. */
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
