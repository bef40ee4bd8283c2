import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { waitForLeftovers, writeClusterFile } from './clusterFile.js';
import { writeFileAtomically } from './files.js';
import { haproxyConfiguration } from './haproxy.js';
import { kubeconfig } from './kubeconfig.js';
import { lockDirectory } from './launcherLock.js';
import { describeExit, ManagedProcess, type Exit } from './managedProcess.js';
import { ensurePki, type PkiFiles } from './pki.js';
import { findFreePorts, portIsFree } from './ports.js';
import { describeReadiness, probeReadiness, type Readiness } from './readiness.js';
import { loadSettings, type ClusterSettings, type MemberSettings, type ReplicaCount } from './settings.js';

/**
 * A local cluster: API server replicas and a balancer, each in a process of its own, with everything they need in one folder.
 * `up.ts` is the command around it; tests and benchmarks use it directly.
 */

export interface ClusterOptions {
  readonly dataDirectory: string;
  /** As many as the data directory holds, or three. */
  readonly replicas?: ReplicaCount | undefined;
  /** The balancer's port; without it, a free one. */
  readonly port?: number | undefined;
  /** Forget the data, logs and ports of an earlier cluster; certificates stay. */
  readonly fresh?: boolean | undefined;
  /** What runs as a replica: the API server, unless a test puts something else in its place. */
  readonly apiserverProgram?: string | undefined;
  /** Further flags for each API server. */
  readonly apiserverFlags?: readonly string[] | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
  /** A process ended, asked for or not. */
  readonly onExit?: ((process: ManagedProcess, exit: Exit) => void) | undefined;
  /** Gives up a start that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** One API server replica. */
export interface ClusterMember {
  readonly id: string;
  /** `https://127.0.0.1:port`, past the balancer. */
  readonly address: string;
  readonly peerAddress: string;
  readonly dataDirectory: string;
  readonly process: ManagedProcess;
  /** Starts it again and resolves when it is ready. */
  restart(): Promise<void>;
  waitReady(): Promise<void>;
}

export interface Cluster {
  readonly dataDirectory: string;
  /** The balancer's address: `https://127.0.0.1:port`. */
  readonly address: string;
  readonly kubeconfig: string;
  readonly pki: PkiFiles;
  readonly members: readonly ClusterMember[];
  readonly balancer: ManagedProcess;
  /** Starts every process that is down; resolves when all are ready. */
  startStopped(): Promise<void>;
  /** Stops every process, and gives the data directory back. May be called again. */
  stop(): Promise<void>;
}

/** From start to ready. The first start on a slow disk takes longest. */
const readyTimeoutMs = 60_000;
const readyPollMs = 20;
const probeTimeoutMs = 2000;
/** After SIGTERM; then SIGKILL. */
const stopGraceMs = 10_000;
const host = '127.0.0.1';
const serviceRange = '10.96.0.0/12';
const serviceAccountIssuer = 'https://kubernetes.default.svc';
const apiserverProgram = fileURLToPath(new URL('../server/main.js', import.meta.url));
const balancerProgram = fileURLToPath(new URL('./balancer.js', import.meta.url));

/** Starts a cluster and resolves when every replica and the balancer are ready. After a failure no process is left. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const directory = path.resolve(options.dataDirectory);
  fs.mkdirSync(directory, { recursive: true });
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

/** Everything that can be done, and can fail, before the first process starts. */
async function prepare(directory: string, options: ClusterOptions, unlock: () => void): Promise<LocalCluster> {
  const say = options.onProgress ?? (() => undefined);
  const clusterFile = path.join(directory, 'cluster.json');
  await waitForLeftovers(clusterFile, say);
  if (options.fresh) removeState(directory);
  fs.mkdirSync(path.join(directory, 'logs'), { recursive: true });
  const settings = await loadSettings(path.join(directory, 'settings.json'), options.replicas);
  const port = await choosePort(options.port);
  const pki = await ensurePki(path.join(directory, 'pki'), settings.members.map(({ id }) => id));
  if (pki.written.length > 0) say(`made certificates: ${pki.written.join(', ')}`);
  writeClientFiles(directory, port, pki, settings);
  return new LocalCluster({ directory, clusterFile, settings, port, pki, options, say, unlock });
}

function removeState(directory: string): void {
  for (const name of ['data', 'logs', 'settings.json', 'cluster.json']) fs.rmSync(path.join(directory, name), { recursive: true, force: true });
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined || wanted === 0) return (await findFreePorts(1))[0] ?? 0;
  if (await portIsFree(wanted, host)) return wanted;
  throw new Error(`port ${wanted} on ${host} is in use by another program (or needs more rights): choose another with --port`);
}

