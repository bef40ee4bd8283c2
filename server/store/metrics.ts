import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurationCounts, ReplicaFigures, ReplicaStatus } from '../../raft/index.js';
import type { ProcessMetrics } from '../../program/metrics/metrics.js';
import { every } from '../storage/metrics.js';

/** One reading serves all gauges of a scrape. */
const readingValidMs = 100;

/** Exposes gauges of this replica, which keep their values while it does not answer. */
export function exposeReplica(
  metrics: ProcessMetrics,
  status: () => Promise<ReplicaStatus>,
  dataDirectory: string,
  sizePeriodMs = 1,
): void {
  const read = remembered(status);
  for (const [name, help, value] of gauges) metrics.gauge(`raftplane_raft_${name}`, help, async () => value(await read()));
  for (const [name, help, value] of counters)
    metrics.counter(`raftplane_raft_${name}_total`, help, async () => value((await read()).figures));
  for (const [name, help, label, values] of byPeer)
    metrics.gauges(`raftplane_raft_${name}`, help, { label }, async () => new Map(values(await read())));
  metrics.gauges(
    'raftplane_raft_space_alarm',
    '1 while this server refuses creates and updates: no majority has room on its disks, or the store is above its quota.',
    { label: 'cause' },
    async () => {
      const { alarm } = (await read()).space;
      return new Map(alarms.map((cause) => [cause, cause === alarm ? 1 : 0]));
    },
  );
  for (const [name, help, of] of durations) {
    metrics.histogram(`raftplane_raft_${name}_seconds`, help, async () => {
      const { boundsMs, counts, sumMs } = of(await read());
      return { bounds: boundsMs.map((bound) => bound / 1_000), counts, sum: sumMs / 1_000 };
    });
  }
  metrics.gauge('raftplane_raft_log_bytes', 'Bytes of the Raft log on disk, its write-ahead file included.', () =>
    bytesOf(dataDirectory, 'log.db'),
  );
  if (sizePeriodMs > 0) exposeSize(metrics, read, dataDirectory, sizePeriodMs);
}

function remembered(status: () => Promise<ReplicaStatus>): () => Promise<ReplicaStatus> {
  let reading: Promise<ReplicaStatus> | null = null;
  let readAt = -Infinity;
  return () => {
    if (reading === null || performance.now() - readAt > readingValidMs) {
      readAt = performance.now();
      reading = status();
    }
    return reading;
  };
}

/** The reference's names, for alerts. */
function exposeSize(metrics: ProcessMetrics, read: () => Promise<ReplicaStatus>, dataDirectory: string, periodMs: number): void {
  const size = every(periodMs, async () => new Map([[(await read()).clusterId, await bytesOf(dataDirectory, 'store.db')]]));
  metrics.gauges(
    'apiserver_storage_size_bytes',
    'Bytes of the store of this replica on disk, its write-ahead file included.',
    { label: 'storage_cluster_id' },
    size,
  );
  metrics.gauges('apiserver_storage_db_total_size_in_bytes', 'The same under an older name.', { label: 'endpoint' }, size);
}

/** A write-ahead file may just have been removed. */
async function bytesOf(directory: string, name: string): Promise<number> {
  const sizes = await Promise.all(
    [name, `${name}-wal`].map((file) =>
      stat(join(directory, file)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
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
  [
    'members_active',
    'Members, this one included, that the leader has heard of lately; 0 on other replicas.',
    ({ role, members }) => members.filter(({ progress }) => progress?.active === true).length + (role === 'leader' ? 1 : 0),
  ],
  [
    'apply_lag_entries',
    'Log entries that are committed and not yet applied to the store of this replica.',
    ({ commitIndex, appliedIndex }) => commitIndex - appliedIndex,
  ],
  ['proposals_waiting', 'Writes of this server that wait to be done.', ({ figures }) => figures.proposalsWaiting],
  [
    'election_timeout_seconds',
    'How long this replica would now wait without a leader, up to twice that. More than was configured: leaders have been late.',
    ({ electionTimeoutMs }) => electionTimeoutMs / 1_000,
  ],
  ['disk_free_bytes', 'Bytes that may still be written on the disk of this replica.', ({ space }) => space.freeBytes],
  ['disk_reserve_bytes', 'Below so many free bytes this disk is short of space (--raft-disk-reserve).', ({ space }) => space.reserveBytes],
  ['disk_short', '1 while less than the reserve is free on the disk of this replica.', ({ space }) => (space.level === 'ample' ? 0 : 1)],
  [
    'store_used_bytes',
    'Bytes that the store of this replica holds, history included, without space that waits to be used again.',
    ({ space }) => space.storeBytes,
  ],
  ['store_quota_bytes', 'What the store may hold (--raft-quota-bytes); 0: no quota.', ({ space }) => space.quotaBytes],
  [
    'checkpoint_age_seconds',
    'Time since the store was last made durable by itself, up to where the log may then be cut; or since the start.',
    ({ figures }) => figures.checkpointAgeMs / 1_000,
  ],
];

const counters: readonly (readonly [name: string, help: string, value: (figures: ReplicaFigures) => number])[] = [
  ['elections', 'Elections for which this replica stood. Many of them: heartbeats do not arrive in time.', ({ elections }) => elections],
  ['leader_changes', 'Times that another replica than before was seen to lead.', ({ leaderChanges }) => leaderChanges],
  [
    'proposals_refused',
    'Writes of this server that were refused at once because too many waited.',
    ({ proposalsRefused }) => proposalsRefused,
  ],
  [
    'proposals_given_up',
    'Writes of this server whose time was over before it was known that they had been done.',
    ({ proposalsGivenUp }) => proposalsGivenUp,
  ],
  [
    'snapshots_installed',
    'Snapshots by which this replica was brought up to date because the log did not reach back far enough.',
    ({ snapshotsInstalled }) => snapshotsInstalled,
  ],
];

const byPeer: readonly (readonly [
  name: string,
  help: string,
  label: string,
  values: (status: ReplicaStatus) => Iterable<readonly [string, number]>,
])[] = [
  [
    'peer_connected',
    '1 for members to which this replica is connected, 0 for the others.',
    'peer',
    ({ peers }) => peers.map(({ id, connected }) => [id, connected ? 1 : 0]),
  ],
  [
    'peer_round_trip_seconds',
    'Time that a peer took to answer when it was last asked for a sign of life.',
    'peer',
    ({ peers }) => peers.flatMap(({ id, roundTripMs }) => (roundTripMs === null ? [] : [[id, roundTripMs / 1_000] as const])),
  ],
  [
    'follower_lag_entries',
    'Log entries that a member is not known to have; on the leader only.',
    'peer',
    ({ members, lastIndex }) =>
      members.flatMap(({ id, progress }) => (progress === null ? [] : [[id, Math.max(0, lastIndex - progress.match)] as const])),
  ],
];

const alarms = ['disk', 'quota'] as const;

const durations: readonly (readonly [name: string, help: string, of: (status: ReplicaStatus) => DurationCounts])[] = [
  [
    'leader_silence',
    'Time from one word of the leader to the next, as this replica handled them while it followed.',
    ({ leaderSilence }) => leaderSilence,
  ],
  [
    'log_sync',
    'Time that an append to the Raft log took, until it was on disk. Every write waits for one on a majority.',
    ({ figures }) => figures.logSync,
  ],
];
