import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster, type ClusterMember, type ClusterOptions } from '../../deploy/cluster.js';
import { ApiClient, type ApiObject } from '../fixtures/apiClient.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

export interface RaftStatus {
  readonly memberId: string;
  readonly leaderId: string | null;
  readonly term: number;
  readonly commitIndex: number;
  readonly appliedIndex: number;
  readonly members: readonly { readonly id?: string; readonly memberId?: string; readonly role: string }[];
}

const pollMs = 25;

/** With TEST_STORE=etcd test clusters use an etcd, unless they test Raft. */
export const keepsInEtcd = process.env['TEST_STORE'] === 'etcd';

/** A cluster of processes on free ports, with a client for the balancer and one for each replica. */
export class ClusterUnderTest {
  readonly client: ApiClient;
  readonly clients = new Map<string, ApiClient>();

  private constructor(readonly cluster: Cluster) {
    this.client = new ApiClient(cluster.address, cluster);
    for (const member of cluster.members) this.clients.set(member.id, new ApiClient(member.address, cluster));
  }

  static async start(options: Partial<ClusterOptions> = {}): Promise<ClusterUnderTest> {
    const store = keepsInEtcd && options.etcdServers === undefined ? { store: 'etcd' as const } : {};
    // As with `npm start`: tests that wait for a program do not block this process.
    const usual = { dataDirectory: temporaryDirectory('cluster'), balancer: 'inLauncher' } as const;
    return new ClusterUnderTest(await startCluster({ ...usual, ...store, ...options }));
  }

  get members(): readonly ClusterMember[] {
    return this.cluster.members;
  }

  at(member: ClusterMember): ApiClient {
    const client = this.clients.get(member.id);
    if (!client) throw new Error(`no member ${member.id}`);
    return client;
  }

  async status(member: ClusterMember): Promise<RaftStatus> {
    return (await this.at(member).expect(200, 'GET', '/raft/v1/status')) as unknown as RaftStatus;
  }

  /** The leader that all running replicas agree on; waits for an election. */
  async leader(): Promise<ClusterMember> {
    for (;;) {
      const running = this.members.filter((member) => member.process.running);
      const leaders = new Set(
        await Promise.all(running.map(async (member) => (await this.status(member).catch(() => null))?.leaderId ?? null)),
      );
      const [id] = leaders;
      const leader = running.find((member) => member.id === id);
      if (leaders.size === 1 && leader) return leader;
      await delay(pollMs);
    }
  }

  /** Waits until a replica has applied everything that the leader has committed so far. */
  async caughtUp(member: ClusterMember): Promise<void> {
    const { commitIndex } = await this.status(await this.leader());
    while ((await this.status(member)).appliedIndex < commitIndex) await delay(pollMs);
  }

  /** Kills a member. Clients then use new connections. */
  async kill(member: ClusterMember): Promise<void> {
    await member.process.kill('SIGKILL');
    for (const client of [this.client, this.at(member)]) client.forgetIdle();
  }

  async namespace(name: string): Promise<string> {
    await this.client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    return `/api/v1/namespaces/${name}/configmaps`;
  }

  /** Name -> resource version of a collection on one replica. */
  async contents(member: ClusterMember, path: string): Promise<Record<string, string>> {
    const list = await this.at(member).expect(200, 'GET', path);
    return Object.fromEntries((list.items ?? []).map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  }

  /** Prints internal errors from the servers' logs. */
  #showDefects(): void {
    const folder = path.join(this.cluster.dataDirectory, 'logs');
    for (const file of fs.existsSync(folder) ? fs.readdirSync(folder) : [])
      for (const line of fs.readFileSync(path.join(folder, file), 'utf8').split('\n'))
        if (line.includes('request failed') && /stack="(?!StatusError)/.test(line)) process.stdout.write(`${file}: ${line}\n`);
  }

  async stop(): Promise<void> {
    for (const client of [this.client, ...this.clients.values()]) client.close();
    await this.cluster.stop();
    this.#showDefects();
    fs.rmSync(this.cluster.dataDirectory, { recursive: true, force: true });
  }
}

export const configMap = (
  name: string,
  data: Record<string, string> = {},
): Pick<ApiObject, 'kind' | 'apiVersion' | 'data'> & { metadata: { name: string } } => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  data,
});
