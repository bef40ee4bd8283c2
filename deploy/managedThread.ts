import fs from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { openLogFile, writeLogFile } from './logFiles.js';
import { Managed, type Exit, type ManagedProgram, type ProcessSpec, type ProgramEvents } from './managedProgram.js';
import { programFile } from './programs.js';
import { Cell, ThreadState, type ThreadOrder, type ThreadTerms } from './threadState.js';

/** A thread that ignores its SIGTERM for longer hangs. */
const deafAfterMs = 5_000;

const exitMs = 200;

const noTerms = (): ThreadTerms['standstill'] => new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));

/** Node would terminate them anywhere when the process ends, which is not safe (`threadLeash.ts`). */
const running = new Set<ManagedThread>();

const endAll = (): void => {
  for (const thread of running) thread.part();
  for (const thread of running) thread.awaitExit();
};

function enlist(thread: ManagedThread): void {
  if (running.size === 0) process.on('exit', endAll);
  running.add(thread);
}

function strike(thread: ManagedThread): void {
  running.delete(thread);
  if (running.size === 0) process.off('exit', endAll);
}

/** Yarn's Plug'n'Play finds packages only where its resolver is loaded, and threads do not inherit it without `NODE_OPTIONS`. */
const packageResolver = (): readonly string[] =>
  process.versions['pnp'] === undefined ? [] : ['--require', createRequire(import.meta.url).resolve('pnpapi')];

/** Cheaper than a process, and ends with this one. `kill` loses as much as SIGKILL. */
export class ManagedThread extends Managed<Worker> implements ManagedProgram {
  readonly #events: ProgramEvents;
  #standstill = noTerms();
  #signal: NodeJS.Signals | null = null;
  /** Sockets do not pass between threads. */
  readonly connectionTaker = null;

  constructor(spec: ProcessSpec, events: ProgramEvents = {}) {
    super(spec);
    this.#events = events;
  }

  get pid(): number | null {
    return this.current ? process.pid : null;
  }

  start(): void {
    if (this.current) throw new Error(`${this.spec.name} is running already`);
    const { program, args, preload, environment, name } = this.spec;
    this.#signal = null;
    this.#standstill = noTerms();
    const workerData: ThreadTerms = { standstill: this.#standstill };
    const worker = new Worker(program, {
      name,
      argv: [...args],
      stdout: true,
      stderr: true,
      workerData,
      // Flags of a test runner (loaders, coverage) are not for the program.
      execArgv: [...packageResolver(), '--import', programFile('threadLeash'), ...(preload === undefined ? [] : ['--import', preload])],
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
    });
    this.#watch(worker);
    enlist(this);
    this.#events.onStart?.();
  }

  #watch(worker: Worker): void {
    this.current = worker;
    const log = openLogFile(this.spec.log);
    const write = (chunk: Buffer | string): void => {
      writeLogFile(log, chunk.toString());
    };
    for (const stream of [worker.stdout, worker.stderr]) stream.on('data', write);
    worker.on('error', (error) => write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`));
    this.ready = new Promise((resolve, reject) => {
      worker.on('message', (message: unknown) => {
        if (message === 'ready') resolve();
        else this.#events.onMessage?.(message);
      });
      worker.once('exit', () => reject(new Error(`${this.spec.name} ended before it was ready`)));
    });
    this.ready.catch(() => undefined);
    this.ending = new Promise((resolve) => {
      worker.once('exit', (code) => {
        if (log !== null) fs.closeSync(log);
        for (const stream of [worker.stdout, worker.stderr]) stream.off('data', write);
        this.current = null;
        strike(this);
        const exit: Exit = {
          code: this.#signal === 'SIGKILL' ? null : code,
          signal: this.#signal === 'SIGKILL' ? 'SIGKILL' : null,
          expected: this.#signal !== null,
        };
        resolve(exit);
        this.#events.onExit?.(exit);
      });
    });
  }

  send(message: object): void {
    this.current?.postMessage(message);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const worker = this.current;
    if (!worker) return;
    this.#signal = signal;
    if (signal === 'SIGKILL') this.#end(worker);
    else this.#order('SIGTERM');
    await this.ending;
  }

  /** A responsive thread ends by itself (`threadLeash.ts`). */
  #end(worker: Worker): void {
    const deaf = setTimeout(() => void worker.terminate(), deafAfterMs);
    worker.once('exit', () => clearTimeout(deaf));
    this.part();
  }

  /** Requests its end, whatever it does, and waits for nothing. */
  part(): void {
    if (Atomics.load(this.#standstill, Cell.state) === ThreadState.standStill) this.#walk(ThreadState.end);
    else this.#order('SIGKILL');
  }

  /** Blocks this thread until that one has ended. */
  awaitExit(): void {
    Atomics.wait(this.#standstill, Cell.ended, 0, exitMs);
  }

  pause(): void {
    if (!this.current) return;
    this.#walk(ThreadState.standStill);
    this.#order('SIGSTOP');
  }

  resume(): void {
    this.#walk(ThreadState.run);
  }

  async stop(graceMs: number): Promise<boolean> {
    const worker = this.current;
    if (!worker) return true;
    this.#signal = 'SIGTERM';
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      this.#end(worker);
    }, graceMs);
    this.resume(); // A paused thread would never see the signal.
    this.#order('SIGTERM');
    await this.ending;
    clearTimeout(timer);
    return inTime;
  }

  #walk(state: number): void {
    Atomics.store(this.#standstill, Cell.state, state);
    Atomics.notify(this.#standstill, Cell.state);
  }

  #order(order: ThreadOrder): void {
    this.current?.postMessage(order);
  }
}
