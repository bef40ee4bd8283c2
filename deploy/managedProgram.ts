import { lastLines } from './files.js';
import type { ConnectionTaker } from './handOver.js';

/** Runs a program of a cluster in a process (`managedProcess.ts`) or a thread of this one (`managedThread.ts`). */

export type ProcessRole = 'apiserver' | 'controller-manager' | 'balancer' | 'fake-nodes' | 'etcd';

export interface ProcessSpec {
  readonly role: ProcessRole;
  /** The name in progress messages and of the log file: a member id, a manager's name, or the role. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Limit of the time from start to ready. Default: a minute. */
  readonly readyTimeoutMs?: number;
  /** Its address, `https://host:port`; null for a program that sends `ready` instead. */
  readonly address: string | null;
  readonly log: string;
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** A module that every thread of the program loads first, with a test's faults. */
  readonly preload?: string | undefined;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True when `stop` or `kill` requested it. */
  readonly expected: boolean;
}

export interface ProgramEvents {
  readonly onExit?: (exit: Exit) => void;
  readonly onStart?: () => void;
  readonly onMessage?: (message: unknown) => void;
}

/**
 * A program that can be started, paused, killed and started again. Its output goes into its log file. It runs at most once at a time.
 *
 *     stopped --start--> running --exit--> stopped
 */
export interface ManagedProgram {
  readonly spec: ProcessSpec;
  /** The id of its process; null while it is down. */
  readonly pid: number | null;
  readonly running: boolean;
  /** Resolves when the current run has ended; at once when there is none. */
  readonly ended: Promise<Exit>;
  /** Resolves when the current run has sent `ready`; rejects when it ends before. */
  readonly saidReady: Promise<void>;
  /** Takes over connections accepted by this process; null where it cannot, or not yet. */
  readonly connectionTaker: ConnectionTaker | null;
  /** The whole command, for running it by hand. */
  readonly command: readonly string[];
  start(): void;
  /** Sends a message to the program's preloaded module; no effect while it is down. */
  send(message: object): void;
  /** Sends a signal and resolves at the end; SIGKILL and SIGTERM count as requested ends. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Suspends it; its sockets stay open. `resume` lets it go on. */
  pause(): void;
  resume(): void;
  /** SIGTERM, and SIGKILL after `graceMs`. True when it ended by itself. */
  stop(graceMs: number): Promise<boolean>;
  logTail(): string;
}

const logLinesShown = 12;

/** The common part of all programs, for any runtime (`Run`). */
export abstract class Managed<Run> {
  protected current: Run | null = null;
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
