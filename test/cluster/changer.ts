import { setTimeout as delay } from 'node:timers/promises';
import type { WatchEvent } from '../fixtures/apiClient.js';
import { configMap, type ClusterUnderTest } from './clusterUnderTest.js';

const pollMs = 10;
const writeTimeoutMs = 5_000;
const objects = 5;
/** One write of this many is a delete. */
const deletionEvery = 17;

/** A client that changes objects continuously and records each acknowledged version. */
export class Changer {
  readonly #test: ClusterUnderTest;
  readonly #path: string;
  readonly #name: string;
  readonly written = new Map<number, string>();
  #latest = 'nothing asked yet';
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(test: ClusterUnderTest, path: string, name: string) {
    this.#test = test;
    this.#path = path;
    this.#name = name;
    this.#running = this.#run();
  }

  get progress(): string {
    return `changer ${this.#name}: ${this.written.size} written; ${this.#latest}`;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async until(count: number): Promise<void> {
    while (this.written.size < count) await delay(pollMs);
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const name = `${this.#name}-${n % objects}`;
      const deletes = n % deletionEvery === deletionEvery - 1;
      // Both halves are always written together.
      const body = configMap(name, { left: `${this.#name}.${n}`, right: `${this.#name}.${n}` });
      const answer = await this.#test.client
        .request(deletes ? 'DELETE' : 'PUT', `${this.#path}/${name}`, { ...(deletes ? {} : { body }), timeoutMs: writeTimeoutMs })
        .catch((error: Error) => error);
      this.#latest = `${deletes ? 'DELETE' : 'PUT'} ${name}: ${answer instanceof Error ? answer.message : answer.status}`;
      if (answer instanceof Error) continue;
      if (answer.status === 404 && !deletes) await this.#create(body, n);
      else if (answer.status === 200 && !deletes) this.#acknowledge(answer.body, n);
    }
  }

  async #create(body: ReturnType<typeof configMap>, n: number): Promise<void> {
    const answer = await this.#test.client.request('POST', this.#path, { body, timeoutMs: writeTimeoutMs }).catch(() => null);
    if (answer?.status === 201) this.#acknowledge(answer.body, n);
  }

  #acknowledge(body: unknown, n: number): void {
    this.written.set(Number((body as WatchEvent['object']).metadata.resourceVersion), `${this.#name}.${n}`);
  }
}
