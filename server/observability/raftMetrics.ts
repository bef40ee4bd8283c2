import type { ReplicaStatus } from '../../raft/replica-api.js';
import type { Metrics } from './metrics.js';

/** One reading serves all gauges of a scrape. */
const readingValidMs = 100;

/** Gauges of this replica's part in the cluster. A replica that does not answer leaves its gauges as they were. */
export function exposeReplica(metrics: Metrics, status: () => Promise<ReplicaStatus>): void {
  let reading: Promise<ReplicaStatus> | null = null;
  let readAt = -Infinity;
  const read = (): Promise<ReplicaStatus> => {
    if (reading === null || performance.now() - readAt > readingValidMs) {
      readAt = performance.now();
      reading = status();
    }
    return reading;
  };
  for (const [name, help, value] of gauges) metrics.gauge(`raftplane_raft_${name}`, help, async () => value(await read()));
  metrics.histogram('raftplane_raft_leader_silence_seconds', 'Time from one word of the leader to the next, as this replica handled them while it followed.', async () => {
    const { boundsMs, counts, sumMs } = (await read()).leaderSilence;
    return { bounds: boundsMs.map((bound) => bound / 1_000), counts, sum: sumMs / 1_000 };
  });
}

const gauges: readonly (readonly [name: string, help: string, value: (status: ReplicaStatus) => number])[] = [
  ['is_leader', '1 on the replica that leads.', ({ role }) => (role === 'leader' ? 1 : 0)],
  ['has_leader', '1 while this replica knows a leader.', ({ leaderId }) => (leaderId === null ? 0 : 1)],
  ['term', 'The current term; each election raises it.', ({ term }) => term],
  ['commit_index', 'Last log entry known to be committed.', ({ commitIndex }) => commitIndex],
  ['applied_index', 'Last log entry applied to the store of this replica.', ({ appliedIndex }) => appliedIndex],
  ['first_index', 'First log entry still kept.', ({ firstIndex }) => firstIndex],
  ['last_index', 'Last log entry.', ({ lastIndex }) => lastIndex],
  ['store_revision', 'Revision of the store.', ({ revision }) => revision],
  ['store_compacted_revision', 'Revision up to which history has been dropped.', ({ compactedRevision }) => compactedRevision],
  ['members', 'Members of the cluster, learners included.', ({ members }) => members.length],
  ['members_active', 'Members, this one included, that the leader has heard of lately; 0 on other replicas.', ({ members }) => members.filter(({ progress }) => progress?.active === true).length],
];
