import { loadavg } from 'node:os';
import type { Cluster, ClusterMember } from '../../deploy/cluster.js';
import { ApiClient } from '../fixtures/apiClient.js';
import { connectAll, flood, reconnectWatchers, slowLoris, slowReaders, type Overloaded } from '../cluster/storm.js';
import { withBenchCluster } from './benchCluster.js';
import { count, printTable } from './table.js';

/** Far more than three replicas can do. What counts is what does not happen: elections, processes that end, memory without bound. */
export interface OverloadOptions { readonly connections: number; readonly watchers: number; readonly seconds: number }

const path = '/api/v1/namespaces/default/configmaps';
const floodConnections = 500;
const slowClients = 500;
const deafClients = 100;

export async function benchOverload({ connections, watchers, seconds }: OverloadOptions): Promise<void> {
  await withBenchCluster(3, async ({ cluster }) => {
    const storm: Overloaded = { cluster, path };
    const rows: string[][] = [];
    const before = await stateOf(cluster);
    const measured = async (what: string, run: () => Promise<string>, alive: readonly ClusterMember[] = cluster.members): Promise<void> => {
      console.error(`  ${what} ...`);
      const outcome = await run();
      const { term, residentMebibytes } = await stateOf(cluster, alive);
      rows.push([what, outcome, String(term - before.term), count(residentMebibytes)]);
    };
    await measured(`${count(connections)} connections at once`, async () => {
      const { answered, tookMs } = await connectAll(storm, connections);
      return `${count(answered)} served in ${(tookMs / 1000).toFixed(1)} s`;
    });
    await measured(`${floodConnections} connections without a pause, ${seconds} s`, async () => {
      const { answered, refused, failed } = await flood(storm, { connections: floodConnections, seconds });
      return `${count(answered / seconds)}/s answered, ${count(refused)} refused, ${count(failed)} cut off`;
    });
    await measured(`${slowClients} slow and ${deafClients} deaf clients`, async () => {
      const ends = [await slowLoris(storm, slowClients), await slowReaders(storm, deafClients)];
      const { answered } = await flood(storm, { connections: 8, seconds: 2 });
      for (const end of ends) end();
      return `${count(answered / 2)}/s answered to others`;
    });
    const [to, , dead] = cluster.members as [ClusterMember, ClusterMember, ClusterMember];
    await measured(`${count(watchers)} watchers come back, a replica killed`, async () => {
      const { resumed, missed, tookMs } = await reconnectWatchers(storm, { watchers, from: dead, to, kill: () => dead.process.kill('SIGKILL') });
      return `${count(resumed)} go on after ${(tookMs / 1000).toFixed(1)} s, ${count(missed)} do not`;
    }, cluster.members.filter((member) => member !== dead));
    printTable(['storm', 'outcome', 'elections so far', 'MiB resident, largest'], rows);
    console.log(`\nload average ${loadavg()[0]?.toFixed(1)}; the death of a replica that led is an election of its own`);
  });
}

async function stateOf(cluster: Cluster, members: readonly ClusterMember[] = cluster.members): Promise<{ readonly term: number; readonly residentMebibytes: number }> {
  const states = await Promise.all(members.map(async ({ address }) => {
    const client = new ApiClient(address, cluster);
    const { term } = await client.expect(200, 'GET', '/raft/v1/status') as unknown as { readonly term: number };
    const metrics = String((await client.request('GET', '/metrics')).body);
    client.close();
    return { term, resident: Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]) / 2 ** 20 };
  }));
  return { term: Math.max(...states.map(({ term }) => term)), residentMebibytes: Math.max(...states.map(({ resident }) => resident)) };
}
