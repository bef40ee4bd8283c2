/** Since its last refusal; who is told to come back after a second and does so is not held up. */
const pacedMs = 1_000;
/** Of a client that is paced, one request begins after so long in any case, whether there is room by now or not. */
const tryMs = 4;
/** Clients; beyond, the one that was refused longest ago is let go. */
const clientsMax = 10_000;

interface Pace {
  /** In milliseconds of the clock: when the client counts as any other again. */
  until: number;
  tryAt: number;
  /** Requests that may begin in the places of those whose work is over. */
  places: number;
}

/**
 * How fast requests begin of clients for whose requests there is no room. A refusal costs about as much as an answer, and a client that asks again at once
 * can be refused as fast as the event loop can say so, which is all that the loop does then. So for a second after a refusal a request of that client begins
 * when the work on another one of it is over, since there is a place then, and beside that one in every few milliseconds. What waits meanwhile costs nothing
 * but its place, and is not even read once many do. A client loses no throughput by it: what would begin beyond that would be refused.
 */
export class Paces {
  /** In the order of their last refusals. */
  readonly #paces = new Map<string, Pace>();

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(private readonly now: () => number) {}

  /** A request of the client found no room. */
  refused(client: string): void {
    const now = this.now();
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
    return pace === undefined || pace.places > 0 || this.now() >= pace.tryAt;
  }

  /** To be called as a request of the client begins that may. */
  begins(client: string): void {
    const pace = this.#paceOf(client);
    if (pace === undefined) return;
    if (pace.places > 0) pace.places -= 1;
    else pace.tryAt = this.now() + tryMs;
  }

  /** Milliseconds until one may begin, should no other leave its place before. */
  waitMs(client: string): number {
    return this.allows(client) ? 0 : Math.ceil((this.#paces.get(client)?.tryAt ?? 0) - this.now());
  }

  #paceOf(client: string): Pace | undefined {
    if (this.#paces.size === 0) return undefined;
    const pace = this.#paces.get(client);
    return pace === undefined || this.now() >= pace.until ? undefined : pace;
  }

  #forget(now: number): void {
    for (const [client, { until }] of this.#paces) {
      if (until > now && this.#paces.size <= clientsMax) return;
      this.#paces.delete(client);
    }
  }
}
