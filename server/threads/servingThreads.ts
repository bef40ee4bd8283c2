import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Registry } from 'prom-client';
import { isMainThread, MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { ReplicaTicket } from '../../raft/index.js';
import type { Sink } from '../audit/contract.js';
import { SharedSeats } from '../fairness/seatPool.js';
import type { Loopback } from '../assembly/loopback.js';
import type { ThreadShare } from '../assembly/front.js';
import type { DrainedListener, Listener } from '../../program/port/listener.js';
import { SharedCount, type Count } from '../../program/port/connections/index.js';
import { oneStream } from '../../program/log/logOutput.js';
import type { Metrics } from '../http/metrics.js';
import { resetSeries } from '../../program/metrics/expositionPage.js';
import { summed, textOf, type Exported, type Exposition } from '../../program/metrics/sums.js';
import type { ApiServerOptions } from '../options/flags.js';
import { loggerOptions } from '../../program/log/options.js';
import type { SharedMemory, ThreadStart, ToFirst, ToThread } from './contract.js';
import { Line, type Handlers } from './line.js';
import { SharedProgress } from './progress.js';
import { SharedForms } from './sharedForms.js';
import { closeOnAll } from './sharedSocket.js';

/** More threads would wait for the consensus thread (docs/scaling.md). */
const servingThreadsMax = 8;
/** OpenSSL's size: names, and keys of cipher and digest. */
const ticketKeyBytes = 48;

export interface Machine {
  readonly cores: number;
  readonly ownProcess: boolean;
}

/**
 * Returns the number of serving threads: one core is left to the consensus thread by default. Several only exist with the built-in store in its own process.
 */
export function servingThreadsOf(
  options: Pick<ApiServerOptions, 'serving-threads' | 'storage-backend' | 'etcd-servers'>,
  { cores, ownProcess }: Machine = { cores: availableParallelism(), ownProcess: isMainThread },
): number {
  if (options['serving-threads'] > 0) return options['serving-threads'];
  if (!ownProcess || options['storage-backend'] === 'memory' || options['etcd-servers'].length > 0) return 1;
  return Math.min(servingThreadsMax, Math.max(1, cores - 1));
}

export interface ServingThreadsOptions {
  readonly options: ApiServerOptions;
  /** Includes the first one. */
  readonly threads: number;
  readonly metrics: Metrics;
  readonly loopback: Loopback;
  /** Receives audit events; null for none. */
  readonly audit: Sink | null;
  /** Counts events of all threads for `EventRateLimit`. */
  readonly countEvents: (keys: readonly string[]) => readonly boolean[];
}

interface Running {
  readonly worker: Worker;
  readonly line: Line<ToThread, ToFirst>;
}

/** The first thread's view of other serving threads (DESIGN.md). */
export class ServingThreads {
  readonly #given: ServingThreadsOptions;
  readonly share: ThreadShare;
  readonly progress: SharedProgress;
  readonly forms: SharedForms;
  readonly ticketKeys = randomBytes(ticketKeyBytes);
  /** Resolves with the reason of a thread's unexpected end. */
  readonly failed: Promise<Error>;
  readonly #memory: SharedMemory;
  readonly #peers: readonly (readonly MessagePort[])[];
  readonly #running: Running[] = [];
  readonly #synced: Promise<void>[] = [];
  #fail: (error: Error) => void = () => undefined;
  #stopping = false;
  #released: Promise<number> | null = null;

  /** Includes the first one. */
  get threads(): number {
    return this.#given.threads;
  }

  constructor(given: ServingThreadsOptions) {
    this.#given = given;
    this.#memory = {
      progress: new SharedArrayBuffer(SharedProgress.bytes),
      seats: new SharedArrayBuffer(SharedSeats.bytesFor(given.threads)),
      inflight: new SharedArrayBuffer(inflightBytes),
      forms: new SharedArrayBuffer(SharedForms.tableBytes),
    };
    const { threads } = given;
    this.#peers = meshOf(threads);
    this.forms = new SharedForms({ table: this.#memory.forms, thread: 0, threads, peers: this.#peers[0] ?? [] });
    this.progress = new SharedProgress(this.#memory.progress);
    this.share = {
      isFirst: true,
      seats: new SharedSeats(this.#memory.seats, 0, given.threads),
      inflight: inflightIn(this.#memory.inflight),
      exposition: (of) => this.#exposition(of),
      resetMetrics: (of) => this.#resetMetrics(of),
    };
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  /** Resolves when all accept connections; rejects if one cannot. */
  async start(socket: number, tickets: readonly ReplicaTicket[]): Promise<void> {
    await Promise.all(tickets.map((ticket, index) => this.#start(index + 1, socket, ticket)));
  }

  /** Resolves when all have loaded what requests need. */
  async synced(): Promise<void> {
    await Promise.race([Promise.all(this.#synced), this.failed.then((error) => Promise.reject(error))]);
  }

  async drain(): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled(this.#running.map(({ line }) => line.ask('drain', null)));
  }

  /** The first thread's listener, which closes all threads' socket when it drains. */
  sharing(first: Listener): DrainedListener {
    return {
      announceEnd: () => {
        first.announceEnd();
      },
      drain: (lingerMs) => {
        void this.#release(first);
        first.drain(lingerMs);
      },
      close: () => first.close(),
      get unusedConnections() {
        return first.unusedConnections;
      },
      get connections() {
        return first.connections;
      },
    };
  }

  async stop(first: Pick<Listener, 'socket' | 'accepted' | 'release'>): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled(this.#running.map(({ line }) => line.ask('stop', null)));
    this.forms.close();
    const closed = await this.#release(first);
    await Promise.all(this.#running.slice(0, closed - 1).map(({ worker }) => worker.terminate()));
    for (const { worker } of this.#running.slice(closed - 1)) worker.unref();
  }

  /** Resolves to the number of threads that closed the socket. */
  #release(first: Pick<Listener, 'socket' | 'accepted' | 'release'>): Promise<number> {
    const ofFirst = (): undefined => {
      first.release();
    };
    // A thread that has ended has closed its descriptor.
    const ofOthers = this.#running.map(
      ({ line }) =>
        () =>
          line.ask('release', null).catch(() => null),
    );
    this.#released ??= first.accepted().then(() => closeOnAll(first.socket, [ofFirst, ...ofOthers]));
    return this.#released;
  }

  #start(thread: number, socket: number, ticket: ReplicaTicket): Promise<void> {
    const worker = this.#spawn(thread, socket, ticket);
    return new Promise((resolve, reject) => {
      let synced = (): void => undefined;
      this.#synced.push(
        new Promise((done) => {
          synced = done;
        }),
      );
      const line = new Line<ToThread, ToFirst>(worker, {
        ...this.#handlers(),
        listens: () => {
          resolve();
          return null;
        },
        synced: () => {
          synced();
          return null;
        },
      });
      this.#running.push({ worker, line });
      const ended = (cause: unknown): void => {
        const error = new Error(`serving thread ${thread} has ended`, { cause });
        line.end(error);
        reject(error);
        if (!this.#stopping) this.#fail(error);
      };
      worker.once('error', ended);
      worker.once('exit', (code) => {
        ended(new Error(`exit code ${code}`));
      });
    });
  }

  #spawn(thread: number, socket: number, ticket: ReplicaTicket): Worker {
    const peers = this.#peers[thread] ?? [];
    const start: ThreadStart = {
      options: this.#given.options,
      thread,
      threads: this.threads,
      socket,
      ticketKeys: this.ticketKeys,
      loopback: this.#given.loopback,
      replica: ticket,
      shared: this.#memory,
      peers,
    };
    return new Worker(new URL('./servingThread.js', import.meta.url), {
      name: `serving-${thread}`,
      workerData: start,
      transferList: [ticket.port, ...peers],
    });
  }

  #handlers(): Omit<Handlers<ToFirst>, 'listens' | 'synced'> {
    const { options, audit, countEvents } = this.#given;
    const { output } = loggerOptions(options, { errors: process.stderr, others: process.stdout });
    const lines = output ?? oneStream(process.stderr);
    return {
      log: ({ level, line: text }) => {
        lines.write(level, text);
        return null;
      },
      exposition: (of) => this.#exposition(of),
      resetMetrics: async (of) => {
        await this.#resetMetrics(of);
        return null;
      },
      audit: (event) => audit?.process(event) ?? true,
      settleAudit: () => audit?.settle() ?? true,
      countEvent: (keys) => countEvents(keys),
    };
  }

  async #exposition(of: Exposition): Promise<string> {
    const own = await exported(this.#given.metrics, of);
    const others = await Promise.all(this.#running.map(({ line }) => line.ask('counts', of)));
    return textOf(summed([own, ...others]));
  }

  async #resetMetrics(of: Exposition): Promise<void> {
    resetExported(this.#given.metrics, of);
    await Promise.all(this.#running.map(({ line }) => line.ask('resetMetrics', of)));
  }
}

function meshOf(threads: number): readonly (readonly MessagePort[])[] {
  const ports = Array.from({ length: threads }, (): MessagePort[] => []);
  for (let one = 0; one < threads; one++)
    for (let other = one + 1; other < threads; other++) {
      const { port1, port2 } = new MessageChannel();
      ports[one]?.push(port1);
      ports[other]?.push(port2);
    }
  return ports;
}

const registryOf = ({ registry, indicators }: Metrics, of: Exposition): Registry => (of === 'metrics' ? registry : indicators.registry);

export async function exported(metrics: Metrics, of: Exposition): Promise<readonly Exported[]> {
  return (await registryOf(metrics, of).getMetricsAsJSON()) as readonly Exported[];
}

export function resetExported(metrics: Metrics, of: Exposition): void {
  resetSeries(registryOf(metrics, of));
}

const inflightBytes = 3 * Int32Array.BYTES_PER_ELEMENT;

/** Reads, writes and probes in flight, over all threads. */
export function inflightIn(memory: SharedArrayBuffer): readonly [Count, Count, Count] {
  const words = new Int32Array(memory);
  return [new SharedCount(words, 0), new SharedCount(words, 1), new SharedCount(words, 2)];
}

export function exposeConnections({ gauges }: Metrics, thread: number, open: () => number): void {
  gauges(
    'apiserver_serving_thread_connections',
    'Connections of clients that are open now, by the thread that serves them.',
    { label: 'thread' },
    () => Promise.resolve(new Map([[String(thread), open()]])),
  );
}

/** Exposes what threads share, and what of it they keep. */
export function exposeForms({ gauges, counter }: Metrics, thread: number, forms: SharedForms): void {
  for (const [outcome, help] of [
    ['made', 'made, for all of them'],
    ['found', 'found, made by one of them before'],
    ['own', 'made for themselves alone'],
  ] as const)
    counter(`apiserver_serving_thread_forms_${outcome}_total`, `Forms of stored objects that serving threads have ${help}.`, () =>
      Promise.resolve(forms.counts[outcome]),
    );
  gauges(
    'apiserver_serving_thread_form_bytes',
    'Memory in which the forms of objects lie that serving threads have in common, by the thread that keeps it: what several keep is there once.',
    { label: 'thread' },
    () => Promise.resolve(new Map([[String(thread), forms.slabs.bytes]])),
  );
}

/** Counts failed handshakes under the reference's name. */
export function exposeHandshakes({ counter }: Metrics, listener: Pick<Listener, 'handshakeErrors'>): void {
  counter('apiserver_tls_handshake_errors_total', 'Clients that did not get through the TLS handshake.', () =>
    Promise.resolve(listener.handshakeErrors),
  );
}
