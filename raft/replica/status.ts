import type { Core, FollowerProgress } from '../core/contract.js';
import type { RaftLog } from '../log/log.js';
import type { ReplicaStatus } from '../replicaApi.js';
import type { StateMachine } from '../store/contract.js';
import type { MemberId } from '../types.js';
import type { LeaderContactIntervals } from './leaderContactIntervals.js';
import type { SnapshotUnderWay } from './snapshots.js';

function shown(
  id: MemberId,
  progress: FollowerProgress | undefined,
  snapshot: SnapshotUnderWay | null,
): ReplicaStatus['members'][number]['progress'] {
  if (progress === undefined) return null;
  const sent = snapshot?.to === id && snapshot.bytes !== null ? { sentBytes: snapshot.sentBytes, bytes: snapshot.bytes } : null;
  return { match: progress.match, state: progress.state, active: progress.active, snapshot: sent };
}

interface Parts {
  readonly core: Core;
  readonly log: RaftLog;
  readonly store: StateMachine;
  readonly tickMs: number;
  readonly snapshot: SnapshotUnderWay | null;
}

export function describeStatus(
  { core, log, store, tickMs, snapshot }: Parts,
  contactIntervals: LeaderContactIntervals,
  own: Pick<ReplicaStatus, 'figures' | 'peers' | 'space'>,
): ReplicaStatus {
  const progress = core.progress();
  return {
    clusterId: log.identity.clusterId,
    memberId: core.id,
    leaderId: core.leader,
    role: core.role,
    term: core.term,
    commitIndex: core.commit,
    appliedIndex: store.appliedIndex,
    firstIndex: log.firstIndex,
    lastIndex: log.lastIndex,
    revision: store.revision,
    compactedRevision: store.compactedRevision,
    members: core.membership.members.map((member) => ({ ...member, progress: shown(member.id, progress?.get(member.id), snapshot) })),
    electionTimeoutMs: core.electionTimeoutTicks * tickMs,
    leaderSilence: contactIntervals.describe(),
    ...own,
  };
}
