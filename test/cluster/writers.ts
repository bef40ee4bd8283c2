import type { ApiClient } from '../fixtures/apiClient.js';
import { configMap } from './clusterUnderTest.js';

/** A write that the server acknowledged. Times are `performance.now()`. */
export interface Acknowledged {
  readonly name: string;
  readonly resourceVersion: string;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** The time limit of one write. */
const writeTimeoutMs = 5000;
const pauseAfterFailureMs = 20;

/** Clients that create objects in turn and record acknowledged ones. A failed write does not count: its outcome is unknown. */
export class Writers {
  readonly #client: ApiClient;
  readonly #path: string;
  readonly #prefix: string;
  readonly acknowledged: Acknowledged[] = [];
  readonly failures: string[] = [];
  #stopped = false;
  #waiting: (() => void)[] = [];
  readonly #all: Promise<void[]>;

  /** `prefix`: distinguishes writers to one collection. */
  constructor(client: ApiClient, path: string, count: number, prefix = '') {
    this.#client = client;
    this.#path = path;
    this.#prefix = prefix;
    this.#all = Promise.all(Array.from({ length: count }, (_, i) => this.#run(i)));
  }

  async #run(writer: number): Promise<void> {
    for (let i = 0; !this.#stopped; i++) await this.#write(`${this.#prefix}w${writer}-${i}`);
  }

  async #write(name: string): Promise<void> {
    const startedMs = performance.now();
    try {
      const answer = await this.#client.request('POST', this.#path, {
        body: configMap(name, { padding: 'x'.repeat(200) }),
        timeoutMs: writeTimeoutMs,
      });
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      const { resourceVersion } = (answer.body as { metadata: { resourceVersion: string } }).metadata;
      this.acknowledged.push({ name, resourceVersion, startedMs, endedMs: performance.now() });
      for (const resolve of this.#waiting.splice(0)) resolve();
    } catch (error) {
      this.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      await new Promise((resolve) => setTimeout(resolve, pauseAfterFailureMs));
    }
  }

  /** Resolves when that many writes that started at or after `sinceMs` have been acknowledged. */
  async until(count: number, sinceMs = 0): Promise<readonly Acknowledged[]> {
    for (;;) {
      const matching = this.acknowledged.filter(({ startedMs }) => startedMs >= sinceMs);
      if (matching.length >= count) return matching;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#all;
  }
}
