import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { programFile } from '../../../deploy/programs.js';
import type { ProbedProgram } from './asserted.js';

/** A bundled program in its own process. */
export class BundledProgram {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #heard = new EventEmitter();

  private constructor(program: ProbedProgram, args: readonly string[], ofNode: readonly string[]) {
    this.#child = spawn(process.execPath, [...ofNode, programFile(program), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const [stream, chunks] of [
      [this.#child.stdout!, this.stdout],
      [this.#child.stderr!, this.stderr],
    ] as const)
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        chunks.push(chunk);
        this.#heard.emit('text');
      });
    this.exited = once(this.#child, 'close').then(([status]) => {
      this.#heard.emit('text');
      return status as number | null;
    });
  }

  /** `ofNode`: arguments of Node itself. */
  static start(program: ProbedProgram, args: readonly string[], ofNode: readonly string[] = []): BundledProgram {
    return new BundledProgram(program, args, ofNode);
  }

  /** Everything that it has written, errors first. */
  get text(): string {
    return this.stderr.join('') + this.stdout.join('');
  }

  /** Waits for a text in its log. Rejects with the last lines if it ends first. */
  async says(wanted: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = wanted.exec(this.text);
      if (found !== null) return found;
      if (this.#child.exitCode !== null) throw new Error(`ended before it said ${wanted}:\n${this.text.slice(-2_000)}`);
      await once(this.#heard, 'text');
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), 15_000);
    await this.exited;
    clearTimeout(timer);
  }
}

/** Kills a hung program just before the test's limit. */
const timeLimitMs = 170_000;

/** Runs until it ends by itself, as with refused options. */
export async function runToEnd(
  program: ProbedProgram,
  args: readonly string[],
): Promise<{ readonly status: number | null; readonly text: string }> {
  const running = BundledProgram.start(program, args);
  const timer = setTimeout(() => running.signal('SIGKILL'), timeLimitMs);
  const status = await running.exited;
  clearTimeout(timer);
  return { status, text: running.text };
}

const pollMs = 50;

/** Polls until the condition holds. */
export async function eventually<T>(ask: () => Promise<T> | T, holds: (value: T) => boolean = Boolean): Promise<T> {
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    await delay(pollMs);
  }
}
