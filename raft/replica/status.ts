import type { Core, FollowerProgress } from '../core/contract.js';
import type { RaftLog } from '../log/log.js';
import type { ReplicaStatus } from '../replica-api.js';
import type { StateMachine } from '../store/contract.js';
import type { LeaderSilences } from './leaderSilence.js';

const shown = (progress: FollowerProgress | undefined): ReplicaStatus['members'][number]['progress'] =>
  (progress === undefined ? null : { match: progress.match, state: progress.state, active: progress.active });

/** What `/raft/v1/status` shows. */
export function describeStatus({ core, log, store }: { readonly core: Core; readonly log: RaftLog; readonly store: StateMachine }, silences: LeaderSilences, own: Pick<ReplicaStatus, 'figures' | 'peers'>): ReplicaStatus {
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
    leaderSilence: silences.describe(),
    ...own,
  };
}
