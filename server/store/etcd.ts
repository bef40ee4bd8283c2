import { readFileSync } from 'node:fs';
import { revision } from '../../raft/index.js';
import type { GroupResource } from '../../api/resource.js';
import type { Logger } from '../../program/log/logger.js';
import type { ProcessMetrics } from '../../program/metrics/metrics.js';
import { every } from '../storage/metrics.js';
import type { ApiServerOptions } from '../options/flags.js';
import { readEtcdOverride } from '../options/etcdOverrides.js';
import { EtcdClient } from '../storage/etcd/client.js';
import { EtcdCompaction } from '../storage/etcd/compaction.js';
import { EtcdEngine } from '../storage/etcd/engine.js';
import { EtcdError } from '../storage/etcd/failure.js';
import { Leases } from '../storage/etcd/leases.js';
import { openRelay } from '../egress/relay.js';
import type { Dial } from '../webhook/dialed.js';
import { KeySpace } from '../storage/keys.js';
import { portAllocations } from '../serviceAddresses/portRecord.js';
import type { HistoryKeeper, ServerStore } from './store.js';

const statusTimeoutMs = 5_000;

/** Connects to an etcd, through `dial` if given. Does not wait: requests fail while etcd is unavailable. */
export function openEtcd(options: ApiServerOptions, servers: readonly string[], log: Logger, dial: Dial | null): ServerStore {
  const main = connected(options, servers, log, dial);
  const elsewhere = [...byServers(options['etcd-servers-overrides'])].map(([text, resources]) => ({
    ...connected(options, text.split(';'), log, dial),
    resources,
  }));
  const all = [main, ...elsewhere];
  return {
    engine: main.engine,
    elsewhere,
    health: main.engine,
    healthElsewhere: elsewhere.map(({ engine }) => engine),
    published: null,
    tickets: [],
    asReference: true,
    expires: true,
    replayedRevisions: 0,
    replica: null,
    leads: () => Promise.resolve(true),
    onFailure: (listener) => {
      for (const { engine } of all) engine.onFailure(listener);
    },
    history: (_owner, compactionLog) => historyOf(all, compactionLog),
    expose: (metrics, { 'etcd-db-metric-poll-interval': periodMs }) => {
      exposeSize(
        metrics,
        all.map(({ client }) => client),
        periodMs,
      );
    },
    handOver: () => Promise.resolve(),
    stop: () => {
      for (const { engine } of all) engine.stop();
      return Promise.resolve();
    },
  };
}

interface Connected {
  readonly client: EtcdClient;
  readonly engine: EtcdEngine;
}

function connected(options: ApiServerOptions, servers: readonly string[], log: Logger, dial: Dial | null): Connected {
  const etcdLog = log.named('etcd');
  const client = new EtcdClient({
    servers,
    relay: dial === null ? null : (host, port) => openRelay(dial, host, port),
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
  return { client, engine };
}

/** Groups resources by their servers, which are one etcd. */
function byServers(overrides: readonly string[]): ReadonlyMap<string, readonly GroupResource[]> {
  const found = new Map<string, GroupResource[]>();
  for (const { resource, servers } of overrides.flatMap((text) => readEtcdOverride(text) ?? [])) {
    const name = servers.toSorted().join(';');
    // Allocations of services, invisible to clients, are stored with services.
    const resources = resource.group === '' && resource.resource === 'services' ? [resource, portAllocations] : [resource];
    found.set(name, [...(found.get(name) ?? []), ...resources]);
  }
  return found;
}

/** Each etcd is compacted separately. */
function historyOf(all: readonly Connected[], log: Logger): HistoryKeeper {
  const keepers = all.map(
    ({ client, engine }) =>
      new EtcdCompaction({
        client,
        barrier: (timeoutMs) => engine.barrier(timeoutMs),
        compact: (at, timeoutMs) => engine.compact(revision(at), timeoutMs),
        log,
      }),
  );
  return {
    start: (intervalMs) => {
      for (const keeper of keepers) keeper.start(intervalMs);
    },
    begin: () => {
      for (const keeper of keepers) keeper.begin();
    },
    stop: () => {
      for (const keeper of keepers) keeper.stop();
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

/** Exposes the members' database sizes under names that alerts know. */
function exposeSize(metrics: ProcessMetrics, clients: readonly EtcdClient[], periodMs: number): void {
  if (periodMs === 0) return;
  const sizes = every(periodMs, async () => {
    const members = (await Promise.all(clients.map((client) => client.members(statusTimeoutMs)))).flat();
    return new Map(
      members.flatMap(([url, answer], index) => (answer instanceof EtcdError ? [] : [[url, { id: `etcd-${index}`, size: answer.dbSize }]])),
    );
  });
  metrics.gauges(
    'apiserver_storage_size_bytes',
    'Bytes of the database of each etcd member on disk.',
    { label: 'storage_cluster_id' },
    async () => {
      return new Map([...(await sizes()).values()].map(({ id, size }) => [id, size]));
    },
  );
  metrics.gauges('apiserver_storage_db_total_size_in_bytes', 'The same by the address of the member.', { label: 'endpoint' }, async () => {
    return new Map([...(await sizes())].map(([url, { size }]) => [url, size]));
  });
}
