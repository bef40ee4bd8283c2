/** A client that obeys `Retry-After: 1` is never delayed. */
const pacedMs = 1_000;
/** A slowed client may begin one request per interval. */
const tryMs = 4;
const clientsMax = 10_000;

interface Pace {
  until: number;
  tryAt: number;
  places: number;
}

/**
 * Slows down clients refused for lack of room, since a refusal costs about as much as an answer. For a second after a refusal, a request of that client begins
 * only when another has ended, and once every few milliseconds. Others would be refused anyway.
 */
export class Paces {
  readonly #paces = new Map<string, Pace>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  refused(client: string): void {
    const now = this.#now();
    const { tryAt = now + tryMs, places = 0 } = this.#paces.get(client) ?? {};
    this.#paces.delete(client);
    this.#paces.set(client, { until: now + pacedMs, tryAt, places });
    this.#forget(now);
  }

  /** Returns whether another request may replace an ended one. */
  left(client: string): boolean {
    const pace = this.#paceOf(client);
    if (pace !== undefined) pace.places += 1;
    return pace !== undefined;
  }

  allows(client: string): boolean {
    const pace = this.#paceOf(client);
    return pace === undefined || pace.places > 0 || this.#now() >= pace.tryAt;
  }

  /** Must be called for each request that `allows` has permitted. */
  begins(client: string): void {
    const pace = this.#paceOf(client);
    if (pace === undefined) return;
    if (pace.places > 0) pace.places -= 1;
    else pace.tryAt = this.#now() + tryMs;
  }

  /** Milliseconds until the next request may begin, if none ends before. */
  waitMs(client: string): number {
    return this.allows(client) ? 0 : Math.ceil((this.#paces.get(client)?.tryAt ?? 0) - this.#now());
  }

  #paceOf(client: string): Pace | undefined {
    if (this.#paces.size === 0) return undefined;
    const pace = this.#paces.get(client);
    return pace === undefined || this.#now() >= pace.until ? undefined : pace;
  }

  #forget(now: number): void {
    for (const [client, { until }] of this.#paces) {
      if (until > now && this.#paces.size <= clientsMax) return;
      this.#paces.delete(client);
    }
  }
}
