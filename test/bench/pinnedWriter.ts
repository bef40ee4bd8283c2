import { setTimeout as delay } from 'node:timers/promises';
import { Connection, request, type Endpoint } from './connection.js';

const pauseAfterFailureMs = 5;

/** The end of a write. Times are of `performance.now()`; the status is null for a broken connection. */
export interface WriteEnd {
  readonly sentMs: number;
  readonly endedMs: number;
  readonly status: number | null;
}

export const acknowledged = ({ status }: WriteEnd): boolean => status === 200 || status === 201;

/** A client of one replica that applies an object again after each answer, and records how and when writes ended. */
export class PinnedWriter {
  readonly #endpoint: Endpoint;
  readonly #path: string;
  readonly ends: WriteEnd[] = [];
  #stopped = false;
  #waiting: { readonly which: (end: WriteEnd) => boolean; readonly resolve: (end: WriteEnd) => void }[] = [];
  readonly #running: Promise<void>;

  constructor(endpoint: Endpoint, path: string) {
    this.#endpoint = endpoint;
    this.#path = path;
    this.#running = this.#run();
  }

  get acknowledgedMs(): number[] {
    return this.ends.filter(acknowledged).map(({ endedMs }) => endedMs);
  }

  get failed(): number {
    return this.ends.filter((end) => !acknowledged(end)).length;
  }

  /** The first later write that meets a condition. */
  next(which: (end: WriteEnd) => boolean): Promise<WriteEnd> {
    return new Promise((resolve) => {
      this.#waiting.push({ which, resolve });
    });
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
        connection ??= await Connection.open(this.#endpoint);
        const { status } = await connection.send(this.#write(round));
        await this.#ended({ sentMs, endedMs: performance.now(), status });
      } catch {
        connection?.close();
        connection = null;
        await this.#ended({ sentMs, endedMs: performance.now(), status: null });
      }
    }
    connection?.close();
  }

  #write(round: number): Buffer {
    const name = this.#path.slice(this.#path.lastIndexOf('/') + 1);
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { round: `${round} ${performance.now()}` },
    });
    return request('PATCH', `${this.#path}?fieldManager=bench&force=true`, body, 'application/apply-patch+yaml');
  }

  async #ended(end: WriteEnd): Promise<void> {
    this.ends.push(end);
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ which }) => !which(end));
    for (const { which, resolve } of waiting) if (which(end)) resolve(end);
    if (!acknowledged(end) && !this.#stopped) await delay(pauseAfterFailureMs);
  }
}
