import fs from 'node:fs';
import path from 'node:path';
import { awaitReady } from './awaitReady.js';
import { waitForLeftovers, writeClusterFile } from './clusterFile.js';
import { keepPrivate, makeFolder, writeFileAtomically } from './files.js';
import { apiserverFlags, balancerFlags, host, managerFlags } from './flags.js';
import { haproxyConfiguration } from './haproxy.js';
import { kubeconfig } from './kubeconfig.js';
import { lockDirectory } from './launcherLock.js';
import { boundLog, logCheckIntervalMs } from './logFiles.js';
import { ManagedBalancer } from './managedBalancer.js';
import { ManagedProcess } from './managedProcess.js';
import type { Exit, ManagedProgram, ProcessSpec, ProgramEvents } from './managedProgram.js';
import { ManagedThread } from './managedThread.js';
import { ensurePki, type PkiFiles } from './pki.js';
import { findFreePorts, portIsFree } from './ports.js';
import { programFile } from './programs.js';
import { Supervisor } from './supervisor.js';
import { restoreMembers } from './restore.js';
import {
  loadSettings,
  type ClusterSettings,
  type MemberSettings,
  type ProgramFlags,
  type ReplicaCount,
  type StoreKind,
} from './settings.js';

/** API server replicas and a balancer, with all files in one folder. `up.ts` is the command; tests and benchmarks use this module directly. */

export interface ClusterOptions {
  readonly dataDirectory: string;
  /** Default: as many as the data directory holds, or three. */
  readonly replicas?: ReplicaCount | undefined;
  /** Default: as before, or the replicas. */
  readonly store?: Exclude<StoreKind, 'etcd-servers'> | undefined;
  /** Servers of an existing etcd that keeps the objects. */
  readonly etcdServers?: readonly string[] | undefined;
  /** The balancer's port; without it, a free one. */
  readonly port?: number | undefined;
  /** Deletes the data, logs and ports of an earlier cluster; certificates stay. */
  readonly fresh?: boolean | undefined;
  readonly restore?: string | undefined;
  /** The program of a replica: the API server, unless a test replaces it. */
  readonly apiserverProgram?: string | undefined;
  /** Further flags for all API servers, or for one by its id. */
  readonly apiserverFlags?: readonly string[] | ((id: string) => readonly string[]) | undefined;
  readonly peerAddresses?: ((members: readonly MemberSettings[]) => Promise<ReadonlyMap<string, string>>) | undefined;
  /** Flags that the data directory stores for the next start; absent: unchanged. */
  readonly rememberedFlags?: ProgramFlags | undefined;
  /** Copies of the controller manager; none by default. */
  readonly managers?: number | undefined;
  readonly managerFlags?: readonly string[] | undefined;
  /** Number of simulated nodes in one process (`nodes/DESIGN.md`). Default 0. */
  readonly fakeNodes?: number | undefined;
  /** Lets simulated nodes bind pods; false with a real scheduler. Default true. */
  readonly bindPods?: boolean | undefined;
  /**
   * False makes `address` that of the first replica. The default is a balancer in a separate process. `inLauncher`, it runs in this process and can hand
   * connections over to servers: for launchers that are never busy for long.
   */
  readonly balancer?: boolean | 'inLauncher' | undefined;
  /** Lets managers serve health and metrics, with their own port and certificate. */
  readonly managersServe?: boolean | undefined;
  /** Runs everything in threads of this process. */
  readonly inProcess?: boolean | undefined;
  /** A module that every API server thread loads first, with a test's faults. */
  readonly apiserverPreload?: string | undefined;
  /** The same for managers and stand-in nodes. */
  readonly clientPreload?: string | undefined;
  /** Called for any message of a program but `ready`. */
  readonly onMessage?: ((program: ManagedProgram, message: unknown) => void) | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Restarts failed programs once the cluster is up: managers after any end, others when they ended by themselves without a signal. */
  readonly restartFailed?: boolean | undefined;
  /** Called when a process ended, as requested or not; `restartInMs` is null without an automatic restart. */
  readonly onExit?: ((process: ManagedProgram, exit: Exit, restartInMs: number | null) => void) | undefined;
  /** Type of new service account token keys. Default: RSA. */
  readonly tokenKeys?: 'rsa' | 'ec' | undefined;
  /** Cancels a start in progress. */
  readonly signal?: AbortSignal | undefined;
}

