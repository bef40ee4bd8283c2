import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { StreamResponse } from '../../../program/port/message.js';
import type { SendBuffer } from '../../../program/port/connections/index.js';
import { FlushQueue } from './flusher.js';
import type { Transport, Writer } from './transport.js';

/** It keeps the written data in memory. */
interface WriteRequest {
  oncomplete?: (this: WriteRequest) => void;
  buffer?: unknown;
  writer?: Writer;
  bytes?: number;
  sendBuffer?: SendBuffer;
}

/** Both methods return 0 when the bytes are on their way; after a failure no callback follows. */
interface Handle {
  writeBuffer(request: WriteRequest, bytes: Buffer): number;
  writev(request: WriteRequest, parts: readonly Buffer[], allBuffers: true): number;
}

type RequestClass = new () => WriteRequest;

let requestClass: RequestClass | null = null;

const flushQueues = new WeakMap<Http2Session, FlushQueue>();

/**
 * Bypasses Node's `Writable`, whose objects and ticks per write are most of the cost of a small event to many watchers. Both ways end in the same native
 * queue. Not a public API: a stream unlike those of releases 20 to 24, or with an unfinished request (`nestedReads.ts`), uses `usual`.
 */
export function openStream({ stream, sendBuffer }: Pick<StreamResponse, 'stream' | 'sendBuffer'>, usual: Transport): Transport {
  const { session } = stream;
  const handle = handleOf(stream);
  if (session === undefined || handle === null || !stream.endAfterHeaders) return usual;
  return new StreamTransport(stream, { handle, flushQueue: flushQueueOf(session, sendBuffer), sendBuffer, usual });
}

interface StreamParts {
  readonly handle: Handle;
  readonly flushQueue: FlushQueue;
  readonly sendBuffer: SendBuffer;
  readonly usual: Transport;
}

class StreamTransport implements Transport {
  readonly #stream: ServerHttp2Stream;
  readonly flushQueue: FlushQueue;
  #direct = false;
  readonly #handle: Handle;
  readonly #sendBuffer: SendBuffer;
  readonly #usual: Transport;

  constructor(stream: ServerHttp2Stream, { handle, flushQueue, sendBuffer, usual }: StreamParts) {
    this.#stream = stream;
    this.#sendBuffer = sendBuffer;
    this.#handle = handle;
    this.flushQueue = flushQueue;
    this.#usual = usual;
  }

  write(parts: readonly Buffer[], writer: Writer | null): void {
    if (requestClass === null) learnFrom(this.#handle);
    else if ((this.#direct ||= this.#idle) && this.#begin(new requestClass(), parts, writer)) return;
    // A stream that is over reports its error as usual.
    this.#usual.write(parts, writer);
  }

  whenClosed(action: () => void): void {
    this.#usual.whenClosed(action);
  }

  end(last: readonly Buffer[]): void {
    this.#usual.end(last);
  }

  destroy(): void {
    this.#usual.destroy();
  }

  /** True if Node has passed on all its data, which nothing can overtake. */
  get #idle(): boolean {
    return this.#stream.writableLength === 0;
  }

  #begin(request: WriteRequest, parts: readonly Buffer[], writer: Writer | null): boolean {
    if (writer === null) return this.#hand(request, parts);
    const sendBuffer = this.#sendBuffer;
    let bytes = 0;
    for (const { length } of parts) bytes += length;
    request.oncomplete = tellTaken;
    request.writer = writer;
    request.bytes = bytes;
    request.sendBuffer = sendBuffer;
    sendBuffer.add(bytes);
    if (this.#hand(request, parts)) return true;
    sendBuffer.remove(bytes);
    return false;
  }

  #hand(request: WriteRequest, parts: readonly Buffer[]): boolean {
    const [first] = parts;
    if (first === undefined || parts.length > 1) {
      request.buffer = parts;
      return this.#handle.writev(request, parts, true) === 0;
    }
    request.buffer = first;
    return this.#handle.writeBuffer(request, first) === 0;
  }
}

/** Ignores the outcome, since a stream's end is reported elsewhere. */
function tellTaken(this: WriteRequest): void {
  this.sendBuffer?.remove(this.bytes ?? 0);
  this.writer?.taken();
}

function handleOf(stream: ServerHttp2Stream): Handle | null {
  const name = Object.getOwnPropertySymbols(stream).find(({ description }) => description === 'kHandle');
  return name === undefined ? null : ((stream as unknown as Readonly<Record<symbol, Handle | undefined>>)[name] ?? null);
}

function flushQueueOf(session: Http2Session, sendBuffer: SendBuffer): FlushQueue {
  const known = flushQueues.get(session);
  if (known !== undefined) return known;
  const queue = new FlushQueue(sendBuffer);
  flushQueues.set(session, queue);
  return queue;
}

/** Captures the request of Node's next write. */
function learnFrom(handle: Handle): void {
  const { writeBuffer } = Object.getPrototypeOf(handle) as Handle;
  handle.writeBuffer = (request, bytes) => {
    delete (handle as Partial<Handle>).writeBuffer;
    if (request.constructor.name === 'WriteWrap') requestClass = request.constructor as RequestClass;
    return writeBuffer.call(handle, request, bytes);
  };
}
