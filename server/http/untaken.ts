/** Of answers that are complete and that their clients do not take, all clients together. Lists are made as they are taken and do not count. */
const untakenBytesMax = 64 * 1024 * 1024;
/** When there is more, the oldest go until so much is left. */
const untakenBytesKept = untakenBytesMax * 0.75;

/** An answer that may have to wait for its client. */
export interface Untaken {
  readonly startedAt: number;
  /** 0 until its making is over. */
  readonly untakenBytes: number;
  drop(): void;
}

/**
 * Counts the bytes of answers that are complete and wait for their clients, with what each answer takes itself. When there are too many, the
 * oldest go: a client that takes its answers loses none.
 */
export class UntakenAnswers {
  #bytes = 0;

  private kept: number;

  constructor(
    private max = untakenBytesMax,
    { kept = untakenBytesKept }: { readonly kept?: number } = {},
  ) {
    this.kept = kept;
  }

  /** One of several threads has its part of what the process has. */
  shareAmong(threads: number): void {
    this.max = untakenBytesMax / threads;
    this.kept = untakenBytesKept / threads;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `all`: where the oldest are looked for. */
  add(bytes: number, all: Iterable<Untaken>): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.max) return;
    const oldestFirst = [...all].filter(({ untakenBytes }) => untakenBytes > 0).sort((one, other) => one.startedAt - other.startedAt);
    for (const exchange of oldestFirst) {
      if (this.#bytes <= this.kept) return;
      exchange.drop();
    }
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** All connections of a process share its memory. */
export const untakenAnswers = new UntakenAnswers();
