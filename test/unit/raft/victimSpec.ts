import type { ReplicaOptions } from '../../../raft/replicaApi.js';
import type { ReplicaLimits } from '../../../raft/replica/limits.js';
import type { Member } from '../../../raft/types.js';

export interface VictimSpec {
  readonly options: ReplicaOptions;
  /** Null: in the consensus thread, with production limits. */
  readonly limits: Partial<ReplicaLimits> | null;
  readonly act: 'writes' | 'follows' | 'adds';
  /** For `adds`: the member to add later. */
  readonly newcomer: Member | null;
}

/** Large enough to fill the files of log and store, and to copy in several pieces. */
const valueBytes = 16 * 1024;

export const valueOf = (key: string): string => key.repeat(Math.ceil(valueBytes / key.length)).slice(0, valueBytes);
