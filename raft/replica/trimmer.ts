import { logIndex } from '../types.js';
import type { Entry, LogIndex } from '../types.js';

export interface TrimmerOptions {
  readonly checkpointEntries: number;
  readonly checkpointBytes: number;
  readonly entriesKept: number;
  readonly bytesKeptMax: number;
  readonly bytesHeldMax: number;
}

interface Mark {
  readonly index: number;
  readonly bytes: number;
}

/** Cutting need not be exact. */
const entriesPerMark = 128;

/** Decides when to checkpoint the store and where to cut the log. Pure. */
export class Trimmer {
  readonly #options: TrimmerOptions;
  #entriesSince = 0;
  #bytesSince = 0;
  #bytes = 0;
  #marks: Mark[] = [];

  constructor(options: TrimmerOptions) {
    this.#options = options;
  }

  applied(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#bytes += entry.data.length;
      this.#bytesSince += entry.data.length;
      if (entry.index % entriesPerMark === 0) this.#marks.push({ index: entry.index, bytes: this.#bytes });
    }
    this.#entriesSince += entries.length;
  }

  get checkpointIsDue(): boolean {
    return this.#entriesSince >= this.#options.checkpointEntries || this.#bytesSince >= this.#options.checkpointBytes;
  }

  /** Returns up to where the log may be cut. A snapshot's receiver will need entries from `held` on. */
  cutAfterCheckpoint(checkpoint: LogIndex, held: LogIndex | null): LogIndex {
    this.#entriesSince = 0;
    this.#bytesSince = 0;
    const byEntries = checkpoint - this.#options.entriesKept;
    const wanted = Math.max(byEntries, this.#indexBehind(this.#options.bytesKeptMax));
    const allowed = held === null ? wanted : Math.min(wanted, Math.max(held, this.#indexBehind(this.#options.bytesHeldMax)));
    const cut = logIndex(Math.max(0, Math.min(checkpoint, allowed)));
    this.#marks = this.#marks.filter(({ index }) => index > cut);
    return cut;
  }

  #indexBehind(bytesMax: number): number {
    return this.#marks.findLast(({ bytes }) => this.#bytes - bytes > bytesMax)?.index ?? 0;
  }
}
