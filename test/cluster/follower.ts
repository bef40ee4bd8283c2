import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ApiObject, WatchEvent, WatchStream } from '../fixtures/apiClient.js';

const pauseAfterFailureMs = 20;

/** A client that watches, resumes at the next server, and records everything. */
export class Follower {
  readonly #servers: readonly ApiClient[];
  readonly #path: string;
  #version: string;
  readonly #first: number;

  readonly events: WatchEvent[] = [];
  /** Each bookmark's version and the number of changes before it. */
  readonly bookmarks: { readonly version: number; readonly after: number }[] = [];
  /** Answers that required a new list, which no failover may cause. */
  readonly expired: ApiObject[] = [];
  connections = 0;
  /** The end of each watch. */
  readonly endings: string[] = [];
  #stopped = false;
  #stream: WatchStream | null = null;
  readonly #running: Promise<void>;

  constructor(servers: readonly ApiClient[], path: string, version: string, first: number) {
    this.#servers = servers;
    this.#path = path;
    this.#version = version;
    this.#first = first;
    this.#running = this.#run();
  }

  /** Resolves when an object of that name was shown. */
  async until(name: string): Promise<void> {
    while (!this.events.some(({ object }) => object.metadata.name === name)) await delay(pauseAfterFailureMs);
  }

  async reconnected(connections: number): Promise<void> {
    while (this.connections < connections) await delay(pauseAfterFailureMs);
  }

  get shownVersion(): number {
    return Number(this.#version);
  }

  get progress(): string {
    const state = this.#stream === null ? 'no watch' : (this.#stream.ended ?? 'a watch is open');
    return `follower: ${this.connections} connections, ${this.events.length} events to ${this.#version}, ${state}; ended: ${this.endings.join(', ')}`;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stream?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let turn = this.#first; !this.#stopped; turn++) {
      const server = this.#servers[turn % this.#servers.length];
      if (server === undefined) return;
      // Short and varied, so that there are many versions to resume from.
      const seconds = 3 + (turn % 3);
      const stream = server.watch(
        `${this.#path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=${seconds}&resourceVersion=${this.#version}`,
      );
      this.#stream = stream;
      await this.#take(stream);
      if (stream.events.length === 0 && !this.#stopped) await delay(pauseAfterFailureMs);
    }
  }

  async #take(stream: WatchStream): Promise<void> {
    let taken = 0;
    const takeNew = (): boolean => {
      for (const event of stream.events.slice(taken)) this.#show(event);
      taken = stream.events.length;
      return false;
    };
    try {
      await stream.opened;
    } catch {
      return;
    }
    this.connections++;
    // The condition never holds: it takes events until the watch ends.
    await stream.until(takeNew).catch(takeNew);
    if (!this.#stopped) this.endings.push(stream.ended ?? '');
  }

  #show(event: WatchEvent): void {
    const { type, object } = event;
    if (type === 'ERROR') this.expired.push(object);
    else this.#version = object.metadata.resourceVersion;
    if (type === 'BOOKMARK') this.bookmarks.push({ version: Number(this.#version), after: this.events.length });
    else if (type !== 'ERROR') this.events.push(event);
  }
}
