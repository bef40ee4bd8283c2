import type { ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';
import { badRequest } from '../../../api/status.js';
import type { Request } from '../../../program/port/message.js';
import { bodyStream, destroyLater } from '../../../program/port/streams.js';

export interface FramedBody {
  readonly stream: Readable;
  /** Null where only the end of the stream shows it. */
  readonly bytes: number | null;
}

/** A body of more than 10^15 bytes never ends. */
const announced = /^\d{1,15}$/;

export function framedBody(request: Request): FramedBody | null {
  const length = request.headers['content-length'];
  if (length !== undefined && !announced.test(length)) throw badRequest('the content-length is not a number');
  const bytes = length === undefined ? null : Number(length);
  const none =
    bytes === 0 ||
    ('stream' in request ? request.stream.endAfterHeaders : bytes === null && request.headers['transfer-encoding'] === undefined);
  return none ? null : { stream: bodyStream(request), bytes };
}

/** The accepted rest of an unread body. */
const discardedBytesMax = 64 * 1024 * 1024;

/**
 * Sends every byte in a frame announced by the head (RFC 9112, section 6). Node frames bodies of GET, HEAD, DELETE and OPTIONS only on request, and a backend
 * would take an unframed body for its next request. Irregular ends close the connection.
 */
export function sendBody(outgoing: ClientRequest, body: FramedBody | null): void {
  if (body === null) outgoing.end();
  else new Passage(outgoing, body).begin();
}

class Passage {
  readonly #outgoing: ClientRequest;
  readonly #body: FramedBody;
  #sent = 0;
  #discarded = 0;
  #state: 'passing' | 'passed' | 'unwanted' = 'passing';

  constructor(outgoing: ClientRequest, body: FramedBody) {
    this.#outgoing = outgoing;
    this.#body = body;
  }

  begin(): void {
    const outgoing = this.#outgoing;
    const { stream } = this.#body;
    outgoing.on('drain', () => {
      stream.resume();
    });
    outgoing.once('close', () => {
      this.#unwanted();
    });
    stream.once('end', () => {
      this.#end();
    });
    for (const event of ['error', 'aborted', 'close'] as const)
      stream.once(event, () => {
        this.#broken();
      });
    stream.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    if (stream.destroyed) this.#broken();
  }

  #take(chunk: Buffer): void {
    if (this.#state === 'unwanted') return this.#discard(chunk.length);
    const outgoing = this.#outgoing;
    const { stream, bytes } = this.#body;
    this.#sent += chunk.length;
    if (bytes !== null && this.#sent > bytes) return this.#broken();
    if (!outgoing.headersSent) {
      if (bytes === null) outgoing.setHeader('transfer-encoding', 'chunked');
      else outgoing.setHeader('content-length', bytes);
    }
    if (!outgoing.write(chunk)) stream.pause();
  }

  #end(): void {
    if (this.#state !== 'passing') return;
    const { bytes } = this.#body;
    if (bytes !== null && this.#sent !== bytes) return this.#broken();
    this.#state = 'passed';
    this.#outgoing.end();
  }

  /** Node emits `end` even for an aborted stream. */
  #broken(): void {
    if (this.#state !== 'passing') return;
    this.#unwanted();
    this.#outgoing.destroy(new Error('the request body ended before it was complete'));
  }

  #unwanted(): void {
    if (this.#state !== 'passing') return;
    this.#state = 'unwanted';
    this.#body.stream.resume();
  }

  #discard(bytes: number): void {
    this.#discarded += bytes;
    if (this.#discarded > discardedBytesMax) destroyLater(this.#body.stream);
  }
}
