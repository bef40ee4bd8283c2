import type { OutgoingHttpHeaders } from 'node:http';
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { StreamRequest, StreamResponse } from './message.js';
import type { SendBuffer } from './connections/sender.js';
import { boundStream, endStream, sendBufferOf } from './connections/boundedWrites.js';

/**
 * Heads only. Node's HTTP/2 requests and responses wrap the stream in further streams, a third of the cost of a small response, and send the end in a separate
 * frame.
 */
export class Http2Request implements StreamRequest {
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  method: string;
  url: string;

  constructor(
    readonly stream: ServerHttp2Stream,
    public headers: IncomingHttpHeaders,
    _options: undefined,
    public rawHeaders: string[],
  ) {
    this.method = headers[':method'] ?? '';
    this.url = headers[':path'] ?? '';
  }

  forgetHead(): void {
    const kept: Record<string, string | string[] | undefined> = {};
    for (const name of keptHeaders) if (this.headers[name] !== undefined) kept[name] = this.headers[name];
    this.headers = kept;
    this.rawHeaders = nothing;
  }

  get socket(): Socket | undefined {
    return this.stream.session?.socket;
  }
}

const keptHeaders = ['user-agent', 'x-forwarded-for', 'x-real-ip'] as const;
const nothing: string[] = [];

/** Names of headers are lower-case here. */
export class Http2Response implements StreamResponse {
  statusCode = 200;
  writableEnded = false;
  readonly sendBuffer: SendBuffer;
  readonly #headers: OutgoingHttpHeaders = {};

  constructor(readonly stream: ServerHttp2Stream) {
    // A reset must never end the process; `close` follows.
    stream.on('error', ignore);
    stream.destroy = destroyWhenWritten;
    if (stream.endAfterHeaders) stream.close = closeBehindEnd;
    this.sendBuffer = sendBufferOf(stream.session);
    boundStream(stream, this.sendBuffer);
  }

  get headersSent(): boolean {
    return this.stream.headersSent;
  }

  setHeader(name: string, value: number | string | readonly string[]): this {
    this.#headers[name] = value as number | string | string[];
    return this;
  }

  getHeader(name: string): number | string | string[] | undefined {
    return this.#headers[name];
  }

  writeHead(code: number, headers?: OutgoingHttpHeaders): this {
    const { stream } = this;
    if (stream.destroyed || stream.closed) return this;
    this.statusCode = code;
    if (headers !== undefined) Object.assign(this.#headers, headers);
    this.#headers[':status'] = code;
    stream.respond(this.#headers);
    return this;
  }

  forgetHead(): void {
    const name = Object.getOwnPropertySymbols(this.stream).find(({ description }) => description === 'sent-headers');
    if (name !== undefined) Object.assign(this.stream, { [name]: this.#headers });
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
  }

  writeContinue(): void {
    if (!this.headersSent && !this.stream.closed) this.stream.additionalHeaders({ ':status': 100 });
  }

  end(bytes?: Uint8Array | string): this {
    if (this.writableEnded) return this;
    this.flushHeaders();
    this.writableEnded = true;
    // The head has ended a stream without a body (HEAD, and some status codes).
    if (!this.stream.writableEnded) endStream(this.stream, bytes);
    return this;
  }

  /** Otherwise the client would take a partial response for complete. */
  destroy(error: Error = new Error('the answer was cut off')): this {
    this.stream.destroy(error);
    return this;
  }

  once(event: 'close', action: () => void): this {
    this.stream.once(event, action);
    return this;
  }
}

const ignore = (): void => {};

/** Node resets a stream with an unread request, perhaps before the end of the response is sent. */
function closeBehindEnd(this: ServerHttp2Stream, code: number = constants.NGHTTP2_NO_ERROR, done?: () => void): void {
  if (code === constants.NGHTTP2_NO_ERROR && this.writableFinished) this.resume();
  else (Object.getPrototypeOf(this) as ServerHttp2Stream).close.call(this, code, done);
}

/**
 * When both sides have ended, Node destroys a stream with a pending write, and makes an unused error: a twentieth of the cost of a small write. Node destroys
 * it again after the write.
 */
function destroyWhenWritten(this: ServerHttp2Stream, error?: Error): ServerHttp2Stream {
  const whole = error === undefined && this.closed && this.rstCode === constants.NGHTTP2_NO_ERROR;
  if (whole && this.writableEnded && !this.writableFinished && this.session?.destroyed === false) return this;
  return Duplex.prototype.destroy.call(this, error) as ServerHttp2Stream;
}