function writeClientFiles(directory: string, port: number, pki: PkiFiles, settings: ClusterSettings): void {
  const server = `https://${host}:${port}`;
  const clients = { admin: { user: 'kubernetes-admin', client: pki.admin }, 'controller-manager': { user: 'system:kube-controller-manager', client: pki.controllerManager } };
  for (const [name, { user, client }] of Object.entries(clients)) {
    writeFileAtomically(path.join(directory, `${name}.kubeconfig`), kubeconfig({ server, caFile: pki.caFile, user, client }), 0o600);
  }
  const backends = settings.members.map(({ id, securePort }) => ({ name: id, address: `${host}:${securePort}` }));
  writeFileAtomically(path.join(directory, 'haproxy.cfg'), haproxyConfiguration({ listen: `${host}:${port}`, backends, caFile: pki.caFile }));
}

interface Prepared {
  readonly directory: string;
  readonly clusterFile: string;
  readonly settings: ClusterSettings;
  readonly port: number;
  readonly pki: PkiFiles;
  readonly options: ClusterOptions;
  readonly say: (line: string) => void;
  readonly unlock: () => void;
}

class LocalCluster implements Cluster {
  readonly dataDirectory: string;
  readonly address: string;
  readonly kubeconfig: string;
  readonly pki: PkiFiles;
  readonly members: readonly ClusterMember[];
  readonly balancer: ManagedProcess;
  readonly #processes: readonly ManagedProcess[];
  readonly #ca: string;
  #stopping: Promise<void> | null = null;

