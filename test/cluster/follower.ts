import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ApiObject, WatchEvent, WatchStream } from '../fixtures/apiClient.js';

const pauseAfterFailureMs = 20;

/** A client that watches until it is stopped, resumes at the next server, and records everything. */
export class Follower {
  readonly #servers: readonly ApiClient[];
  readonly #path: string;
  #version: string;
  readonly #first: number;

  /** Changes, in the order in which they came. */
  readonly events: WatchEvent[] = [];
  /** For each bookmark its version, and how many changes had come before. */
  readonly bookmarks: { readonly version: number; readonly after: number }[] = [];
  /** Answers that sent the client back to a list, which no failover must do. */
  readonly expired: ApiObject[] = [];
  connections = 0;
  /** How each watch that was open came to its end. */
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

  /** Resolves when an object of that name has been shown. */
  async until(name: string): Promise<void> {
    while (!this.events.some(({ object }) => object.metadata.name === name)) await delay(pauseAfterFailureMs);
  }

  /** Resolves when it has come back so often. */
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
      // Short watches, of different lengths, so that there are many places to resume from.
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
    // It never has what it waits for: what comes is taken, until the watch is over.
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
