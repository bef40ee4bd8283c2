import { readFileSync } from 'node:fs';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { every } from '../observability/storageMetrics.js';
import type { ApiServerOptions } from '../options/apiserver.js';
import { EtcdClient } from '../storage/etcd/client.js';
import { EtcdCompaction } from '../storage/etcd/compaction.js';
import { EtcdEngine } from '../storage/etcd/engine.js';
import { EtcdError } from '../storage/etcd/failure.js';
import { Leases } from '../storage/etcd/leases.js';
import { KeySpace } from '../storage/keys.js';
import type { ServerStore } from './store.js';

const statusTimeoutMs = 5_000;

/** Connects to an etcd. Does not wait for it: a server whose etcd is away says so when it is asked, and serves once it is there. */
export function openEtcd(options: ApiServerOptions, servers: readonly string[], log: Logger): ServerStore {
  const etcdLog = log.named('etcd');
  const client = new EtcdClient({
    servers,
    tls: {
      ca: fileOf(options, 'etcd-cafile'),
      cert: fileOf(options, 'etcd-certfile'),
      key: fileOf(options, 'etcd-keyfile'),
    },
  });
  const { start, end } = new KeySpace(options['etcd-prefix']);
  const engine = new EtcdEngine({
    client,
    start,
    end,
    leases: new Leases({ client, reuseMs: options['lease-reuse-duration-seconds'] * 1_000, now: () => performance.now() }),
    report: (what, error) => {
      etcdLog.warn(what, { error });
    },
  });
  return {
    engine,
    asReference: true,
    expires: true,
    replayedRevisions: 0,
    replica: null,
    leads: () => Promise.resolve(true),
    onFailure: (listener) => {
      engine.onFailure(listener);
    },
    history: (owner, compactionLog) =>
      new EtcdCompaction({
        client,
        barrier: (timeoutMs) => engine.barrier({ timeoutMs }),
        compact: (version, timeoutMs) => owner.compact(version, { timeoutMs }),
        log: compactionLog,
      }),
    expose: (metrics, { 'etcd-db-metric-poll-interval': periodMs }) => {
      exposeSize(metrics, client, periodMs);
    },
    handOver: () => Promise.resolve(),
    stop: () => {
      engine.stop();
      return Promise.resolve();
    },
  };
}

function fileOf(options: ApiServerOptions, name: 'etcd-cafile' | 'etcd-certfile' | 'etcd-keyfile'): Buffer | null {
  const path = options[name];
  if (path === null) return null;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(`--${name} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Sizes of the members' databases, under the names that alerts know. */
function exposeSize(metrics: Metrics, client: EtcdClient, periodMs: number): void {
  if (periodMs === 0) return;
  const sizes = every(periodMs, async () => {
    const members = await client.members(statusTimeoutMs);
    return new Map(
      members.flatMap(([url, answer], index) => (answer instanceof EtcdError ? [] : [[url, { id: `etcd-${index}`, size: answer.dbSize }]])),
    );
  });
  metrics.gauges('apiserver_storage_size_bytes', 'Bytes of the database of each etcd member on disk.', 'storage_cluster_id', async () => {
    return new Map([...(await sizes()).values()].map(({ id, size }) => [id, size]));
  });
  metrics.gauges('apiserver_storage_db_total_size_in_bytes', 'The same by the address of the member.', 'endpoint', async () => {
    return new Map([...(await sizes())].map(([url, { size }]) => [url, size]));
  });
}
