import {
  joinReplica,
  startReplica,
  startSharedReplica,
  type ClientOptions,
  type ConsensusThread,
  type ReplicaTicket,
} from '../../raft/index.js';
import type { Replica, ReplicaAdministration, SpaceStatus } from '../../raft/index.js';
import { Compaction } from '../storage/compaction.js';
import { exposeReplica } from './metrics.js';
import type { Logger } from '../../program/log/logger.js';
import type { ApiServerOptions } from '../options/flags.js';
import { replicaOptions } from '../options/replica.js';
import type { HistoryOwner, ServerStore } from './store.js';

/**
 * How long a stopping leader looks for a successor, so that the others need not find out by waiting. A hand-over takes a few milliseconds;
 * where all stop at once there is no successor to wait for.
 */
const handOverTimeoutMs = 500;
const compactionTimeoutMs = 30_000;

/** Starts the replica of this server in its thread, for so many threads that use it. Rejects when its data or its address is not usable. */
export async function openEmbedded(
  options: ApiServerOptions,
  log: Logger,
  { threads = 1, thread }: { readonly threads?: number; readonly thread?: ConsensusThread | undefined } = {},
): Promise<ServerStore> {
  const raftLog = log.named('raft');
  const client: ClientOptions = {
    thread,
    log: ({ level, message, fields }) => {
      raftLog[level](message, fields);
    },
  };
  try {
    if (threads === 1) return storeOver(await startReplica(replicaOptions(options), client));
    const { replica, published, tickets } = await startSharedReplica(replicaOptions(options), threads - 1, client);
    return storeOver(replica, published, tickets);
  } catch (cause) {
    throw new Error(`the replica with data in ${options['raft-data-dir']} (--raft-data-dir) cannot start`, { cause });
  }
}

/** Uses the replica that another thread of this process has started. `stop` ends this thread's use of it. */
export function joinEmbedded(ticket: ReplicaTicket): ServerStore {
  const { replica, published } = joinReplica(ticket);
  return storeOver(replica, published);
}

/** From this part of the quota on history is shortened, lest it be history that fills the store. */
const crowdedPart = 3 / 4;

const isShortOf = ({ alarm, shortMembers, storeBytes, quotaBytes }: SpaceStatus): boolean =>
  alarm !== null || shortMembers.length > 0 || (quotaBytes > 0 && storeBytes > crowdedPart * quotaBytes);

const storeOver = (
  replica: Replica & ReplicaAdministration,
  published: ServerStore['published'] = null,
  tickets: ServerStore['tickets'] = [],
): ServerStore => ({
  engine: replica,
  elsewhere: [],
  health: replica,
  healthElsewhere: [],
  asReference: false,
  expires: false,
  replayedRevisions: null,
  published,
  tickets,
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
        const { role, compactedRevision, space } = await replica.status();
        return { leads: role === 'leader', compacted: compactedRevision, isShort: isShortOf(space) };
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
