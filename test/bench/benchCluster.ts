import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startCluster, type Cluster } from '../../deploy/cluster.js';
import type { ReplicaCount } from '../../deploy/settings.js';
import { ApiClient } from '../fixtures/apiClient.js';
import type { Endpoint } from './connection.js';

/** A cluster of real processes to measure. */
export interface BenchCluster {
  readonly cluster: Cluster;
  /** Of each replica, past the balancer. */
  readonly endpoints: readonly Endpoint[];
  /** Of the first replica. */
  readonly client: ApiClient;
  readonly pid: number;
  readonly files: { readonly ca: string; readonly clientCert: string; readonly clientKey: string; readonly serverCert: string; readonly serverKey: string };
}

export async function withBenchCluster(replicas: ReplicaCount, run: (cluster: BenchCluster) => Promise<void>, apiserverFlags: readonly string[] = []): Promise<void> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-cluster-'));
  const cluster = await startCluster({ dataDirectory, replicas, fresh: true, apiserverFlags });
  const { caFile, admin, apiserver } = cluster.pki;
  const files = { ca: caFile, clientCert: admin.certFile, clientKey: admin.keyFile, serverCert: apiserver.certFile, serverKey: apiserver.keyFile };
  const [ca, cert, key] = [files.ca, files.clientCert, files.clientKey].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
  const endpoints = cluster.members.map(({ address }) => ({ host: '127.0.0.1', port: Number(new URL(address).port), ca, cert, key }));
  const client = new ApiClient(cluster.members[0]?.address ?? '', cluster);
  try {
    await run({ cluster, endpoints, client, files, get pid() { return cluster.members[0]?.process.pid ?? 0; } });
  } finally {
    client.close();
    await cluster.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}
