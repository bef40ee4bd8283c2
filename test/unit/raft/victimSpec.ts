import type { ReplicaOptions } from '../../../raft/replica-api.js';
import type { ReplicaLimits } from '../../../raft/replica/limits.js';
import type { Member } from '../../../raft/types.js';

/** What `victim.ts` is to do. */
export interface VictimSpec {
  readonly options: ReplicaOptions;
  /** Null: in the consensus thread, with the limits of production. */
  readonly limits: Partial<ReplicaLimits> | null;
  readonly act: 'writes' | 'follows' | 'adds';
  /** For `adds`: whom, once there is something to send. */
  readonly newcomer: Member | null;
}

/** Large enough that the files of log and store fill up, and that a copy has several pieces. */
const valueBytes = 16 * 1024;

export const valueOf = (key: string): string => key.repeat(Math.ceil(valueBytes / key.length)).slice(0, valueBytes);
