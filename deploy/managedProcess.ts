import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { ConnectionTaker, isHandOverAnswer } from './handOver.js';
import { openLogFile } from './logFiles.js';
import { Managed, type Exit, type ManagedProgram, type ProcessSpec, type ProgramEvents } from './managedProgram.js';
import { programFile } from './programs.js';

export type { Exit, ProcessSpec } from './managedProgram.js';
export { describeExit } from './managedProgram.js';

/** Keeps gaps out of glibc's heap (docs/scaling.md). */
const allocator = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** A program in a separate process, for SIGKILL and SIGSTOP. It writes its output directly to its log file. */
export class ManagedProcess extends Managed<ChildProcess> implements ManagedProgram {
  #taker: ConnectionTaker | null = null;
  #endWasAsked = false;

  readonly #events: ProgramEvents;

  constructor(spec: ProcessSpec, events: ProgramEvents | ((exit: Exit) => void) = {}) {
    super(spec);
    this.#events = typeof events === 'function' ? { onExit: events } : events;
  }

  get pid(): number | null {
    return this.current?.pid ?? null;
  }
  get connectionTaker(): ConnectionTaker | null {
    return this.#taker;
  }

  start(): void {
    if (this.current) throw new Error(`${this.spec.name} is running already (process ${this.current.pid})`);
    const log = openLogFile(this.spec.log);
    try {
      this.#endWasAsked = false;
      const { preload } = this.spec;
      const args = [
        '--import',
        programFile('leash'),
        ...(preload === undefined ? [] : ['--import', preload]),
        this.spec.program,
        ...this.spec.args,
      ];
      // A separate session keeps the terminal's Ctrl-C away: the launcher stops it.
      this.#watch(
        spawn(process.execPath, args, {
          stdio: ['ignore', log ?? 'ignore', log ?? 'ignore', 'ipc'],
          detached: true,
          env: { ...allocator, ...process.env, ...this.spec.environment },
        }),
      );
    } finally {
      if (log !== null) fs.closeSync(log);
    }
    this.#events.onStart?.();
  }

  #watch(child: ChildProcess): void {
    this.current = child;
    child.channel?.unref();
    this.ready = new Promise((resolve, reject) => {
      child.on('message', (message) => {
        if (message === 'ready') resolve();
        else if (isHandOverAnswer(message)) this.#takes(child).heard(message);
        else this.#events.onMessage?.(message);
      });
      child.once('exit', () => reject(new Error(`${this.spec.name} ended before it was ready`)));
    });
    this.ready.catch(() => undefined);
    this.ending = new Promise((resolve) => {
      const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.current !== child) return;
        this.current = null;
        this.#taker?.end();
        this.#taker = null;
        const exit = { code, signal, expected: this.#endWasAsked };
        resolve(exit);
        this.#events.onExit?.(exit);
      };
      child.once('exit', finish);
      child.once('error', () => {
        if (child.pid === undefined) finish(null, null);
      });
    });
  }

  #takes(child: ChildProcess): ConnectionTaker {
    return (this.#taker ??= new ConnectionTaker((message, client, failed) => {
      // The socket stays open here, so that it can go elsewhere or be cut.
      child.send(message, client, { keepOpen: true }, (error) => {
        if (error !== null) failed();
      });
    }));
  }

  send(message: object): void {
    // An ending process no longer reads it.
    if (this.current?.connected) this.current.send(message, () => undefined);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.current) return;
    this.#endWasAsked = true;
    this.current.kill(signal);
    await this.ending;
  }

  pause(): void {
    this.current?.kill('SIGSTOP');
  }
  resume(): void {
    this.current?.kill('SIGCONT');
  }

  async stop(graceMs: number): Promise<boolean> {
    const child = this.current;
    if (!child) return true;
    this.#endWasAsked = true;
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      child.kill('SIGKILL');
    }, graceMs);
    child.kill('SIGTERM');
    child.kill('SIGCONT'); // A paused process would never see the SIGTERM.
    await this.ending;
    clearTimeout(timer);
    return inTime;
  }
}
