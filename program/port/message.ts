import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SendBuffer } from './connections/sender.js';

/** Code above the listener distinguishes HTTP/1.1 and HTTP/2 only for bodies (`streams.ts`). */
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
  readonly socket: Socket | undefined;
  /** Keeps only headers that are recorded at the end. */
  forgetHead?(): void;
}

/** The body may be written to the stream after the head. Header names are lower-case. */
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
  forgetHead?(): void;
}

/** HTTP/1.1 only. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}