export interface ClusterMember {
  readonly id: string;
  /** `https://127.0.0.1:port`, past the balancer. */
  readonly address: string;
  readonly peerAddress: string;
  readonly dataDirectory: string;
  readonly process: ManagedProgram;
  restart(): Promise<void>;
  waitReady(): Promise<void>;
}

export interface Cluster {
  readonly dataDirectory: string;
  /** The balancer's address, or without one the first replica's: `https://127.0.0.1:port`. */
  readonly address: string;
  readonly kubeconfig: string;
  readonly pki: PkiFiles;
  readonly members: readonly ClusterMember[];
  readonly balancer: ManagedProgram | null;
  readonly etcd: ManagedProgram | null;
  /** Controller managers, of which one is active. */
  readonly managers: readonly ManagedProgram[];
  readonly fakeNodes: ManagedProgram | null;
  /** Resolves when all are ready. */
  startStopped(): Promise<void>;
  /** Expects a stopped process; resolves when it is ready. */
  restart(program: ManagedProgram): Promise<void>;
  /** Stops every process, and releases the data directory. May be called again. */
  stop(): Promise<void>;
  /** Kills everything at once, as in a power cut: for clusters with expendable data. */
  discard(): Promise<void>;
}

/** Between SIGTERM and SIGKILL. */
const stopGraceMs = 10_000;

/** Resolves when every replica and the balancer are ready. A failure leaves no process. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const directory = path.resolve(options.dataDirectory);
  makeFolder(directory, 0o700);
  keepPrivate(directory);
  const unlock = lockDirectory(directory);
  let cluster: LocalCluster | null = null;
  try {
    cluster = await prepare(directory, options, unlock);
    await cluster.start();
    return cluster;
  } catch (error) {
    if (cluster) await cluster.stop();
    else unlock();
    throw error;
  }
}

/** Does everything that can fail before the first process starts. */
async function prepare(directory: string, options: ClusterOptions, unlock: () => void): Promise<LocalCluster> {
  const say = options.onProgress ?? (() => undefined);
  const clusterFile = path.join(directory, 'cluster.json');
  await waitForLeftovers(clusterFile, say);
  if (options.fresh) removeState(directory);
  makeFolder(path.join(directory, 'logs'), 0o700);
  keepPrivate(path.join(directory, 'logs'));
  const { etcdServers: given, rememberedFlags: flags, replicas } = options;
  const store = given === undefined ? options.store : 'etcd-servers';
  const settings = await loadSettings(path.join(directory, 'settings.json'), { replicas, store, flags });
  const etcdUrls = settings.store === 'etcd' ? (await findFreePorts(2)).map((each) => `http://${host}:${each}`) : null;
  if (etcdUrls !== null && options.inProcess) throw new Error('an etcd cannot run in a thread: give the addresses of one that runs');
  const port = options.balancer === false ? (settings.members[0]?.securePort ?? 0) : await choosePort(options.port);
  const managers = options.managers ?? 0;
  const managerPorts = options.managersServe === false ? Array.from({ length: managers }, () => 0) : await findFreePorts(managers);
  const pki = await makeCertificates(directory, settings, options, say);
  writeClientFiles(directory, port, pki, settings);
  const tokenFile = writeToken(directory, settings);
  if (options.restore !== undefined) {
    say(`restoring ${options.restore}`);
    restoreMembers(options.restore, { directory, tokenFile }, settings);
  }
  const peerAddresses = await options.peerAddresses?.(settings.members);
  const etcdServers = given ?? etcdUrls?.slice(0, 1);
  return new LocalCluster({
    directory,
    clusterFile,
    settings,
    port,
    peerAddresses,
    etcdUrls,
    etcdServers,
    managerPorts,
    pki,
    tokenFile,
    options,
    say,
    unlock,
  });
}

function writeToken(directory: string, { token }: ClusterSettings): string {
  const file = path.join(directory, 'cluster-token');
  writeFileAtomically(file, `${token}\n`, 0o600);
  return file;
}

