import path from 'node:path';
import { startCluster, type Cluster, type ClusterOptions } from '../cluster.js';
import { makeFolder } from '../files.js';
import { describeExit, type Exit, type ManagedProgram } from '../managedProgram.js';
import { programFile } from '../programs.js';
import type { CutOrder } from '../partition.js';
import { CommandRefused, controlSocket, serveControl, type ControlRequest } from './control.js';
import { managerMetrics } from './managerMetrics.js';
import { examineRestorable, putSnapshotBack } from './restorable.js';
import { SignIn } from './signIn.js';

export interface ProgramState {
  readonly name: string;
  readonly role: string;
  readonly state: 'running' | 'paused' | 'partitioned' | 'down';
  readonly pid: number | null;
  readonly address: string | null;
  readonly log: string;
}

export interface LauncherState {
  readonly launcher: number;
  readonly address: string;
  readonly kubeconfig: string;
  readonly dataDirectory: string;
  readonly programs: readonly ProgramState[];
}

export interface LauncherOptions extends ClusterOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

export class Launcher {
  #cluster: Cluster;
  readonly #options: LauncherOptions;
  /** Null where the API servers have a token file of the owner. */
  readonly #signIn: SignIn | null;
  readonly #paused = new Set<string>();
  readonly #cutOff = new Set<string>();
  readonly #stop = new AbortController();
  #up = false;

  private constructor(
    cluster: Cluster,
    options: LauncherOptions,

    signIn: SignIn | null,
  ) {
    this.#cluster = cluster;
    this.#options = options;
    this.#signIn = signIn;
  }

  static async start(options: LauncherOptions): Promise<Launcher> {
    let launcher: Launcher | null = null;
    const onExit = (program: ManagedProgram, exit: Exit, restartInMs: number | null): void => {
      if (launcher) launcher.#reportExit(program, exit, restartInMs);
    };
    const { flags, signIn } = withConsole(options);
    const all: LauncherOptions = {
      ...options,
      balancer: balancerFor(flags),
      apiserverFlags: flags,
      apiserverPreload: programFile('partition'),
      restartFailed: true,
      onExit,
    };
    launcher = new Launcher(await startCluster(all), all, signIn);
    launcher.#up = true;
    return launcher;
  }

  consoleLink(): string | null {
    return this.#signIn === null ? null : `${this.#cluster.address}/console#code=${this.#signIn.issue()}`;
  }

  get kubeconfig(): string {
    return this.#cluster.kubeconfig;
  }

  /** Accepts commands until a stop command or the signal, then stops the cluster. Calls `listening` when it accepts commands. */
  async run(listening: () => void = () => undefined): Promise<void> {
    const { signal, onProgress } = this.#options;
    const close = await serveControl(this.#cluster.dataDirectory, (request, say) => this.#carryOut(request, say));
    listening();
    await untilAborted(AbortSignal.any([signal, this.#stop.signal]));
    onProgress('stopping');
    await this.#cluster.stop();
    onProgress('stopped');
    await close();
  }

  stop(): Promise<void> {
    return this.#cluster.stop();
  }

  startStopped(): Promise<void> {
    return this.#cluster.startStopped();
  }

  get state(): LauncherState {
    const { address, kubeconfig, dataDirectory } = this.#cluster;
    const programs = this.#programs().map(({ spec, pid, running }): ProgramState => ({
      name: spec.name,
      role: spec.role,
      state: !running ? 'down' : this.#paused.has(spec.name) ? 'paused' : this.#cutOff.has(spec.name) ? 'partitioned' : 'running',
      pid,
      address: spec.address,
      log: spec.log,
    }));
    return { launcher: process.pid, address, kubeconfig, dataDirectory, programs };
  }

  #programs(): readonly ManagedProgram[] {
    const { etcd, members, balancer, managers, fakeNodes } = this.#cluster;
    return [etcd, ...members.map((member) => member.process), balancer, ...managers, fakeNodes].filter((program) => program !== null);
  }

  async #carryOut({ command, target }: ControlRequest, say: (line: string) => void): Promise<unknown> {
    switch (command) {
      case 'status':
        return this.state;
      case 'stop': {
        this.#stop.abort();
        // The response leaves before the socket closes, which tells the client of the end.
        return this.state;
      }
      case 'reset':
        await this.#reset(say);
        return this.state;
      case 'restore':
        await this.#restore(target ?? '', say);
        return this.state;
      case 'kill':
        this.#cutOff.delete(target ?? '');
        await this.#named(target).kill();
        return this.state;
      case 'pause':
        this.#pause(this.#named(target), true);
        return this.state;
      case 'resume':
        this.#pause(this.#named(target), false);
        return this.state;
      case 'restart':
        await this.#restart(this.#named(target));
        return this.state;
      case 'partition':
        this.#partition(target, true);
        return this.state;
      case 'heal':
        this.#partition(target, false);
        return this.state;
      case 'managers':
        return { managers: await this.#managers() };
      case 'link': {
        const link = this.consoleLink();
        if (link === null)
          throw new CommandRefused(
            'there are no links, because the API servers have a --token-auth-file of yours: sign in with one of its tokens',
          );
        return { link };
      }
      case 'redeem': {
        const token = this.#signIn?.redeem(target ?? '') ?? null;
        if (token === null) throw new CommandRefused('this link was used already, or is too old: "raftplane console" gives a new one');
        return { token };
      }
      default:
        throw new CommandRefused(`the launcher knows no command ${JSON.stringify(command satisfies never)}; it may be of another version`);
    }
  }

