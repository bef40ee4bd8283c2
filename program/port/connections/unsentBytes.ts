/** Limit over all clients: bytes handed over to connections, and complete waiting responses. Lists are made while they are sent. */
export const unsentBytesMax = 64 * 1024 * 1024;
const keptShare = 0.75;

export interface Holder {
  readonly owner: string;
  readonly unsentBytes: number;
  cutNow(): void;
}

/** When too many bytes wait, closes connections of the owner with the most, the largest first, until another owner has more. */
export class UnsentBytes {
  readonly #max: number;
  #bytes = 0;
  #relieving = false;
  readonly #holders = new Set<Holder>();

  constructor(max = unsentBytesMax) {
    this.#max = max;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get rest(): number {
    return this.#max - this.#bytes;
  }

  register(holder: Holder): void {
    this.#holders.add(holder);
  }

  forget(holder: Holder): void {
    this.#holders.delete(holder);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#max && !this.#relieving) this.#relieve();
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }

  #relieve(): void {
    this.#relieving = true;
    const owners = ownersOf(this.#holders);
    while (this.#bytes > this.#max * keptShare) {
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
