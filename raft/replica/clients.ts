import { renumbered } from '../store/command.js';
import type { Log } from '../transport/contract.js';
import type { Revision } from '../types.js';
import { AnswerWriter, readRequests, type RequestReceiver } from './port.js';
import { answersBytesMax } from './portSink.js';
import type { ReplicaSink } from './sink.js';

export interface ClientPort {
  readonly post: (batch: ArrayBuffer | SharedArrayBuffer) => void;
  readonly takenBytes: BigInt64Array;
}

interface Client extends ClientPort {
  readonly writer: AnswerWriter;
  posted: number;
  gone: boolean;
}

interface Asked {
  readonly client: Client;
  readonly id: number;
}

/**
 * Several threads at one replica. The replica requires one growing sequence, so the requests of all are renumbered here, and answers routed back. Changes are
 * written once into shared memory, and delivered to each thread before any answer that depends on them:
 *
 *     thread 0 ── id 7 ──┐                ┌── 1 ──▶ propose, barrier, …
 *     thread 1 ── id 4 ──┼──▶ Clients ────┼── 2 ──▶
 *     thread 2 ── id 9 ──┘   (1 = 0's 7)  └── 3 ──▶
 *
 * The first thread owns the replica: it alone stops it, and receives its log.
 */
export class Clients implements ReplicaSink {
  readonly #clients: readonly Client[];
  readonly #published: BigInt64Array;
  readonly #onFailed: () => void;
  readonly #changes = new AnswerWriter();
  readonly #asked = new Map<number, Asked>();
  #nextId = 1;

  /** `published`, shared by all threads, is the revision whose changes every thread has received. No answer precedes it. */
  constructor(ports: readonly ClientPort[], published: BigInt64Array, onFailed: () => void) {
    this.#clients = ports.map((port) => ({ ...port, writer: new AnswerWriter(), posted: 0, gone: false }));
    this.#published = published;
    this.#onFailed = onFailed;
  }

  receive(thread: number, batch: ArrayBuffer, receiver: RequestReceiver): void {
    readRequests(batch, this.#numbered(this.#client(thread), thread === 0, receiver));
  }

  leave(thread: number): void {
    this.#client(thread).gone = true;
  }

  readonly log: Log = (level, message, fields = {}) => {
    const owner = this.#client(0);
    owner.writer.log({ level, message, fields });
    this.#flush(owner);
  };

  get unreadBytes(): number {
    let most = 0;
    for (const { posted, takenBytes, gone } of this.#clients)
      if (!gone) most = Math.max(most, posted - Number(Atomics.load(takenBytes, 0)));
    return most;
  }

  changes(...[changes, revision, store]: Parameters<ReplicaSink['changes']>): void {
    this.#changes.changes(changes, revision, store);
    this.#publish(revision);
  }

  gap(revision: Revision, { compacted }: { readonly compacted: Revision }): void {
    this.#changes.changes([], revision, { compacted, gap: true });
    this.#publish(revision);
  }

  written(...[sequence, outcome]: Parameters<ReplicaSink['written']>): void {
    this.#answer(sequence, (writer, id) => writer.written(id, outcome));
  }

  barrier(...[number, outcome]: Parameters<ReplicaSink['barrier']>): void {
    this.#answer(number, (writer, id) => writer.barrier(id, outcome));
  }

  range(...[number, result]: Parameters<ReplicaSink['range']>): void {
    this.#answer(number, (writer, id) => writer.range(id, result));
  }

  changesSince(...[number, result]: Parameters<ReplicaSink['changesSince']>): void {
    this.#answer(number, (writer, id) => writer.changesSince(id, result));
  }

  status(...[number, status]: Parameters<ReplicaSink['status']>): void {
    this.#answer(number, (writer, id) => writer.status(id, status));
  }

  membership(...[number, outcome]: Parameters<ReplicaSink['membership']>): void {
    this.#answer(number, (writer, id) => writer.membership(id, outcome));
  }

  snapshot(...[number, outcome]: Parameters<ReplicaSink['snapshot']>): void {
    this.#answer(number, (writer, id) => writer.snapshot(id, outcome));
  }

  done(number: number): void {
    this.#answer(number, (writer, id) => writer.done(id));
  }

  failed(error: Error): void {
    for (const client of this.#clients) {
      client.writer.failed(error);
      this.#flush(client);
    }
    this.#onFailed();
  }

  flush(): void {
    for (const client of this.#clients) this.#flush(client);
  }

  #client(thread: number): Client {
    const client = this.#clients[thread];
    if (client === undefined) throw new Error(`broken invariant: there is no thread ${thread}`);
    return client;
  }

  #numbered(client: Client, owns: boolean, receiver: RequestReceiver): RequestReceiver {
    const number = (id: number): number => {
      const taken = this.#nextId;
      this.#nextId += 1;
      this.#asked.set(taken, { client, id });
      return taken;
    };
    return {
      propose: ({ sequence, data, ...proposal }) => {
        const own = number(sequence);
        receiver.propose({ ...proposal, sequence: own, data: renumbered(data, own) });
      },
      barrier: (id, timeoutMs) => receiver.barrier(number(id), timeoutMs),
      range: (id, options) => receiver.range(number(id), options),
      changesSince: (id, after, bytesMax) => receiver.changesSince(number(id), after, bytesMax),
      status: (id) => receiver.status(number(id)),
      transferLeadership: (id, timeoutMs) => receiver.transferLeadership(number(id), timeoutMs),
      changeMembership: (id, change, timeoutMs) => receiver.changeMembership(number(id), change, timeoutMs),
      snapshot: (id) => receiver.snapshot(number(id)),
      stop: (id) => {
        const own = number(id);
        if (owns) return receiver.stop(own);
        this.done(own);
        this.#flush(client);
      },
    };
  }

  #answer(number: number, write: (writer: AnswerWriter, id: number) => void): void {
    const asked = this.#asked.get(number);
    if (asked === undefined) return;
    this.#asked.delete(number);
    write(asked.client.writer, asked.id);
    if (asked.client.writer.length > answersBytesMax) this.#flush(asked.client);
  }

  #publish(revision: Revision): void {
    const shared = this.#changes.takeShared();
    // Set before any thread knows the changes: readers wait for those in transit.
    Atomics.store(this.#published, 0, BigInt(revision));
    for (const client of this.#clients) {
      this.#flush(client);
      if (client.gone) continue;
      client.posted += shared.byteLength;
      client.post(shared);
    }
  }

  #flush(client: Client): void {
    if (client.writer.length === 0) return;
    const batch = client.writer.take();
    if (client.gone) return;
    client.posted += batch.length;
    client.post(batch.buffer);
  }
}