  #named(target: string | undefined): ManagedProgram {
    const program = this.#programs().find(({ spec }) => spec.name === target);
    if (program) return program;
    throw new CommandRefused(
      `there is no ${target ?? 'nameless program'} here, but ${this.#programs()
        .map(({ spec }) => spec.name)
        .join(', ')}`,
    );
  }

  #pause(program: ManagedProgram, pause: boolean): void {
    if (!program.running) throw new CommandRefused(`${program.spec.name} is down: start it with "raftplane restart ${program.spec.name}"`);
    if (pause) program.pause();
    else program.resume();
    if (pause) this.#paused.add(program.spec.name);
    else this.#paused.delete(program.spec.name);
  }

  #managers(): Promise<readonly { readonly name: string; readonly metrics: string | null }[]> {
    return Promise.all(
      this.#cluster.managers.map(async ({ spec, running }) => ({
        name: spec.name,
        metrics:
          running && spec.address !== null && !this.#paused.has(spec.name)
            ? await managerMetrics(spec.address, this.#cluster.pki.admin)
            : null,
      })),
    );
  }

  #partition(target: string | undefined, cut: boolean): void {
    const program = this.#named(target);
    const others = this.#cluster.members.map(({ id }) => id).filter((id) => id !== target);
    if (program.spec.role !== 'apiserver') throw new CommandRefused(`${program.spec.name} is no replica: only those talk among themselves`);
    if (this.#cluster.etcd !== null || this.#options.etcdServers !== undefined)
      throw new CommandRefused('objects are kept in an etcd: these servers have nothing to tell each other, so there is nothing to cut');
    if (!program.running) throw new CommandRefused(`${program.spec.name} is down: start it with "raftplane restart ${program.spec.name}"`);
    program.send({ cutOffFrom: cut ? others : [] } satisfies CutOrder);
    if (cut) this.#cutOff.add(program.spec.name);
    else this.#cutOff.delete(program.spec.name);
  }

  async #restart(program: ManagedProgram): Promise<void> {
    this.#paused.delete(program.spec.name);
    this.#cutOff.delete(program.spec.name);
    program.resume();
    await program.kill();
    await this.#cluster.restart(program);
  }

  /** Stops the cluster and starts it with the contents of a file. An unusable file changes nothing. */
  async #restore(file: string, say: (line: string) => void): Promise<void> {
    const kind = await examineRestorable(file, this.#cluster.etcd === null && this.#options.etcdServers === undefined ? 'raft' : 'etcd');
    await this.#reset(say, kind === 'backup' ? file : undefined);
    if (kind === 'snapshot') await putSnapshotBack(file, this.kubeconfig, say);
  }

  async #reset(say: (line: string) => void, backup?: string): Promise<void> {
    this.#up = false;
    const { port } = new URL(this.#cluster.address);
    await this.#cluster.discard();
    this.#paused.clear();
    this.#cutOff.clear();
    const replicas = this.#cluster.members.length as 1 | 3 | 5;
    this.#cluster = await startCluster({ ...this.#options, replicas, port: Number(port), fresh: true, restore: backup, onProgress: say });
    this.#up = true;
  }

  #reportExit({ spec, running }: ManagedProgram, exit: Exit, restartInMs: number | null): void {
    const { signal, onProgress } = this.#options;
    if (!this.#up || signal.aborted || this.#stop.signal.aborted || running || exit.expected) return;
    const next =
      restartInMs === null ? `Start it again with: kill -USR2 ${process.pid}` : `It is started again in ${restartInMs / 1000} s.`;
    onProgress(`${spec.name} is down: ${describeExit(exit)}; log: ${spec.log}. The others go on. ${next}`);
  }
}

/** Servers with several threads cannot take connections over, and proxying costs too much here. */
const balancerFor = (flags: ClusterOptions['apiserverFlags'] = []): ClusterOptions['balancer'] =>
  typeof flags === 'function' || flags.some((flag) => /^--serving-threads(?!=1$)/.test(flag)) ? true : 'inLauncher';

/** Adds the console's flags to those of the API servers: the launcher's socket, and the token behind sign-in links. */
function withConsole({ apiserverFlags: given = [], dataDirectory }: LauncherOptions): {
  readonly flags: ClusterOptions['apiserverFlags'];
  readonly signIn: SignIn | null;
} {
  const wanted = typeof given === 'function' ? [] : given;
  if (wanted.some((flag) => /^--console=(false|f|F|FALSE|False|0)$/.test(flag))) return { flags: given, signIn: null };
  const socket = `--console-launcher-socket=${controlSocket(path.resolve(dataDirectory))}`;
  if (wanted.some((flag) => flag.startsWith('--token-auth-file'))) return { flags: [socket, ...wanted], signIn: null };
  makeFolder(path.resolve(dataDirectory), 0o700);
  const signIn = new SignIn();
  return { flags: [socket, `--token-auth-file=${signIn.writeTokenFile(dataDirectory)}`, ...wanted], signIn };
}

/** The timer keeps this process alive when every child has died. */
function untilAborted(signal: AbortSignal): Promise<void> {
  const dayMs = 24 * 60 * 60 * 1000;
  const timer = setInterval(() => undefined, dayMs);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearInterval(timer);
      resolve();
    };
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, { once: true });
  });
}
