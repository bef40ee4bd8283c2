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

/** Bounds a stopping leader's search for a successor: milliseconds, unless all stop at once. */
const handOverTimeoutMs = 500;
const compactionTimeoutMs = 30_000;

/** Starts this server's replica in its thread, for all threads. Rejects if its data or address is unusable. */
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

/** Uses another thread's replica. `stop` ends only this thread's use. */
export function joinEmbedded(ticket: ReplicaTicket): ServerStore {
  const { replica, published } = joinReplica(ticket);
  return storeOver(replica, published);
}

/** Part of the quota above which history is shortened, so that it does not fill the store. */
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
      compact: (version) => owner.compact(version, compactionTimeoutMs),
    }),
  expose: (metrics, options) => {
    exposeReplica(metrics, () => replica.status(), options['raft-data-dir'], options['etcd-db-metric-poll-interval']);
  },
  handOver: async (log) => {
    await replica.transferLeadership(handOverTimeoutMs).catch((error: unknown) => {
      log.debug(2, 'leadership was not handed over', { error });
    });
  },
  stop: () => replica.stop(),
});