async function makeCertificates(
  directory: string,
  { members }: ClusterSettings,
  { tokenKeys }: ClusterOptions,
  say: (line: string) => void,
): Promise<PkiFiles> {
  const memberIds = members.map(({ id }) => id);
  const pki = await ensurePki(path.join(directory, 'pki'), memberIds, { tokenKeys });
  if (pki.written.length > 0) say(`made certificates: ${pki.written.join(', ')}`);
  return pki;
}

function removeState(directory: string): void {
  for (const name of ['data', 'logs', 'settings.json', 'cluster.json'])
    fs.rmSync(path.join(directory, name), { recursive: true, force: true });
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined || wanted === 0) return (await findFreePorts(1))[0] ?? 0;
  if (await portIsFree(wanted, host)) return wanted;
  throw new Error(`port ${wanted} on ${host} is in use by another program (or needs more rights): choose another with --port`);
}

function writeClientFiles(directory: string, port: number, pki: PkiFiles, settings: ClusterSettings): void {
  const server = `https://${host}:${port}`;
  const clients = {
    admin: { user: 'kubernetes-admin', client: pki.admin },
    'controller-manager': { user: 'system:kube-controller-manager', client: pki.controllerManager },
  };
  for (const [name, { user, client }] of Object.entries(clients)) {
    writeFileAtomically(path.join(directory, `${name}.kubeconfig`), kubeconfig({ server, caFile: pki.caFile, user, client }), 0o600);
  }
  const backends = settings.members.map(({ id, securePort }) => ({ name: id, address: `${host}:${securePort}` }));
  writeFileAtomically(
    path.join(directory, 'haproxy.cfg'),
    haproxyConfiguration({ listen: `${host}:${port}`, backends, caFile: pki.caFile }),
  );
}

interface Prepared {
  readonly directory: string;
  readonly clusterFile: string;
  readonly settings: ClusterSettings;
  readonly port: number;
  readonly peerAddresses: ReadonlyMap<string, string> | undefined;
  /** URLs for clients and for peers of the cluster's own etcd. */
  readonly etcdUrls: readonly string[] | null;
  readonly etcdServers: readonly string[] | undefined;
  readonly managerPorts: readonly number[];
  readonly pki: PkiFiles;
  readonly tokenFile: string;
  readonly options: ClusterOptions;
  readonly say: (line: string) => void;
  readonly unlock: () => void;
}

/** A killed API server stays away; one that ended by itself is restarted. */
/** Registration takes milliseconds per node, or more on a busy machine. */
const nodesTimeoutMs = (nodes: number): number => 60_000 + 60 * nodes;

const isSupervised = ({ spec }: ManagedProgram, { signal }: Exit): boolean => spec.role === 'controller-manager' || signal === null;