  constructor(private readonly prepared: Prepared) {
    const { directory, port, pki, settings } = prepared;
    this.dataDirectory = directory;
    this.address = `https://${host}:${port}`;
    this.kubeconfig = path.join(directory, 'admin.kubeconfig');
    this.pki = pki;
    this.#ca = fs.readFileSync(pki.caFile, 'utf8');
    this.members = settings.members.map(member => this.#member(member));
    this.balancer = this.#process({ role: 'balancer', name: 'balancer', program: balancerProgram, args: balancerFlags(prepared), address: this.address });
    this.#processes = [...this.members.map(member => member.process), this.balancer];
  }

  async start(): Promise<void> {
    const { settings, say } = this.prepared;
    const started = performance.now();
    say(`starting ${settings.members.map(({ id }) => id).join(', ')} and the balancer`);
    await this.startStopped();
    say(`all ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }

  async startStopped(): Promise<void> {
    for (const process of this.#processes) if (!process.running) process.start();
    this.#writeFile();
    await Promise.all(this.#processes.map(process => this.#waitReady(process)));
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const { clusterFile, say, unlock } = this.prepared;
    await Promise.all(this.#processes.map(async process => {
      if (!(await process.stop(stopGraceMs))) say(`${process.spec.name} did not end within ${stopGraceMs / 1000} s and was killed`);
    }));
    fs.rmSync(clusterFile, { force: true });
    unlock();
  }

  #member({ id, securePort, peerPort }: MemberSettings): ClusterMember {
    const { directory } = this.prepared;
    const address = `https://${host}:${securePort}`;
    const dataDirectory = path.join(directory, 'data', id);
    const process = this.#process({ role: 'apiserver', name: id, program: this.prepared.options.apiserverProgram ?? apiserverProgram, args: apiserverFlags(this.prepared, id, dataDirectory), address });
    const waitReady = (): Promise<void> => this.#waitReady(process);
    const restart = async (): Promise<void> => {
      process.start();
      this.#writeFile();
      await waitReady();
    };
    return { id, address, peerAddress: `${host}:${peerPort}`, dataDirectory, process, waitReady, restart };
  }

  #process(spec: { role: 'apiserver' | 'balancer'; name: string; program: string; args: readonly string[]; address: string }): ManagedProcess {
    const process: ManagedProcess = new ManagedProcess({ ...spec, log: path.join(this.prepared.directory, 'logs', `${spec.name}.log`) }, exit => {
      if (!this.#stopping) this.#writeFile();
      this.prepared.options.onExit?.(process, exit);
    });
    return process;
  }

  #writeFile(): void {
    writeClusterFile(this.prepared.clusterFile, this.#processes);
  }

  /** Ready means that `/readyz` succeeds; the balancer is asked the same, and so has a way to a replica that is. */
  async #waitReady(process: ManagedProcess): Promise<void> {
    const { say, options } = this.prepared;
    const deadline = performance.now() + readyTimeoutMs;
    const { hostname, port } = new URL(process.spec.address);
    for (;;) {
      options.signal?.throwIfAborted();
      if (!process.running) throw startFailure(process, describeExit(await process.ended));
      const readiness: Readiness = await probeReadiness({ host: hostname, port: Number(port), timeoutMs: probeTimeoutMs, ca: this.#ca });
      if (readiness.state === 'ready') break;
      if (performance.now() > deadline) throw startFailure(process, `not ready after ${readyTimeoutMs / 1000} s: ${describeReadiness(readiness)}`);
      await delay(readyPollMs);
    }
    say(`${process.spec.name} is ready at ${process.spec.address} (process ${process.pid})`);
  }
}

function startFailure(process: ManagedProcess, reason: string): Error {
  const tail = process.logTail();
  const shown = tail === '' ? ' (it is empty)' : `; its last lines:\n${tail.replace(/^/gm, '    ')}`;
  return new Error(`${process.spec.name} did not start: ${reason}\n  log: ${process.spec.log}${shown}`);
}

function balancerFlags({ port, settings, pki }: Prepared): string[] {
  const backends = settings.members.flatMap(({ securePort }) => ['--backend', `${host}:${securePort}`]);
  return ['--listen', `${host}:${port}`, ...backends, '--ca-file', pki.caFile];
}

function apiserverFlags({ settings, pki, options }: Prepared, id: string, dataDirectory: string): string[] {
  const self = settings.members.find(member => member.id === id);
  const peers = settings.members.map(member => `${member.id}=${host}:${member.peerPort}`).join(',');
  const flags: Record<string, string> = {
    'secure-port': String(self?.securePort),
    'bind-address': host,
    'tls-cert-file': pki.apiserver.certFile,
    'tls-private-key-file': pki.apiserver.keyFile,
    'client-ca-file': pki.caFile,
    'authorization-mode': 'Node,RBAC',
    'service-account-issuer': serviceAccountIssuer,
    'service-account-signing-key-file': pki.serviceAccount.keyFile,
    'service-account-key-file': pki.serviceAccount.pubFile,
    'service-cluster-ip-range': serviceRange,
    'raft-data-dir': dataDirectory,
    'raft-member-id': id,
    'raft-initial-cluster': peers,
    'raft-cluster-token': settings.token,
    'raft-listen-address': `${host}:${self?.peerPort}`,
    'raft-ca-file': pki.caFile,
    'raft-cert-file': pki.peer(id).certFile,
    'raft-key-file': pki.peer(id).keyFile,
  };
  return [...Object.entries(flags).map(([name, value]) => `--${name}=${value}`), ...(options.apiserverFlags ?? [])];
}
