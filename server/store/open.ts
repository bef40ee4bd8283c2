import type { ConsensusThread } from '../../raft/client.js';
import type { Logger } from '../observability/logger.js';
import type { ApiServerOptions } from '../options/apiserver.js';
import { openEmbedded } from './embedded.js';
import { openMemory } from './memory.js';
import type { ServerStore } from './store.js';

/** Opens the store that the options name, for so many threads of the process. What an etcd takes is loaded only then. */
export async function openStore(options: ApiServerOptions, log: Logger, threads = 1, thread?: ConsensusThread): Promise<ServerStore> {
  const servers = options['etcd-servers'];
  if (options['storage-backend'] === 'memory') return openMemory();
  if (servers.length === 0) return openEmbedded(options, log, { threads, thread });
  return (await import('./etcd.js')).openEtcd(options, servers, log);
}
