import type { Sink, ReportLoss, Writer } from './contract.js';
import type { AuditEvent } from './event.js';

/** Limit of finished requests' events that a strict sink keeps while it cannot write. */
const owedMax = 10_000;

interface Waiting {
  readonly event: AuditEvent;
  readonly done: (written: boolean) => void;
}

/**
 * Makes requests wait until their events are written, several with one write. `strict`: while the writer fails, new requests are refused, and events of others
 * kept.
 */
export class BlockingSink implements Sink {
  readonly strict: boolean;
  readonly #writer: Writer;
  readonly #lost: ReportLoss;
  #waiting: Waiting[] = [];
  #owed: AuditEvent[] = [];
  #running: Promise<void> | null = null;

  constructor(writer: Writer, options: { readonly strict: boolean; readonly lost: ReportLoss }) {
    this.#writer = writer;
    this.#lost = options.lost;
    this.strict = options.strict;
  }

  process(event: AuditEvent): Promise<boolean> {
    return new Promise((done) => {
      this.#waiting.push({ event, done });
      this.#running ??= this.#run();
    });
  }

  async settle(): Promise<boolean> {
    if (this.#owed.length > 0) await (this.#running ??= this.#run());
    return this.#owed.length === 0;
  }

  async close(): Promise<void> {
    await this.#running;
    await this.settle();
    if (this.#owed.length > 0) this.#lost(this.#owed.length, new Error('the server stopped before they could be written'));
    await this.#writer.close();
  }

  async #run(): Promise<void> {
    do {
      const batch = this.#waiting;
      this.#waiting = [];
      const written = await this.#write([...this.#owed, ...batch.map(({ event }) => event)]);
      if (written === null) this.#owed = [];
      else this.#keep(batch, written);
      for (const { done } of batch) done(written === null);
    } while (this.#waiting.length > 0);
    this.#running = null;
  }

  async #write(events: readonly AuditEvent[]): Promise<Error | null> {
    try {
      await this.#writer.write(events);
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  /** Does not keep a new request's event, since it is refused. */
  #keep(batch: readonly Waiting[], cause: Error): void {
    const over = batch.filter(({ event }) => event.stage !== 'RequestReceived').map(({ event }) => event);
    const room = this.strict ? Math.max(0, owedMax - this.#owed.length) : 0;
    this.#owed.push(...over.slice(0, room));
    const lost = this.strict ? over.length - Math.min(room, over.length) : batch.length;
    if (lost > 0) this.#lost(lost, cause);
  }
}
