import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ApiObject } from '../fixtures/apiClient.js';

/** One object that many clients increment: `count` together, and a member for each client. */
export const counterName = 'counter';
export const ownMember = (client: number): string => `client-${client}`;

/** The object's data after one more increment by a client. */
type Next = Readonly<Record<string, string>>;

/** Ways to write an increment, each conditional on the read state. */
export const writeWays: Readonly<
  Record<
    string,
    (
      read: ApiObject,
      next: Next,
      client: number,
    ) => { readonly method: string; readonly type: string; readonly body: unknown; readonly query?: string }
  >
> = {
  put: (read, next) => ({ method: 'PUT', type: 'application/json', body: { ...read, data: { ...read.data, ...next } } }),
  'json patch with test': (read, next, client) => ({
    method: 'PATCH',
    type: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/data/count', value: read.data?.['count'] },
      { op: 'replace', path: '/data/count', value: next['count'] },
      { op: 'add', path: `/data/${ownMember(client)}`, value: next[ownMember(client)] },
    ],
  }),
  'merge patch': (read, next) => ({
    method: 'PATCH',
    type: 'application/merge-patch+json',
    body: { metadata: { resourceVersion: read.metadata.resourceVersion }, data: next },
  }),
  'strategic merge patch': (read, next) => ({
    method: 'PATCH',
    type: 'application/strategic-merge-patch+json',
    body: { metadata: { resourceVersion: read.metadata.resourceVersion }, data: next },
  }),
  apply: (read, next, client) => ({
    method: 'PATCH',
    type: 'application/apply-patch+yaml',
    query: `?force=true&fieldManager=c${client}`,
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: counterName, resourceVersion: read.metadata.resourceVersion },
      data: next,
    },
  }),
};

const requestTimeoutMs = 5_000;
const pauseAfterFailureMs = 20;
/** Answers that exclude a write; 422 is a failed test of a patch. */
const refused: ReadonlySet<number> = new Set([409, 422, 429, 503]);

/** Violated promises to a client, in words. */
export type Problems = string[];

/**
 * A client that repeatedly reads, adds one and writes. It retries refused writes, but not those of unknown outcome: the next write succeeds only once that is
 * decided.
 */
export class Counter {
  readonly #replicas: readonly ApiClient[];
  readonly #path: string;
  readonly #problems: Problems;

  readonly acknowledged: number[] = [];
  unknown = 0;
  refusals = 0;
  #stopped = false;
  #own = 0;
  #replica: number;
  readonly #running: Promise<void>;

  constructor(
    readonly id: number,
    readonly way: string,
    replicas: readonly ApiClient[],
    path: string,
    problems: Problems,
  ) {
    this.#replicas = replicas;
    this.#path = path;
    this.#problems = problems;
    this.#replica = id;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const read = await this.#read();
      if (read === null) await this.#elsewhere();
      else await this.#increment(read);
    }
  }

  /** Moves on from a replica that does not answer. */
  async #elsewhere(): Promise<void> {
    this.#replica++;
    await delay(pauseAfterFailureMs);
  }

  get #client(): ApiClient {
    return this.#replicas[this.#replica % this.#replicas.length] as ApiClient;
  }

  async #read(): Promise<ApiObject | null> {
    const answer = await this.#client.request('GET', `${this.#path}/${counterName}`, { timeoutMs: requestTimeoutMs }).catch(() => null);
    if (answer?.status !== 200) return null;
    const object = answer.body as ApiObject;
    const own = Number(object.data?.[ownMember(this.id)] ?? 0);
    if (own < this.#own)
      this.#problems.push(`client ${this.id} (${this.way}) read ${own} increments of its own after ${this.#own} were there`);
    this.#own = own;
    return object;
  }

  async #increment(read: ApiObject): Promise<void> {
    const own = ownMember(this.id);
    const next = { count: String(Number(read.data?.['count']) + 1), [own]: String(Number(read.data?.[own] ?? 0) + 1) };
    const { method, type, body, query = '' } = (writeWays[this.way] as (typeof writeWays)[string])(read, next, this.id);
    const answer = await this.#client
      .request(method, `${this.#path}/${counterName}${query}`, { body, type, timeoutMs: requestTimeoutMs })
      .catch(() => null);
    if (answer?.status === 200) {
      const written = answer.body as ApiObject;
      if (written.data?.['count'] !== next.count)
        this.#problems.push(`client ${this.id} (${this.way}) wrote ${next.count} and got ${written.data?.['count']}`);
      this.acknowledged.push(Number(next.count));
      this.#own = Number(next[own]);
    } else if (answer !== null && refused.has(answer.status)) {
      this.refusals++;
    } else {
      this.unknown++;
      await this.#elsewhere();
    }
  }
}
