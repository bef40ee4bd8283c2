import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { apiserverFlags, balancerFlags } from '../../../deploy/flags.js';
import { describeExit, ManagedProcess } from '../../../deploy/managedProcess.js';
import { ensurePki, type PkiFiles } from '../../../deploy/pki.js';
import { findFreePorts } from '../../../deploy/ports.js';
import type { ClusterSettings, MemberSettings, storeKinds } from '../../../deploy/settings.js';
import { ApiClient } from '../../fixtures/apiClient.js';
import type { EtcdMember } from '../../fixtures/etcdServers.js';
import { FaultyMachines } from '../disk/faultyMachines.js';
import { FailPointFile } from '../../fixtures/failPointFile.js';
import { EtcdGroup } from './etcdGroup.js';
import type { PastRead } from '../checks/compaction.js';
import { PeerNetwork } from './peerNetwork.js';
import { programFile } from '../../../deploy/programs.js';

export interface TortureMember extends MemberSettings {
  readonly process: ManagedProcess;
  readonly failPoints: FailPointFile;
  readonly dataDirectory: string;
  readonly address: string;
  readonly client: ApiClient;
}

export interface MemberStatus {
  readonly memberId: string;
  readonly leaderId: string | null;
  readonly role: string;
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly appliedIndex: number;
  readonly revision: number;
  /** The oldest available revision. */
  readonly compactedRevision: number;
  readonly members: readonly { readonly id: string; readonly role: string }[];
}

export type TortureStore = (typeof storeKinds)[number];

export interface TortureClusterOptions {
  /** Serving threads of each API server. */
  readonly threads: number;
  readonly store: TortureStore;
}

const apiserverProgram = programFile('apiserver');
const balancerProgram = fileURLToPath(new URL('../../../deploy/balancer.js', import.meta.url));
const token = 'torture';
/** The largest jump back of a wall clock: certificates are valid that much earlier. */
export const clocksOffMsMax = 100 * 86_400_000;
const members = ['r1', 'r2', 'r3'];
/** Short, so that rounds see many compactions. */
const compactionSeconds = 5;
/** Few, so that a member needs a snapshot after some seconds. */
const entriesKept = 50;
const stopGraceMs = 20_000;
const pollMs = 50;
const statusTimeoutMs = 2_000;

/** Three API servers behind a balancer, which can be killed, cut off and replaced. A replacement has the old HTTPS port and a new id. */
export class TortureCluster {
  readonly #options: TortureClusterOptions;
  readonly network: PeerNetwork;
  readonly address: string;
  readonly members: TortureMember[] = [];
  /** Null if unsupported. */
  readonly machines: FaultyMachines | null;
  /** Processes that ended without a cause in the plan. */
  readonly unexpectedExits: string[] = [];
  /** Known voters: `maybe` during a change that adds or removes one. */
  readonly votes = new Map<string, 'yes' | 'maybe'>(members.map((id) => [id, 'yes']));
  readonly badDisks = new Set<string>();
  /** Members whose processes may end now. */
  readonly mayEnd = new Set<string>();
  readonly #balancer: ManagedProcess;
  #named = members.length;
  #etcd: EtcdGroup | null = null;
  #etcdMembers: readonly EtcdMember[] = [];