class LocalCluster implements Cluster {
  readonly #prepared: Prepared;
  readonly dataDirectory: string;
  readonly address: string;
  readonly kubeconfig: string;
  readonly pki: PkiFiles;
  readonly members: readonly ClusterMember[];
  readonly balancer: ManagedProgram | null;
  readonly etcd: ManagedProgram | null;
  readonly managers: readonly ManagedProgram[];
  readonly fakeNodes: ManagedProgram | null;
  readonly #stores: readonly ManagedProgram[];
  /** Servers start before their clients, and stop after them. */
  readonly #servers: readonly ManagedProgram[];
  readonly #clients: readonly ManagedProgram[];
  readonly #ca: string;
  readonly #supervisors = new Map<ManagedProgram, Supervisor>();
  #up = false;
  #stopping: Promise<void> | null = null;
  #logTimer: NodeJS.Timeout | null = null;
  /** The file that lists the processes could not be written. */
  #fileIsStale = false;

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
    const { directory, port, pki, settings } = prepared;
    this.dataDirectory = directory;
    this.address = `https://${host}:${port}`;
    this.kubeconfig = path.join(directory, 'admin.kubeconfig');
    this.pki = pki;
    this.#ca = fs.readFileSync(pki.caFile, 'utf8');
    this.etcd =
      prepared.etcdUrls === null
        ? null
        : this.#process({
            role: 'etcd',
            name: 'etcd',
            program: programFile('etcdMember'),
            args: [path.join(directory, 'data', 'etcd'), ...prepared.etcdUrls],
            address: null,
          });
    this.#stores = this.etcd ? [this.etcd] : [];
    this.members = settings.members.map((member) => this.#member(member));
    this.balancer = this.#balancer();
    this.managers = prepared.managerPorts.map((securePort, index) => this.#manager(`cm${index + 1}`, securePort));
    const { fakeNodes: nodes = 0, bindPods = true, clientPreload } = prepared.options;
    const nodeFlags = ['--kubeconfig', this.kubeconfig, '--count', String(nodes), ...(bindPods ? [] : ['--no-bind'])];
    this.fakeNodes =
      nodes > 0
        ? this.#process({
            role: 'fake-nodes',
            name: 'fake-nodes',
            readyTimeoutMs: nodesTimeoutMs(nodes),
            program: programFile('nodes'),
            args: nodeFlags,
            address: null,
            preload: clientPreload,
          })
        : null;
    this.#servers = [...this.members.map((member) => member.process), ...(this.balancer ? [this.balancer] : [])];
    this.#clients = [...this.managers, ...(this.fakeNodes ? [this.fakeNodes] : [])];
  }

  async start(): Promise<void> {
    const { settings, say } = this.#prepared;
    const started = performance.now();
    say(`starting ${settings.members.map(({ id }) => id).join(', ')}${this.balancer ? ' and the balancer' : ''}`);
    this.#logTimer = setInterval(() => {
      this.#boundLogs();
      if (this.#fileIsStale) this.#writeFile();
    }, logCheckIntervalMs).unref();
    await this.startStopped();
    this.#up = true;
    say(`all ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }

  async startStopped(): Promise<void> {
    await this.#startAll(this.#stores);
    const ready = new Map(this.#servers.map((server) => [server, this.#startOne(server)]));
    this.#writeFile();
    // Clients need not wait for all servers.
    const entrance = this.balancer ?? this.members[0]?.process;
    const clients = (entrance && ready.get(entrance))?.then(() => this.#startAll(this.#clients));
    await Promise.all([...ready.values(), clients]);
  }

  async #startAll(programs: readonly ManagedProgram[]): Promise<void> {
    const ready = programs.map((program) => this.#startOne(program));
    this.#writeFile();
    await Promise.all(ready);
  }

  #startOne(program: ManagedProgram): Promise<void> {
    if (!program.running) program.start();
    return this.#waitReady(program);
  }

  async restart(program: ManagedProgram): Promise<void> {
    program.start();
    this.#writeFile();
    await this.#waitReady(program);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopInOrder().finally(() => this.#giveBack());
    return this.#stopping;
  }

  discard(): Promise<void> {
    this.#stopping ??= Promise.all([
      ...[...this.#clients, ...this.#servers].map((program) => program.kill()),
      ...this.#stores.map((program) => program.kill('SIGTERM')),
    ]).then(() => this.#giveBack());
    return this.#stopping;
  }

  async #stopInOrder(): Promise<void> {
    const { say } = this.#prepared;
    for (const processes of [this.#clients, this.#servers, this.#stores]) {
      await Promise.all(
        processes.map(async (process) => {
          if (!(await process.stop(stopGraceMs))) say(`${process.spec.name} did not end within ${stopGraceMs / 1000} s and was killed`);
        }),
      );
    }
  }

  #giveBack(): void {
    if (this.#logTimer !== null) clearInterval(this.#logTimer);
    for (const supervisor of this.#supervisors.values()) supervisor.stop();
    fs.rmSync(this.#prepared.clusterFile, { force: true });
    this.#prepared.unlock();
  }

  #member({ id, securePort, peerPort }: MemberSettings): ClusterMember {
    const { directory } = this.#prepared;
    const address = `https://${host}:${securePort}`;
    const dataDirectory = path.join(directory, 'data', id);
    const { apiserverProgram, apiserverFlags: further = [], apiserverPreload: preload } = this.#prepared.options;
    const args = [...apiserverFlags(this.#prepared, id, dataDirectory), ...(typeof further === 'function' ? further(id) : further)];
    const process = this.#process({
      role: 'apiserver',
      name: id,
      program: apiserverProgram ?? programFile('apiserver'),
      args,
      address,
      preload,
    });
    const waitReady = (): Promise<void> => this.#waitReady(process);
    return { id, address, peerAddress: `${host}:${peerPort}`, dataDirectory, process, waitReady, restart: () => this.restart(process) };
  }

  #balancer(): ManagedProgram | null {
    const { options, port, settings } = this.#prepared;
    if (options.balancer === false) return null;
    const spec = {
      role: 'balancer',
      name: 'balancer',
      program: programFile('balancer'),
      args: balancerFlags(this.#prepared),
      address: this.address,
    } as const;
    if (options.balancer !== 'inLauncher') return this.#process(spec);
    const backends = settings.members.map(({ securePort }, index) => ({
      host,
      port: securePort,
      taker: () => this.members[index]?.process.connectionTaker ?? null,
    }));
    return this.#managed(spec, (full, events) => new ManagedBalancer(full, { host, port, backends, ca: this.#ca }, events));
  }

  #manager(name: string, securePort: number): ManagedProgram {
    const args = [
      ...managerFlags(this.#prepared, path.join(this.#prepared.directory, 'controller-manager.kubeconfig'), securePort),
      ...(this.#prepared.options.managerFlags ?? []),
    ];
    const process = this.#process({
      role: 'controller-manager',
      name,
      program: programFile('controller-manager'),
      args,
      preload: this.#prepared.options.clientPreload,
      address: securePort === 0 ? null : `https://${host}:${securePort}`,
    });
    return process;
  }

  #startAgain(process: ManagedProgram): void {
    if (this.#stopping || process.running) return;
    try {
      process.start();
    } catch (error) {
      this.#prepared.say(`${process.spec.name} cannot be started: ${String(error)}`);
      this.#supervisors.get(process)?.ended({ code: null, signal: null, expected: false });
      return;
    }
    this.#writeFile();
    // Another end is reported like any other.
    this.#waitReady(process).catch((error: unknown) => {
      if (process.running && !this.#stopping) this.#prepared.say(String(error));
    });
  }

  #process(spec: Omit<ProcessSpec, 'log'>): ManagedProgram {
    const Kind = this.#prepared.options.inProcess ? ManagedThread : ManagedProcess;
    return this.#managed(spec, (full, events) => new Kind(full, events));
  }

  #managed(spec: Omit<ProcessSpec, 'log'>, make: (spec: ProcessSpec, events: ProgramEvents) => ManagedProgram): ManagedProgram {
    const { options, directory } = this.#prepared;
    const events: ProgramEvents = {
      onExit: (exit) => {
        if (!this.#stopping) this.#writeFile();
        const supervised = this.#up && !this.#stopping && isSupervised(program, exit) ? this.#supervisors.get(program) : undefined;
        // Restarts with or without a listener.
        const restartMs = supervised?.ended(exit) ?? null;
        options.onExit?.(program, exit, restartMs);
      },
      onStart: () => this.#supervisors.get(program)?.started(),
      onMessage: (message) => options.onMessage?.(program, message),
    };
    const program = make({ ...spec, log: path.join(directory, 'logs', `${spec.name}.log`) }, events);
    if (options.restartFailed) this.#supervisors.set(program, new Supervisor(() => this.#startAgain(program)));
    return program;
  }

  #boundLogs(): void {
    for (const { spec } of [...this.#stores, ...this.#servers, ...this.#clients]) {
      try {
        boundLog(spec.log);
      } catch (error) {
        this.#prepared.say(`the log ${spec.log} is too large and cannot be moved aside: ${String(error)}`);
      }
    }
  }

  #writeFile(): void {
    try {
      writeClusterFile(this.#prepared.clusterFile, [...this.#stores, ...this.#servers, ...this.#clients]);
      this.#fileIsStale = false;
    } catch (error) {
      if (!this.#fileIsStale)
        this.#prepared.say(`${this.#prepared.clusterFile} cannot be written now, and is tried again: ${String(error)}`);
      this.#fileIsStale = true;
    }
  }

  async #waitReady(program: ManagedProgram): Promise<void> {
    const { address, name, role } = program.spec;
    // Managers make certificates of their own.
    await awaitReady(program, { ca: role === 'controller-manager' ? undefined : this.#ca, signal: this.#prepared.options.signal });
    const where = program.pid === process.pid ? 'in this process' : `process ${program.pid}`;
    this.#prepared.say(`${name} is ready${address === null ? '' : ` at ${address}`} (${where})`);
  }
}
