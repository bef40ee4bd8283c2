import { setTimeout as delay } from 'node:timers/promises';
import { Connection, request, type Endpoint } from './connection.js';

const pauseAfterFailureMs = 5;

/** One client of one replica that applies an object without end, each time after the answer to the time before, and notes when the answers came. */
export class PinnedWriter {
  /** When writes were acknowledged, `performance.now()`. */
  readonly answeredMs: number[] = [];
  /** Answers that were errors, and connections that broke. */
  failed = 0;
  #stopped = false;
  #waiting: { readonly sentAfterMs: number; readonly resolve: () => void }[] = [];
  readonly #running: Promise<void>;

  constructor(private readonly endpoint: Endpoint, private readonly path: string) {
    this.#running = this.#run();
  }

  /** Resolves when a write was acknowledged that was sent after this time. */
  answeredAfter(sentAfterMs: number): Promise<void> {
    return new Promise((resolve) => { this.#waiting.push({ sentAfterMs, resolve }); });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    let connection: Connection | null = null;
    for (let round = 0; !this.#stopped; round += 1) {
      const sentMs = performance.now();
      try {
        connection ??= await Connection.open(this.endpoint);
        const { status } = await connection.send(this.#write(round));
        if (status === 200 || status === 201) this.#acknowledged(sentMs);
        else await this.#failure();
      } catch {
        connection?.close();
        connection = null;
        await this.#failure();
      }
    }
    connection?.close();
  }

  #write(round: number): Buffer {
    const name = this.path.slice(this.path.lastIndexOf('/') + 1);
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { round: `${round} ${performance.now()}` } });
    return request('PATCH', `${this.path}?fieldManager=bench&force=true`, body, 'application/apply-patch+yaml');
  }

  #acknowledged(sentMs: number): void {
    this.answeredMs.push(performance.now());
    for (const { resolve } of this.#waiting.filter(({ sentAfterMs }) => sentAfterMs <= sentMs)) resolve();
    this.#waiting = this.#waiting.filter(({ sentAfterMs }) => sentAfterMs > sentMs);
  }

  async #failure(): Promise<void> {
    this.failed += 1;
    if (!this.#stopped) await delay(pauseAfterFailureMs);
  }
}
