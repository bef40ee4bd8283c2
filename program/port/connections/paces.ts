/** The time after a refusal for which a client is paced. A client that obeys `Retry-After: 1` is never delayed. */
const pacedMs = 1_000;
/** A paced client may begin one request in each such interval, whether there is room or not. */
const tryMs = 4;
/** Beyond this number, the client whose last refusal is oldest is no longer paced. */
const clientsMax = 10_000;

interface Pace {
  /** The pace ends at this time of the clock, in milliseconds. */
  until: number;
  tryAt: number;
  /** Requests that may begin in the places of those whose work is over. */
  places: number;
}

/**
 * Limits how fast requests begin whose clients were refused for lack of room. A refusal costs about as much as an answer, and the refusals of a client that
 * retries at once would take the whole event loop. For a second after a refusal, a request of that client begins only when another one of it has ended,
 * which leaves a place, and additionally once every few milliseconds. Waiting requests cost their place only, and are left unread once there are many. The
 * client loses no throughput, since further requests would be refused.
 */
export class Paces {
  /** Sorted by the time of the last refusal. */
  readonly #paces = new Map<string, Pace>();
  readonly #now: () => number;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A request of the client found no room. */
  refused(client: string): void {
    const now = this.#now();
    const { tryAt = now + tryMs, places = 0 } = this.#paces.get(client) ?? {};
    this.#paces.delete(client);
    this.#paces.set(client, { until: now + pacedMs, tryAt, places });
    this.#forget(now);
  }

  /** A request of the client has left its place. Returns whether another one may begin for this reason. */
  left(client: string): boolean {
    const pace = this.#paceOf(client);
    if (pace !== undefined) pace.places += 1;
    return pace !== undefined;
  }

  /** Whether a request of the client may begin now. */
  allows(client: string): boolean {
    const pace = this.#paceOf(client);
    return pace === undefined || pace.places > 0 || this.#now() >= pace.tryAt;
  }

  /** Must be called when a request of the client begins that `allows` has permitted. */
  begins(client: string): void {
    const pace = this.#paceOf(client);
    if (pace === undefined) return;
    if (pace.places > 0) pace.places -= 1;
    else pace.tryAt = this.#now() + tryMs;
  }

  /** Milliseconds until one may begin, should no other leave its place before. */
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
