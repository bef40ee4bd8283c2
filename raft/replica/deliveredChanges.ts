import { revision } from '../types.js';
import type { Revision } from '../types.js';
import type { ReplicaSink } from './sink.js';

/** Delivers each change once, since a reopened replica applies known entries again. */
export class DeliveredChanges implements ReplicaSink {
  readonly #sink: ReplicaSink;
  readonly #failed: (error: Error) => void;
  #through: Revision | null = null;

  constructor(sink: ReplicaSink, failed: (error: Error) => void) {
    this.#sink = sink;
    this.#failed = failed;
  }

  get through(): Revision | null {
    return this.#through;
  }

  /** Call it for each opened store. */
  begin(at: Revision): void {
    this.#through ??= at;
  }

  get log(): ReplicaSink['log'] {
    return this.#sink.log;
  }

  get unreadBytes(): number {
    return this.#sink.unreadBytes;
  }

  changes(...[changes, through, store]: Parameters<ReplicaSink['changes']>): void {
    const delivered = this.#through ?? revision(0);
    if (through < delivered) return;
    const [first] = changes;
    const fresh = first === undefined || first.revision > delivered ? changes : changes.filter((change) => change.revision > delivered);
    this.#through = through;
    if (fresh.length > 0 || changes.length === 0) this.#sink.changes(fresh, through, store);
  }

  gap(...[through, store]: Parameters<ReplicaSink['gap']>): void {
    this.#through = through;
    this.#sink.gap(through, store);
  }

  written(...answer: Parameters<ReplicaSink['written']>): void {
    this.#sink.written(...answer);
  }

  barrier(...answer: Parameters<ReplicaSink['barrier']>): void {
    this.#sink.barrier(...answer);
  }

  range(...answer: Parameters<ReplicaSink['range']>): void {
    this.#sink.range(...answer);
  }

  changesSince(...answer: Parameters<ReplicaSink['changesSince']>): void {
    this.#sink.changesSince(...answer);
  }

  status(...answer: Parameters<ReplicaSink['status']>): void {
    this.#sink.status(...answer);
  }

  membership(...answer: Parameters<ReplicaSink['membership']>): void {
    this.#sink.membership(...answer);
  }

  snapshot(...answer: Parameters<ReplicaSink['snapshot']>): void {
    this.#sink.snapshot(...answer);
  }

  done(...answer: Parameters<ReplicaSink['done']>): void {
    this.#sink.done(...answer);
  }

  failed(error: Error): void {
    this.#failed(error);
  }

  flush(): void {
    this.#sink.flush();
  }
}
