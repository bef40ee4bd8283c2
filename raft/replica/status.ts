import type { Core, FollowerProgress } from '../core/contract.js';
import type { RaftLog } from '../log/log.js';
import type { ReplicaStatus } from '../replica-api.js';
import type { StateMachine } from '../store/contract.js';
import type { LeaderSilences } from './leaderSilence.js';

const shown = (progress: FollowerProgress | undefined): ReplicaStatus['members'][number]['progress'] =>
  progress === undefined ? null : { match: progress.match, state: progress.state, active: progress.active };

interface Parts {
  readonly core: Core;
  readonly log: RaftLog;
  readonly store: StateMachine;
  readonly tickMs: number;
}

/** What `/raft/v1/status` shows. */
export function describeStatus(
  { core, log, store, tickMs }: Parts,
  silences: LeaderSilences,
  own: Pick<ReplicaStatus, 'figures' | 'peers'>,
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
    members: core.membership.members.map((member) => ({ ...member, progress: shown(progress?.get(member.id)) })),
    electionTimeoutMs: core.electionTimeoutTicks * tickMs,
    leaderSilence: silences.describe(),
    ...own,
  };
}
