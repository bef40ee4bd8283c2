import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { lastLines } from './files.js';
import { logLinesShown, type Exit, type ManagedProgram, type ProcessSpec, type ProgramEvents } from './managedProgram.js';
import { programFile } from './programs.js';
import type { ThreadOrder, ThreadTerms } from './threadLeash.js';

/** A thread that has not ended so long after it was told is ended wherever it is. */
const deafAfterMs = 500;

/**
 * A program in a thread of this process: started in less time and memory than a process, and ended with it. `kill` ends it between two steps of its
 * code and loses what a SIGKILL loses; what it has written stays, as the kernel keeps what a killed process has written.
 */
export class ManagedThread implements ManagedProgram {
  #worker: Worker | null = null;
  #standstill = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #ended: Promise<Exit> = Promise.resolve({ code: 0, signal: null, expected: true });
  #signal: NodeJS.Signals | null = null;
  #ready: Promise<void> = Promise.resolve();

  constructor(
    readonly spec: ProcessSpec,
    private readonly events: ProgramEvents = {},
  ) {}

  get pid(): number | null {
    return this.#worker ? process.pid : null;
  }
  get running(): boolean {
    return this.#worker !== null;
  }
  get ended(): Promise<Exit> {
    return this.#ended;
  }
  get saidReady(): Promise<void> {
    return this.#ready;
  }
  get command(): readonly string[] {
    return [process.execPath, this.spec.program, ...this.spec.args];
  }

  start(): void {
    if (this.#worker) throw new Error(`${this.spec.name} is running already`);
    const { program, args, preload, environment, name } = this.spec;
    this.#signal = null;
    this.#standstill = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const workerData: ThreadTerms = { standstill: this.#standstill };
    const worker = new Worker(program, {
      name,
      argv: [...args],
      stdout: true,
      stderr: true,
      workerData,
      // Of its own, because the flags of a test runner (loaders, coverage) are not meant for the program.
      execArgv: ['--import', programFile('threadLeash'), ...(preload === undefined ? [] : ['--import', preload])],
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
    });
    this.#watch(worker);
    this.events.onStart?.();
  }

  #watch(worker: Worker): void {
    this.#worker = worker;
    const log = fs.openSync(this.spec.log, 'a');
    const write = (chunk: Buffer | string): void => {
      fs.writeSync(log, chunk.toString());
    };
    for (const stream of [worker.stdout, worker.stderr]) stream.on('data', write);
    worker.on('error', (error) => write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`));
    this.#ready = new Promise((resolve, reject) => {
      worker.on('message', (message: unknown) => {
        if (message === 'ready') resolve();
        else this.events.onMessage?.(message);
      });
      worker.once('exit', () => reject(new Error(`${this.spec.name} ended before it was ready`)));
    });
    this.#ready.catch(() => undefined);
    this.#ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        fs.closeSync(log);
        for (const stream of [worker.stdout, worker.stderr]) stream.off('data', write);
        this.#worker = null;
        const exit: Exit = {
          code: this.#signal === 'SIGKILL' ? null : code,
          signal: this.#signal === 'SIGKILL' ? 'SIGKILL' : null,
          expected: this.#signal !== null,
        };
        resolve(exit);
        this.events.onExit?.(exit);
      });
    });
  }

  send(message: object): void {
    this.#worker?.postMessage(message);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#signal = signal;
    if (signal === 'SIGKILL') this.#end(worker);
    else this.#order('SIGTERM');
    await this.#ended;
  }

  /** One that hears ends by itself, where nothing of Node's own is half done (`threadLeash.ts`). */
  #end(worker: Worker): void {
    const terminate = (): void => void worker.terminate();
    if (Atomics.load(this.#standstill, 0) === 1) return terminate();
    const deaf = setTimeout(terminate, deafAfterMs);
    worker.once('exit', () => clearTimeout(deaf));
    this.#order('SIGKILL');
  }

  pause(): void {
    if (!this.#worker) return;
    Atomics.store(this.#standstill, 0, 1);
    this.#order('SIGSTOP');
  }

  resume(): void {
    Atomics.store(this.#standstill, 0, 0);
    Atomics.notify(this.#standstill, 0);
  }

  async stop(graceMs: number): Promise<boolean> {
    const worker = this.#worker;
    if (!worker) return true;
    this.#signal = 'SIGTERM';
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      void worker.terminate();
    }, graceMs);
    this.resume(); // one that stands still would never see the signal
    this.#order('SIGTERM');
    await this.#ended;
    clearTimeout(timer);
    return inTime;
  }

  logTail(): string {
    return lastLines(this.spec.log, logLinesShown);
  }

  #order(order: ThreadOrder): void {
    this.#worker?.postMessage(order);
  }
}
