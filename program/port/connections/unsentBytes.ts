/** Of all clients together: what connections have been given, and complete answers that wait. Lists are made as they are taken and do not count before. */
const unsentBytesMax = 64 * 1024 * 1024;
/** When there is more, connections are cut until so much is left. */
const keptShare = 0.75;

/** A connection that has bytes which its client does not take. */
export interface Holder {
  /** Whose they are. */
  readonly owner: string;
  readonly unsentBytes: number;
  /** Ends the connection now: what was encrypted for it is freed only with it. */
  cutNow(): void;
}

/**
 * Counts the bytes that clients do not take, with what each waiting answer takes itself. When there are too many, whoever has most of them loses connections, the
 * one that holds most first, until somebody else has more: who has little loses nothing, however slowly he reads.
 */
export class UnsentBytes {
  #bytes = 0;
  #relieving = false;
  readonly #holders = new Set<Holder>();

  constructor(private max = unsentBytesMax) {}

  /** One of several threads has its part of what the process has. */
  shareAmong(threads: number): void {
    this.max = unsentBytesMax / threads;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What may be added before somebody is cut. */
  get rest(): number {
    return this.max - this.#bytes;
  }

  register(holder: Holder): void {
    this.#holders.add(holder);
  }

  forget(holder: Holder): void {
    this.#holders.delete(holder);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.max && !this.#relieving) this.#relieve();
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }

  #relieve(): void {
    this.#relieving = true;
    const owners = ownersOf(this.#holders);
    while (this.#bytes > this.max * keptShare) {
      const greatest = greatestOf(owners);
      const holder = greatest?.holders.pop();
      if (greatest === null || holder === undefined) break;
      greatest.bytes -= holder.unsentBytes;
      holder.cutNow();
    }
    this.#relieving = false;
  }
}

interface Owner {
  bytes: number;
  /** The one with most at the end. */
  readonly holders: Holder[];
}

function ownersOf(holders: Iterable<Holder>): Owner[] {
  const owners = new Map<string, Owner>();
  for (const holder of holders) {
    if (holder.unsentBytes === 0) continue;
    const known = owners.get(holder.owner) ?? { bytes: 0, holders: [] };
    known.bytes += holder.unsentBytes;
    known.holders.push(holder);
    owners.set(holder.owner, known);
  }
  for (const owner of owners.values()) owner.holders.sort((one, other) => one.unsentBytes - other.unsentBytes);
  return [...owners.values()];
}

function greatestOf(owners: readonly Owner[]): Owner | null {
  let greatest: Owner | null = null;
  for (const owner of owners) if (owner.holders.length > 0 && owner.bytes > (greatest?.bytes ?? 0)) greatest = owner;
  return greatest;
}

/** All connections of a thread share its memory. */
export const unsentBytes = new UnsentBytes();
