import { AuditRecord } from '../audit/record.js';
import type { Extent } from '../audit/rules.js';
import type { Exchange } from '../http/exchange.js';

/** A finished request with the content of an audit event of level Metadata. */
export interface SeenRequest {
  readonly id: string;
  /** The time of arrival, in milliseconds since 1970. */
  readonly at: number;
  readonly verb: string;
  readonly path: string;
  /** Group and resource with subresource, as `apps/deployments/scale`; empty for other paths. */
  readonly resource: string;
  readonly namespace: string;
  readonly user: string;
  /** The authenticated user, if it impersonated another one. */
  readonly impersonator: string;
  /** Zero when the client left before the response. */
  readonly code: number;
  readonly ms: number;
  /** Milliseconds of parts of `ms`, named like `apiserver.latency.k8s.io` annotations. */
  readonly parts: Readonly<Record<string, number>>;
  readonly watch: boolean;
  readonly agent: string;
  readonly address: string;
}

/** Recent requests that a further observer receives first. */
const ringMax = 500;
const textMax = 200;

/** Publishes ended requests. Without observers, each costs one comparison, and nothing is kept. */
export class RequestTap {
  readonly #listeners = new Set<(request: SeenRequest) => void>();
  #ring: SeenRequest[] = [];
  #next = 0;

  get watched(): boolean {
    return this.#listeners.size > 0;
  }

  get watchers(): number {
    return this.#listeners.size;
  }

  /** Called for each request before it is handled. */
  begin(exchange: Exchange): void {
    if (!this.watched) return;
    exchange.onClose(() => {
      this.#add(seenOf(exchange));
    });
  }

  /** Calls `listener` with each ended request until the returned function is called; recent ones first, if there were observers. */
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

const metadata: Extent = { level: 'Metadata', stages: new Set(['ResponseComplete']), omitManagedFields: false };

/** Reads the facts from the request's final audit event. Omits query and body, which may contain secrets. */
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
    parts: Object.fromEntries(Object.entries(exchange.latency.times).map(([part, ms]) => [part, Math.round(ms * 1000) / 1000])),
    watch: exchange.longRunning,
    agent: short(event.userAgent),
    address: event.sourceIPs[0] ?? '',
  };
}
