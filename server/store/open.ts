import type { ConsensusThread } from '../../raft/index.js';
import type { Egress } from '../egress/egress.js';
import type { Logger } from '../../program/log/logger.js';
import type { ApiServerOptions } from '../options/flags.js';
import { openEmbedded } from './embedded.js';
import { openMemory } from './memory.js';
import type { ServerStore } from './store.js';

export interface Opening {
  readonly egress: Egress;
  readonly threads: number;
  readonly thread?: ConsensusThread | undefined;
}

/** Opens the configured store, loading the etcd client only for an etcd. */
export async function openStore(options: ApiServerOptions, log: Logger, { egress, threads, thread }: Opening): Promise<ServerStore> {
  const servers = options['etcd-servers'];
  if (options['storage-backend'] === 'memory') return openMemory();
  if (servers.length === 0) return openEmbedded(options, log, { threads, thread });
  return (await import('./etcd.js')).openEtcd(options, servers, log, egress('etcd'));
}
