import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startCluster, type Cluster, type ClusterOptions } from '../../deploy/cluster.js';
import type { MemberSettings, ReplicaCount } from '../../deploy/settings.js';
import { ApiClient } from '../fixtures/apiClient.js';
import { PeerNetwork } from '../torture/cluster/peerNetwork.js';
import type { Endpoint } from './connection.js';

export interface BenchCluster {
  readonly cluster: Cluster;
  /** The replicas' own addresses. */
  readonly endpoints: readonly Endpoint[];
  /** A client of the first replica. */
  readonly client: ApiClient;
  readonly pid: number;
  /** Null without `ownNetwork`. */
  readonly network: PeerNetwork | null;
  readonly files: {
    readonly ca: string;
    readonly clientCert: string;
    readonly clientKey: string;
    readonly serverCert: string;
    readonly serverKey: string;
  };
}

export interface BenchClusterOptions extends Partial<ClusterOptions> {
  /** Replicas communicate through proxies, which can disconnect them. */
  readonly ownNetwork?: boolean;
}

export async function withBenchCluster(
  replicas: ReplicaCount,
  run: (cluster: BenchCluster) => Promise<void>,
  apiserverFlags: readonly string[] = [],
  { ownNetwork = false, ...options }: BenchClusterOptions = {},
): Promise<void> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-cluster-'));
  const network = ownNetwork
    ? new PeerNetwork(
        () => runningReplicas(dataDirectory),
        () => 0,
      )
    : null;
  const cluster = await startCluster({
    ...options,
    dataDirectory,
    replicas,
    fresh: true,
    apiserverFlags,
    ...(network ? { peerAddresses: (members) => join(network, members) } : {}),
  });
  const { caFile, admin, apiserver } = cluster.pki;
  const files = {
    ca: caFile,
    clientCert: admin.certFile,
    clientKey: admin.keyFile,
    serverCert: apiserver.certFile,
    serverKey: apiserver.keyFile,
  };
  const [ca, cert, key] = [files.ca, files.clientCert, files.clientKey].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
  const endpoints = cluster.members.map(({ address }) => ({ host: '127.0.0.1', port: Number(new URL(address).port), ca, cert, key }));
  const client = new ApiClient(cluster.members[0]?.address ?? '', cluster);
  try {
    await run({
      cluster,
      endpoints,
      client,
      network,
      files,
      get pid() {
        return cluster.members[0]?.process.pid ?? 0;
      },
    });
  } finally {
    client.close();
    network?.heal();
    await cluster.stop();
    network?.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

async function join(network: PeerNetwork, members: readonly MemberSettings[]): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await Promise.all(members.map(async ({ id, peerPort }): Promise<[string, string]> => [id, await network.add(id, peerPort)])),
  );
}

/** id -> pid, from the cluster's file, which exists before processes connect. */
function runningReplicas(dataDirectory: string): ReadonlyMap<string, number> {
  const { processes } = JSON.parse(readFileSync(path.join(dataDirectory, 'cluster.json'), 'utf8')) as {
    readonly processes: readonly { readonly memberId?: string; readonly pid: number | null }[];
  };
  return new Map(processes.flatMap(({ memberId, pid }) => (memberId === undefined || pid === null ? [] : [[memberId, pid]])));
}
