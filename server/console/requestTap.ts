import { AuditRecord } from '../audit/record.js';
import type { Extent } from '../audit/rules.js';
import type { Exchange } from '../http/exchange.js';

/** A request that is over, as an audit event of level Metadata would tell of it. */
export interface SeenRequest {
  readonly id: string;
  /** Milliseconds since 1970, when it arrived. */
  readonly at: number;
  readonly verb: string;
  readonly path: string;
  /** Group and resource with its subresource, such as `apps/deployments/scale`; empty for paths that are no resource's. */
  readonly resource: string;
  readonly namespace: string;
  readonly user: string;
  /** The user that was authenticated, where another one was impersonated; empty otherwise. */
  readonly impersonator: string;
  /** 0 when the client left before there was an answer. */
  readonly code: number;
  readonly ms: number;
  readonly watch: boolean;
  readonly agent: string;
  readonly address: string;
}

/** Requests kept for whoever begins to look while others look already. */
const ringMax = 500;
const textMax = 200;

/**
 * Where requests can be seen as they end. While nobody looks, a request costs one comparison, and nothing is kept.
 */
export class RequestTap {
  readonly #listeners = new Set<(request: SeenRequest) => void>();
  #ring: SeenRequest[] = [];
  #next = 0;

  get watched(): boolean {
    return this.#listeners.size > 0;
  }

  /** How many look. */
  get watchers(): number {
    return this.#listeners.size;
  }

  /** To be told of each request before it is worked on. */
  begin(exchange: Exchange): void {
    if (!this.watched) return;
    exchange.onClose(() => {
      this.#add(seenOf(exchange));
    });
  }

  /** Calls `listener` with each request that ends from now on, until the returned function is called. What others saw shortly before comes first. */
  look(listener: (request: SeenRequest) => void): () => void {
    for (const request of this.recent()) listener(request);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.watched) return;
      this.#ring = [];
      this.#next = 0;
    };
  }

  /** What is kept, oldest first. */
  recent(): readonly SeenRequest[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }

  #add(request: SeenRequest): void {
    if (!this.watched) return;
    this.#ring[this.#next] = request;
    this.#next = (this.#next + 1) % ringMax;
    for (const listener of this.#listeners) listener(request);
  }
}

const short = (text: string): string => (text.length > textMax ? `${text.slice(0, textMax)}…` : text);

/** What everybody's audit event tells of a request at least. */
const metadata: Extent = { level: 'Metadata', stages: new Set(['ResponseComplete']), omitManagedFields: false };

/**
 * The facts of a request, from the event that an audit log would have of its end: made by the same code, whether or not a policy wants one. Neither
 * its query nor its body goes on, which may hold secrets.
 */
function seenOf(exchange: Exchange): SeenRequest {
  const { info, response } = exchange;
  const arrivedAt = performance.timeOrigin + exchange.startedAt;
  const record = exchange.audit ?? new AuditRecord(exchange, metadata, arrivedAt);
  const event = record.event('ResponseComplete', response.headersSent ? response.statusCode : 0, arrivedAt);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const { apiGroup, resource, subresource, namespace } = event.objectRef ?? {};
  return {
    id: event.auditID,
    at: Math.round(arrivedAt),
    verb: event.verb.slice(0, 16),
    path: short(info.path),
    resource: [apiGroup, resource, subresource]
      .map(text)
      .filter((part) => part !== '')
      .join('/'),
    namespace: text(namespace),
    user: short(text((event.impersonatedUser ?? event.user)['username'])),
    impersonator: event.impersonatedUser === null ? '' : short(text(event.user['username'])),
    code: Number(event.responseStatus?.['code'] ?? 0),
    ms: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
    watch: exchange.longRunning,
    agent: short(event.userAgent),
    address: event.sourceIPs[0] ?? '',
  };
}
