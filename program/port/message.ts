import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SendBuffer } from './connections/sender.js';

/** HTTP/1.1 and HTTP/2 share one shape; code above the listener never distinguishes them, except for bodies (`streams.ts`). */
export type Request = IncomingMessage | StreamRequest;
export type Response = ServerResponse | StreamResponse;

export interface StreamRequest {
  readonly stream: ServerHttp2Stream;
  readonly method: string;
  url: string;
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  /** Undefined when the stream is over. */
  readonly socket: Socket | undefined;
  /** Keeps only those headers that are recorded when a request ends: it goes on for long. */
  forgetHead?(): void;
}

/** A response over HTTP/2. Once its head is sent, its body may be written to the stream. Names of headers are lower-case. */
export interface StreamResponse {
  readonly stream: ServerHttp2Stream;
  readonly sendBuffer: SendBuffer;
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  getHeader(name: string): number | string | readonly string[] | undefined;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  writeHead(code: number, headers?: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
  end(bytes?: Uint8Array | string): unknown;
  destroy(error?: Error): unknown;
  once(event: 'close', action: () => void): unknown;
  /** Drops the data of the sent head: the response goes on for long. */
  forgetHead?(): void;
}

/** A connection that the client wants to switch to another protocol, and the bytes that it has sent on it already. HTTP/1.1 only. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}
