import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lastLines } from './files.js';

export type ProcessRole = 'apiserver' | 'controller-manager' | 'balancer' | 'fake-nodes';

/** What to run, and what `cluster.json` says of it. */
export interface ProcessSpec {
  readonly role: ProcessRole;
  /** The name in progress messages and of the log file: a member id, the name of a manager, or the role. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Where it answers, `https://host:port`; null for a program that only asks others. */
  readonly address: string | null;
  readonly log: string;
  /** Beside the environment of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True when `stop` or `kill` asked for it. */
  readonly expected: boolean;
}

const leash = fileURLToPath(new URL('../deploy/leash.js', import.meta.url));
/** Lines of a log that an error report shows. */
const logLinesShown = 12;

/**
 * A program that can be started, paused, killed and started again. Its output goes straight into its log file. At most one
 * process of it runs at a time.
 *
 *     stopped --start--> running --exit--> stopped
 */
export class ManagedProcess {
  #child: ChildProcess | null = null;
  #ended: Promise<Exit> = Promise.resolve({ code: 0, signal: null, expected: true });
  #endWasAsked = false;
  #ready: Promise<void> = Promise.resolve();

  /** `onExit` is called after every end of the process, `onStart` after every start. */
  constructor(readonly spec: ProcessSpec, private readonly onExit: (exit: Exit) => void = () => undefined, private readonly onStart: () => void = () => undefined) {}

  get pid(): number | null { return this.#child?.pid ?? null; }
  get running(): boolean { return this.#child !== null; }
  /** Resolves when the current process has ended; at once when none runs. */
  get ended(): Promise<Exit> { return this.#ended; }
  /** Resolves when the current process has sent the message `ready`, as programs without an address do; rejects when it ends before. */
  get saidReady(): Promise<void> { return this.#ready; }
  /** The whole command, for someone who wants to run it by hand. */
  get command(): readonly string[] { return [process.execPath, this.spec.program, ...this.spec.args]; }

  start(): void {
    if (this.#child) throw new Error(`${this.spec.name} is running already (process ${this.#child.pid})`);
    const log = fs.openSync(this.spec.log, 'a');
    try {
      this.#endWasAsked = false;
      const args = ['--import', leash, this.spec.program, ...this.spec.args];
      // A session of its own keeps the terminal's Ctrl-C away: the launcher alone decides when and in which order to stop.
      this.#watch(spawn(process.execPath, args, { stdio: ['ignore', log, log, 'ipc'], detached: true, env: { ...process.env, ...this.spec.environment } }));
    } finally {
      fs.closeSync(log);
    }
    this.onStart();
  }

  #watch(child: ChildProcess): void {
    this.#child = child;
    child.channel?.unref();
    this.#ready = new Promise((resolve, reject) => {
      child.on('message', message => { if (message === 'ready') resolve(); });
      child.once('exit', () => reject(new Error(`${this.spec.name} ended before it was ready`)));
    });
    this.#ready.catch(() => undefined);
    this.#ended = new Promise(resolve => {
      const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#child !== child) return;
        this.#child = null;
        const exit = { code, signal, expected: this.#endWasAsked };
        resolve(exit);
        this.onExit(exit);
      };
      child.once('exit', finish);
      child.once('error', () => { if (child.pid === undefined) finish(null, null); });
    });
  }

  /** Sends a signal; SIGKILL and SIGTERM count as asked-for ends. Resolves when the process has ended if the signal ends it. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.#child) return;
    this.#endWasAsked = true;
    this.#child.kill(signal);
    await this.#ended;
  }

  /** Stops the process where it stands; its sockets stay open. `resume` lets it go on. */
  pause(): void { this.#child?.kill('SIGSTOP'); }
  resume(): void { this.#child?.kill('SIGCONT'); }

  /** SIGTERM, and SIGKILL after `graceMs`. Resolves when it has ended; true when it ended by itself. */
  async stop(graceMs: number): Promise<boolean> {
    const child = this.#child;
    if (!child) return true;
    this.#endWasAsked = true;
    let inTime = true;
    const timer = setTimeout(() => { inTime = false; child.kill('SIGKILL'); }, graceMs);
    child.kill('SIGTERM');
    child.kill('SIGCONT'); // a paused process would never see the SIGTERM
    await this.#ended;
    clearTimeout(timer);
    return inTime;
  }

  /** The end of its log, for error reports. */
  logTail(): string { return lastLines(this.spec.log, logLinesShown); }
}

/** `it ended with status 1` or `it was ended by SIGKILL`. */
export function describeExit({ code, signal }: Exit): string {
  if (signal) return `it was ended by ${signal}`;
  return code === null ? 'it could not be started' : `it ended with status ${code}`;
}