  private constructor(
    readonly directory: string,
    readonly pki: PkiFiles,
    settings: ClusterSettings,
    port: number,
    chance: (below: number) => number,
    options: TortureClusterOptions,
  ) {
    this.#options = options;
    this.address = `https://127.0.0.1:${port}`;
    this.machines = FaultyMachines.make(path.join(directory, 'machines'));
    this.network = new PeerNetwork(
      () =>
        new Map([
          ...this.members.flatMap(({ id, process: { pid } }) => (pid === null ? [] : ([[id, pid]] as const))),
          ...this.#etcdMembers.map(({ name, process }) => [name, process.pid ?? 0] as const),
        ]),
      chance,
    );
    this.#balancer = new ManagedProcess({
      role: 'balancer',
      name: 'balancer',
      program: balancerProgram,
      args: balancerFlags({ settings, pki, port }),
      address: this.address,
      log: this.#log('balancer'),
    });
  }

  get threads(): number {
    return this.#options.threads;
  }

  static async start(directory: string, chance: (below: number) => number, options: TortureClusterOptions): Promise<TortureCluster> {
    for (const part of ['logs', 'failPoints']) fs.mkdirSync(path.join(directory, part), { recursive: true });
    const ports = await findFreePorts(2 * members.length + 1);
    const settings = {
      token,
      members: members.map((id, index) => ({ id, securePort: ports[2 * index]!, peerPort: ports[2 * index + 1]! })),
    };
    const cluster = new TortureCluster(
      directory,
      await ensurePki(path.join(directory, 'pki'), members, { clockSkewMs: clocksOffMsMax }),
      settings,
      ports.at(-1)!,
      chance,
      options,
    );
    await prepareStore[options.store](cluster, settings);
    for (const member of settings.members) cluster.members.push(cluster.#member(member, members, 'new'));
    cluster.#balancer.start();
    for (const member of cluster.members) member.process.start();
    return cluster;
  }

  /** The etcd below, or null where servers store objects themselves. */
  get etcd(): EtcdGroup | null {
    return this.#etcd;
  }

  /** All linked processes. */
  get stations(): readonly string[] {
    return [...this.members.map(({ id }) => id), ...this.#etcdMembers.map(({ name }) => name)];
  }

  async startEtcd(): Promise<void> {
    this.#etcd = await EtcdGroup.start(
      this.network,
      (name) => this.#log(name),
      (etcdMembers) => {
        this.#etcdMembers = etcdMembers;
      },
    );
  }

  /** Prepares a further member without starting it. With `place` it gets the client port of a removed member. */
  async prepare(place: number | null): Promise<TortureMember> {
    const id = `r${++this.#named}`;
    const [peerPort = 0, freePort = 0] = await findFreePorts(2);
    await ensurePki(path.join(this.directory, 'pki'), [...this.members.map((member) => member.id), id], { clockSkewMs: clocksOffMsMax });
    await this.network.add(id, peerPort);
    return this.#member({ id, securePort: place ?? freePort, peerPort }, [...this.members.map((member) => member.id), id], 'existing');
  }

  /** Removes an ended member and its data. */
  forget(member: TortureMember): void {
    this.members.splice(this.members.indexOf(member), 1);
    this.network.remove(member.id);
    this.machines?.forget(member.id);
    member.client.close();
    fs.rmSync(member.dataDirectory, { recursive: true, force: true });
  }

  async status(member: TortureMember): Promise<MemberStatus | null> {
    const answer = await member.client.request('GET', '/raft/v1/status', { timeoutMs: statusTimeoutMs }).catch(() => null);
    return answer?.status === 200 ? (answer.body as MemberStatus) : null;
  }

  /** The version below which this read fails, as in `Actor.gone`: a server over an etcd has no watch history from before its start. */
  async gone(what: PastRead['what']): Promise<number | null | 'never'> {
    return this.#etcd !== null && what === 'watch' ? 'never' : await this.compacted();
  }

  /** At least the compacted revision of any member at the time of the call; null while no member answers. */
  async compacted(): Promise<number | null> {
    if (this.#etcd !== null) return await this.#etcd.compacted();
    const known = await Promise.all(this.members.map((member) => this.#compactedOn(member)));
    const revisions = known.filter((revision) => revision !== null);
    return revisions.length === 0 ? null : Math.max(...revisions);
  }

  /** The consistent read ensures that the member has applied everything that others had applied before. */
  async #compactedOn(member: TortureMember): Promise<number | null> {
    const read = await member.client.request('GET', '/api/v1/namespaces/default', { timeoutMs: statusTimeoutMs }).catch(() => null);
    return read?.status === 200 ? ((await this.status(member))?.compactedRevision ?? null) : null;
  }

  /** The leader by its own status; of several the one with most followers. Over an etcd, the first server takes this part. */
  async leader(): Promise<TortureMember | null> {
    if (this.#etcd !== null) return this.members[0] ?? null;
    const answers = await Promise.all(this.members.map((member) => this.status(member)));
    const named = answers.flatMap((answer) => answer?.leaderId ?? []);
    const [most] = [...new Set(named)].sort((a, b) => named.filter((id) => id === b).length - named.filter((id) => id === a).length);
    return this.members.find(({ id }) => id === most) ?? null;
  }

  /** Returns whether every server and etcd member serves within the time. */
  async whole(timeoutMs: number): Promise<boolean> {
    const ready = await Promise.all([
      ...this.members.map((member) => this.ready(member, timeoutMs)),
      ...(this.#etcd === null ? [] : [this.#etcd.whole(timeoutMs)]),
    ]);
    return ready.every(Boolean);
  }

  async ready(member: TortureMember, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const answer = await member.client.request('GET', '/readyz', { timeoutMs: statusTimeoutMs }).catch(() => null);
      if (answer?.status === 200) return true;
      await delay(pollMs);
    }
    return false;
  }

  async stop(): Promise<void> {
    this.network.heal();
    await Promise.all([...this.members.map(({ process }) => process), this.#balancer].map((process) => process.stop(stopGraceMs)));
    for (const { client } of this.members) client.close();
    await this.#etcd?.stop();
    this.network.close();
  }

  #log(name: string): string {
    return path.join(this.directory, 'logs', `${name}.log`);
  }

  #member(own: MemberSettings, all: readonly string[], state: 'new' | 'existing'): TortureMember {
    const { id, securePort } = own;
    const dataDirectory = path.join(this.directory, 'data', id);
    const address = `https://127.0.0.1:${securePort}`;
    const args = [
      ...serverFlags[this.#options.store](this, own, dataDirectory, all, state),
      `--serving-threads=${this.#options.threads}`,
      `--etcd-compaction-interval=${compactionSeconds}s`,
    ];
    const failPoints = new FailPointFile(path.join(this.directory, 'failPoints', id));
    const environment = { ...this.machines?.environment(id, dataDirectory), ...failPoints.environment };
    const process = new ManagedProcess(
      { role: 'apiserver', name: id, program: apiserverProgram, args, address, log: this.#log(id), environment },
      (exit) => {
        if (!exit.expected && !this.mayEnd.has(id)) this.unexpectedExits.push(`${id}: ${describeExit(exit)}`);
      },
    );
    return { ...own, process, failPoints, dataDirectory, address, client: new ApiClient(address, this) };
  }
}

const alone = (own: MemberSettings): ClusterSettings => ({ token, members: [own] });

/** Prepares a store before its servers. */
const prepareStore: Readonly<Record<TortureStore, (cluster: TortureCluster, settings: ClusterSettings) => Promise<void>>> = {
  raft: async ({ network }, settings) => {
    for (const { id, peerPort } of settings.members) await network.add(id, peerPort);
  },
  etcd: (cluster) => cluster.startEtcd(),
};

type ServerFlags = (
  cluster: TortureCluster,
  own: MemberSettings,
  dataDirectory: string,
  all: readonly string[],
  state: 'new' | 'existing',
) => readonly string[];

const serverFlags: Readonly<Record<TortureStore, ServerFlags>> = {
  raft: ({ pki, network }, own, dataDirectory, all, state) => [
    ...apiserverFlags({ settings: alone(own), pki, port: 0 }, own.id, dataDirectory).filter(
      (flag) => !flag.startsWith('--raft-initial-cluster='),
    ),
    `--raft-log-entries-kept=${entriesKept}`,
    `--raft-initial-cluster=${all.map((name) => `${name}=${network.addressOf(name)}`).join(',')}`,
    `--raft-initial-cluster-state=${state}`,
  ],
  etcd: ({ pki, etcd }, own, dataDirectory) =>
    apiserverFlags({ settings: alone(own), pki, port: 0, etcdServers: etcd?.urls }, own.id, dataDirectory),
};
