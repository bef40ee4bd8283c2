import { lastLines } from './files.js';
import type { ConnectionTaker } from './handOver.js';

/** What runs a program for a cluster: a process (`managedProcess.ts`), or a thread of this one (`managedThread.ts`). */

export type ProcessRole = 'apiserver' | 'controller-manager' | 'balancer' | 'fake-nodes' | 'etcd';

/** What to run, and what `cluster.json` says of it. */
export interface ProcessSpec {
  readonly role: ProcessRole;
  /** The name in progress messages and of the log file: a member id, the name of a manager, or the role. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Where it answers, `https://host:port`; null for a program that says `ready` instead. */
  readonly address: string | null;
  readonly log: string;
  /** Beside the environment of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** A module that every thread of the program loads first: the faults of a test. */
  readonly preload?: string | undefined;
}

/** How a program ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True when `stop` or `kill` asked for it. */
  readonly expected: boolean;
}

/** What its owner wants to hear of a program. */
export interface ProgramEvents {
  /** After every end. */
  readonly onExit?: (exit: Exit) => void;
  /** After every start. */
  readonly onStart?: () => void;
  /** What the program says beside `ready`. */
  readonly onMessage?: (message: unknown) => void;
}

/**
 * A program that can be started, paused, killed and started again. Its output goes into its log file. It runs at most once at a time.
 *
 *     stopped --start--> running --exit--> stopped
 */
export interface ManagedProgram {
  readonly spec: ProcessSpec;
  /** Of the process that it runs in; null while it is down. */
  readonly pid: number | null;
  readonly running: boolean;
  /** Resolves when the current run has ended; at once when there is none. */
  readonly ended: Promise<Exit>;
  /** Resolves when the current run has said `ready`; rejects when it ends before. */
  readonly saidReady: Promise<void>;
  /** What takes connections over that this process has accepted; null where it takes none, or not yet. */
  readonly connectionTaker: ConnectionTaker | null;
  /** The whole command, for someone who wants to run it by hand. */
  readonly command: readonly string[];
  start(): void;
  /** Tells the program something that its preloaded module understands; nothing while it is down. */
  send(message: object): void;
  /** Sends a signal; SIGKILL and SIGTERM count as asked-for ends. Resolves when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it where it stands; its sockets stay open. `resume` lets it go on. */
  pause(): void;
  resume(): void;
  /** SIGTERM, and SIGKILL after `graceMs`. Resolves when it has ended; true when it ended by itself. */
  stop(graceMs: number): Promise<boolean>;
  /** The end of its log, for error reports. */
  logTail(): string;
}

/** Lines of a log that an error report shows. */
const logLinesShown = 12;

/** What all of them have in common, whatever it is that runs (`Run`). */
export abstract class Managed<Run> {
  protected current: Run | null = null;
  /** Of the current run, or the last one. */
  protected ending: Promise<Exit> = Promise.resolve({ code: 0, signal: null, expected: true });
  protected ready: Promise<void> = Promise.resolve();

  constructor(readonly spec: ProcessSpec) {}

  get running(): boolean {
    return this.current !== null;
  }
  get ended(): Promise<Exit> {
    return this.ending;
  }
  get saidReady(): Promise<void> {
    return this.ready;
  }
  /** Of what runs in this process: that of the same program in one of its own. */
  get command(): readonly string[] {
    return [process.execPath, this.spec.program, ...this.spec.args];
  }

  logTail(): string {
    return lastLines(this.spec.log, logLinesShown);
  }
}

/** `it ended with status 1` or `it was ended by SIGKILL`. */
export function describeExit({ code, signal }: Exit): string {
  if (signal) return `it was ended by ${signal}`;
  return code === null ? 'it could not be started' : `it ended with status ${code}`;
}
