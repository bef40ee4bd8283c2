import { startReplica } from '../../raft/client.js';
import type { Replica, ReplicaAdministration } from '../../raft/replica-api.js';
import { Compaction } from '../compaction.js';
import { exposeReplica } from '../observability/raftMetrics.js';
import type { Logger } from '../observability/logger.js';
import type { ApiServerOptions } from '../options/apiserver.js';
import { replicaOptions } from '../options/replica.js';
import type { HistoryOwner, ServerStore } from './store.js';

/**
 * How long a stopping leader looks for a successor, so that the others need not find out by waiting. A hand-over takes a few milliseconds;
 * where all stop at once there is no successor to wait for.
 */
const handOverTimeoutMs = 500;
const compactionTimeoutMs = 30_000;

/** Starts the replica of this server in its thread. Rejects when its data or its address is not usable. */
export async function openEmbedded(options: ApiServerOptions, log: Logger): Promise<ServerStore> {
  const raftLog = log.named('raft');
  const replica = await startReplica(replicaOptions(options), {
    log: ({ level, message, fields }) => {
      raftLog[level](message, fields);
    },
  }).catch((cause: unknown) => {
    throw new Error(`the replica with data in ${options['raft-data-dir']} (--raft-data-dir) cannot start`, { cause });
  });
  return storeOver(replica);
}

const storeOver = (replica: Replica & ReplicaAdministration): ServerStore => ({
  engine: replica,
  elsewhere: [],
  health: replica,
  asReference: false,
  expires: false,
  replayedRevisions: null,
  replica,
  leads: async () => (await replica.status()).role === 'leader',
  onFailure: (listener) => {
    replica.onFailure(listener);
  },
  history: (owner: HistoryOwner, log: Logger) =>
    new Compaction({
      version: () => owner.version,
      log,
      standing: async () => {
        const { role, compactedRevision } = await replica.status();
        return { leads: role === 'leader', compacted: compactedRevision };
      },
      compact: (version) => owner.compact(version, { timeoutMs: compactionTimeoutMs }),
    }),
  expose: (metrics, options) => {
    exposeReplica(metrics, () => replica.status(), options['raft-data-dir'], options['etcd-db-metric-poll-interval']);
  },
  handOver: async (log) => {
    await replica.transferLeadership({ timeoutMs: handOverTimeoutMs }).catch((error: unknown) => {
      log.debug(2, 'leadership was not handed over', { error });
    });
  },
  stop: () => replica.stop(),
});
