import type { Readable } from 'node:stream';
import type { AuditRecord } from '../audit/record.js';
import type { Request, RequestContext, RequestInfo, Response, Upgrade, User } from '../endpoints/context.js';
import { badRequest, StatusError } from '../api/status.js';
import { answerStream, bodyStream } from '../endpoints/streams.js';

/** Largest request body, as in the reference. */
export const bodyBytesMax = 3 * 1024 * 1024;
/** How much of a refused body is read and thrown away, so that a slow-witted client gets to see the answer, before its connection is cut. */
const discardedBytesMax = 64 * 1024 * 1024;

export const nobody: User = { name: '', uid: '', groups: [], extra: {} };

/** One request on its way through the filters, with its answer. What the filters learn is filled in as they run. */
export class Exchange implements RequestContext {
  user: User = nobody;
  /** The user that was authenticated, where another one is impersonated. */
  impersonator: User | null = null;
  audit: AuditRecord | null = null;
  deadline = Number.POSITIVE_INFINITY;
  readonly warnings: string[] = [];
  readonly startedAt = performance.now();
  /** The response is over: sent completely, or cut off. */
  closed = false;
  /** Where the list of active requests has this one. */
  place = -1;
  #controller: AbortController | null = null;
  #reason: Error | null = null;
  #body: Promise<Buffer> | null = null;
  readonly #onClose: (() => void)[] = [];

  constructor(
    readonly request: Request, readonly response: Response, readonly auditId: string, readonly info: RequestInfo, readonly query: URLSearchParams,
    readonly upgrade: Upgrade | null = null,
  ) {
    const stream = answerStream(response);
    stream.on('close', () => { this.#close(); });
    if ('stream' in response) return;
    // A client that resets the connection must never end the process: the response's `close` says all there is to know.
    stream.on('error', ignore);
    bodyStream(request).on('error', ignore);
  }

  get method(): string { return this.request.method ?? ''; }

  /** Watches, proxies and streams: they outlive the request timeout and do not count as requests in flight. */
  get longRunning(): boolean {
    const { info } = this;
    if (!info.isResource) return longPaths.has(info.path);
    return info.verb === 'watch' || info.verb === 'proxy' || streamingSubresources.has(info.subresource);
  }

  /** Made on first use: most requests never look at it. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#reason !== null) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Tells whoever works on this request that the answer is no longer wanted. The first reason stays. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }

  /** Calls `action` once the response is over. Actions must not throw. */
  onClose(action: () => void): void { this.#onClose.push(action); }

  #close(): void {
    this.closed = true;
    if (!this.response.writableEnded) this.abort(new Error('the client went away'));
    for (const action of this.#onClose) action();
  }

  body(): Promise<Buffer> { return (this.#body ??= readBody(bodyStream(this.request), this.request.headers['content-length'])); }
}

/** They take as long as there is data to read. */
const longPaths: ReadonlySet<string> = new Set(['/debug/pprof/profile', '/raft/v1/backup', '/raft/v1/digest']);
const streamingSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);
const ignore = (): void => {};

/** How a body can stop before its end. */
const earlyEnds = ['error', 'aborted', 'close'] as const;

const tooLarge = (): StatusError => new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bodyBytesMax}`);

function readBody(request: Readable, announced: string | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(announced ?? 0) > bodyBytesMax) {
      discard(request, 0);
      reject(tooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= bodyBytesMax) { chunks.push(chunk); return; }
      request.off('data', onData);
      discard(request, size);
      reject(tooLarge());
    };
    const onEarlyEnd = (cause?: Error): void => { reject(badRequest('the request body ended before it was complete', cause)); };
    request.on('data', onData);
    request.once('end', () => {
      // Every request closes in the end; after a whole body that means nothing, and an error costs more than reading it did.
      for (const event of earlyEnds) request.off(event, onEarlyEnd);
      request.on('error', ignore);
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    });
    for (const event of earlyEnds) request.once(event, onEarlyEnd);
    if (request.destroyed) onEarlyEnd();
  });
}

function discard(request: Readable, alreadyRead: number): void {
  let size = alreadyRead;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > discardedBytesMax) request.destroy();
  });
}
