import { setTimeout as delay } from 'node:timers/promises';
import type { Sink, ReportLoss, Writer } from './contract.js';
import type { AuditEvent } from './event.js';

export interface BatchOptions {
  /** The limit of waiting events; more are lost. */
  readonly bufferSize: number;
  readonly maxSize: number;
  /** The longest wait for a batch to fill, in milliseconds. */
  readonly maxWaitMs: number;
  /** Average batches per second, and a burst; null for no limit. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | null;
  readonly lost: ReportLoss;
}

/** The time to write pending events when the server stops. */
const closingMs = 5_000;

/** Collects events, and writes them when a batch is full or old enough. Requests do not wait. */
export class BatchSink implements Sink {
  readonly strict = false;
  readonly #writer: Writer;
  readonly #options: BatchOptions;
  #buffer: AuditEvent[] = [];
  #wake: (() => void) | null = null;
  #closing = false;
  readonly #ended: Promise<void>;

  constructor(writer: Writer, options: BatchOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#ended = this.#run();
  }

  process(event: AuditEvent): Promise<boolean> {
    if (this.#buffer.length >= this.#options.bufferSize) {
      this.#options.lost(1, new Error(`${this.#options.bufferSize} events wait already`));
      return taken;
    }
    this.#buffer.push(event);
    if (this.#buffer.length === 1 || this.#buffer.length >= this.#options.maxSize) this.#wake?.();
    return taken;
  }

  settle(): Promise<boolean> {
    return taken;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#wake?.();
    await Promise.race([this.#ended, delay(closingMs, undefined, { ref: false })]);
    if (this.#buffer.length > 0) this.#options.lost(this.#buffer.length, new Error('the server stopped before they could be written'));
    await this.#writer.close();
  }

  async #run(): Promise<void> {
    const { maxSize, maxWaitMs, throttle, lost } = this.#options;
    const admit = throttle === null ? null : bucket(throttle);
    for (;;) {
      await this.#until(() => this.#buffer.length > 0, null);
      if (this.#buffer.length === 0) return;
      if (maxWaitMs > 0) await this.#until(() => this.#buffer.length >= maxSize, maxWaitMs);
      if (!this.#closing) await admit?.();
      const batch = this.#buffer.splice(0, maxSize);
      await this.#writer.write(batch).catch((error: unknown) => {
        lost(batch.length, error as Error);
      });
    }
  }

  /** Waits for the condition, the timeout (null: none), or the end of the server. */
  async #until(condition: () => boolean, waitMs: number | null): Promise<void> {
    const end = waitMs === null ? null : performance.now() + waitMs;
    while (!condition() && !this.#closing) {
      const left = end === null ? null : end - performance.now();
      if (left !== null && left <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = left === null ? null : setTimeout(resolve, left);
        this.#wake = () => {
          if (timer !== null) clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
  }
}

const taken = Promise.resolve(true);

function bucket({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }): () => Promise<void> {
  let tokens = burst;
  let last = performance.now();
  return async () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * perSecond);
    last = now;
    tokens -= 1;
    if (tokens < 0) await delay((-tokens / perSecond) * 1000, undefined, { ref: false });
  };
}
