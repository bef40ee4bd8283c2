import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Status } from '../../api/status.js';
import type { User } from '../../api/user.js';
import type { Encoders } from './encoders/encoders.js';
import type { SendBuffer } from './sendBuffer.js';

/** HTTP/1.1 and HTTP/2 share one shape; code above the listener never asks which it is, but for bodies (`streams.ts`). */
export type Request = IncomingMessage | StreamRequest;
export type Response = ServerResponse | StreamResponse;

/** A request over HTTP/2. Its body is the stream. */
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
  /** Keeps of the head only what is told when a request ends: it goes on for long. */
  forgetHead?(): void;
}

/** A response over HTTP/2. Once its head is out, its body may be written to the stream. Names of headers are lower-case. */
export interface StreamResponse {
  readonly stream: ServerHttp2Stream;
  /** Of its connection. */
  readonly sendBuffer: SendBuffer;
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  getHeader(name: string): number | string | readonly string[] | undefined;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  writeHead(code: number, headers?: OutgoingHttpHeaders): unknown;
  /** Sends the head now. */
  flushHeaders(): void;
  end(bytes?: Uint8Array | string): unknown;
  destroy(error?: Error): unknown;
  once(event: 'close', action: () => void): unknown;
  /** The head has been sent, and what it is made of is not needed twice: the answer goes on for long. */
  forgetHead?(): void;
}

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'proxy'
  | 'head'
  | 'options'
  | 'connect'
  | 'post'
  | 'put'
  /** A method that no path serves, such as PROPFIND. */
  | 'other';

/** What a request is about, read from its method, path and query alone. Authorization, audit and routing all use this one reading. */
export type RequestInfo =
  | { readonly isResource: false; readonly path: string; /** Lower-case method. */ readonly verb: Verb }
  | {
      readonly isResource: true;
      readonly path: string;
      readonly verb: Verb;
      readonly group: string;
      readonly version: string;
      /** Empty for cluster-scoped resources and for requests over all namespaces. */
      readonly namespace: string;
      readonly resource: string;
      /** Empty when the request is about the resource itself. */
      readonly subresource: string;
      /** Empty for collections. */
      readonly name: string;
      /** Of a collection, when the request has one: rules may depend on what is selected. */
      readonly fieldSelector?: string;
      readonly labelSelector?: string;
      /** Segments after the subresource (for proxy paths). */
      readonly rest: readonly string[];
    };

export type { User };

/** A connection that the client wants to use otherwise from now on, and what it has sent on it already. HTTP/1.1 only. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Takes what the audit log may tell of a request beyond its head. Bodies that nobody asked for cost nothing. */
export interface AuditTrail {
  /** The decoded body, before anything changes it. */
  requestBody(value: unknown): void;
  /** Whether the body of the answer is written. */
  readonly wantsResponse: boolean;
  /** The answer as JSON, in whatever encoding the client gets it. */
  responseBody(makeJson: () => Buffer): void;
  /** The request was refused with this status. */
  refused(status: Status): void;
  /** With `Request`, only where bodies are told of; such a text is as long as a body may be. */
  annotate(key: string, value: string, level?: 'Request'): void;
}

/** Everything that travels with one request. Created by the HTTP layer; the endpoints read it and answer through `response`. */
export interface RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly auditId: string;
  /** Null when nothing is written of this request. */
  readonly audit?: AuditTrail | null;
  /** When the request must have been answered, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Aborts when the client goes away, the deadline passes, or the server stops. */
  readonly signal: AbortSignal;
  /** Whether `signal` has been aborted. To be asked instead of it: a signal is made when somebody asks for it, and is large. */
  readonly aborted: boolean;
  /** Calls `action` when `signal` is aborted, at once when it is; it must not throw. */
  onAbort(action: () => void): void;
  /** Calls `action` once nobody reads the answer any more, at once when that is so already; it must not throw. Streams of HTTP/2 do not always tell. */
  onClose(action: () => void): void;
  /** Set where the body of the answer is kept in any case: it costs nothing more while it waits for its client. */
  bodyShared?: boolean;
  /** Texts for `Warning: 299` headers; the response writers add them, each text once. */
  readonly warnings: string[];
  /** Set when the request asks for another protocol; whoever speaks it takes the connection, and otherwise the request is answered as usual. */
  readonly upgrade?: Upgrade | null;
  /** Called by whoever has taken the connection over, once the other protocol has begun. */
  switchedProtocols?(): void;
  /** What the server speaks about resources: set by the endpoints before a verb runs. Absent: what every server speaks. */
  encoders?: Encoders;
  /**
   * To be waited for when the store has answered: where it lets hundreds of requests go on at once, those of other clients get their turn between them.
   * Undefined where nobody else waits.
   */
  turn?(): Promise<void> | undefined;
  /** Called by who streams, once its beginning has been sent: from then on it costs next to nothing, and what only the beginning needed is forgotten. */
  begun?(): void;
  /** Called by who streams after the work on the request is over, once the answer is complete. */
  answered?(): void;
  /** Reads the whole body, once, up to the limit (3 MiB); throws StatusError 413 above it and 400 for a broken one. */
  body(): Promise<Buffer>;
}
