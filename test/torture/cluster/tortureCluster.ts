import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { apiserverFlags, balancerFlags } from '../../../deploy/flags.js';
import { describeExit, ManagedProcess } from '../../../deploy/managedProcess.js';
import { ensurePki, type PkiFiles } from '../../../deploy/pki.js';
import { findFreePorts } from '../../../deploy/ports.js';
import type { ClusterSettings, MemberSettings } from '../../../deploy/settings.js';
import { ApiClient } from '../../fixtures/apiClient.js';
import { FaultyMachines } from '../disk/faultyMachines.js';
import { FailPointFile } from '../../fixtures/failPointFile.js';
import { PeerNetwork } from './peerNetwork.js';
import { programFile } from '../../../deploy/programs.js';

/** One member of the cluster: a process with its data, and a client of the operators for it. */
export interface TortureMember extends MemberSettings {
  readonly process: ManagedProcess;
  /** Arms it to die at a named point. */
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
  /** History before this revision is gone. */
  readonly compactedRevision: number;
  readonly members: readonly { readonly id: string; readonly role: string }[];
}

const apiserverProgram = programFile('apiserver');
const balancerProgram = fileURLToPath(new URL('../../../deploy/balancer.js', import.meta.url));
const token = 'torture';
/** How far behind the wall clocks of members may be: their certificates are made for it. */
export const clocksOffMsMax = 100 * 86_400_000;
const members = ['r1', 'r2', 'r3'];
/** Short, so that a round meets many compactions. Whoever is away for less loses nothing. */
const compactionSeconds = 5;
/** Few, so that logs are cut all the time, and who was away for some seconds needs a snapshot. */
const entriesKept = 50;
const stopGraceMs = 20_000;
const pollMs = 50;
const statusTimeoutMs = 2_000;

/**
 * Three API servers behind a balancer, whose members can be killed, cut off from each other, and replaced. What replaces a member takes its place
 * towards clients, its HTTPS port, under a new id.
 */
export class TortureCluster {
  readonly network: PeerNetwork;
  readonly address: string;
  readonly members: TortureMember[] = [];
  /** Null where none can be made. */
  readonly machines: FaultyMachines | null;
  /** Processes that ended although nobody ended them, and the reason why they might is not here. */
  readonly unexpectedExits: string[] = [];
  /** Who has a vote, as far as is known: `maybe` while a change that gives or takes it is under way. */
  readonly votes = new Map<string, 'yes' | 'maybe'>(members.map((id) => [id, 'yes']));
  /** Members whose disks fail or are slow now. */
  readonly badDisks = new Set<string>();
  /** Members whose processes may end by themselves now. */
  readonly mayEnd = new Set<string>();
  readonly #balancer: ManagedProcess;
  #named = members.length;

  private constructor(
    readonly directory: string,
    readonly pki: PkiFiles,
    settings: ClusterSettings,
    port: number,
    chance: (below: number) => number,
    private readonly threads: number,
  ) {
    this.address = `https://127.0.0.1:${port}`;
    this.machines = FaultyMachines.make(path.join(directory, 'machines'));
    this.network = new PeerNetwork(
      () => new Map(this.members.flatMap(({ id, process: { pid } }) => (pid === null ? [] : [[id, pid]]))),
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

  /** `threads`: that serve, of each API server. */
  static async start(directory: string, chance: (below: number) => number, threads = 1): Promise<TortureCluster> {
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
      threads,
    );
    for (const { id, peerPort } of settings.members) await cluster.network.add(id, peerPort);
    for (const member of settings.members) cluster.members.push(cluster.#member(member, members, 'new'));
    cluster.#balancer.start();
    for (const member of cluster.members) member.process.start();
    return cluster;
  }

  /** A further member, not started. With `place` it answers clients on the port of a member that is gone. */
  async prepare(place: number | null): Promise<TortureMember> {
    const id = `r${++this.#named}`;
    const [peerPort = 0, freePort = 0] = await findFreePorts(2);
    await ensurePki(path.join(this.directory, 'pki'), [...this.members.map((member) => member.id), id], { clockSkewMs: clocksOffMsMax });
    await this.network.add(id, peerPort);
    return this.#member({ id, securePort: place ?? freePort, peerPort }, [...this.members.map((member) => member.id), id], 'existing');
  }

  /** Takes it out of the harness: its process has ended, its data go. */
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

  /** How far history was gone, on any member, when this was asked, or further; null while no member can tell. */
  async compacted(): Promise<number | null> {
    const known = await Promise.all(this.members.map((member) => this.#compactedOn(member)));
    const revisions = known.filter((revision) => revision !== null);
    return revisions.length === 0 ? null : Math.max(...revisions);
  }

  /** A read of the newest state comes first: whoever answers it has applied all that any member had applied before. */
  async #compactedOn(member: TortureMember): Promise<number | null> {
    const read = await member.client.request('GET', '/api/v1/namespaces/default', { timeoutMs: statusTimeoutMs }).catch(() => null);
    return read?.status === 200 ? ((await this.status(member))?.compactedRevision ?? null) : null;
  }

  /** Whoever leads by its own account; of several the one with the most followers' word. */
  async leader(): Promise<TortureMember | null> {
    const answers = await Promise.all(this.members.map((member) => this.status(member)));
    const named = answers.flatMap((answer) => answer?.leaderId ?? []);
    const [most] = [...new Set(named)].sort((a, b) => named.filter((id) => id === b).length - named.filter((id) => id === a).length);
    return this.members.find(({ id }) => id === most) ?? null;
  }

  /** True when every member serves within the time. */
  async whole(timeoutMs: number): Promise<boolean> {
    const ready = await Promise.all(this.members.map((member) => this.ready(member, timeoutMs)));
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
    this.network.close();
  }

  #log(name: string): string {
    return path.join(this.directory, 'logs', `${name}.log`);
  }

  #member(own: MemberSettings, all: readonly string[], state: 'new' | 'existing'): TortureMember {
    const { id, securePort } = own;
    const dataDirectory = path.join(this.directory, 'data', id);
    const address = `https://127.0.0.1:${securePort}`;
    const flags = apiserverFlags({ settings: { token, members: [own] }, pki: this.pki, port: 0 }, id, dataDirectory).filter(
      (flag) => !flag.startsWith('--raft-initial-cluster='),
    );
    const cluster = all.map((name) => `${name}=${this.network.addressOf(name)}`).join(',');
    const args = [
      ...flags,
      `--serving-threads=${this.threads}`,
      `--etcd-compaction-interval=${compactionSeconds}s`,
      `--raft-log-entries-kept=${entriesKept}`,
      `--raft-initial-cluster=${cluster}`,
      `--raft-initial-cluster-state=${state}`,
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
