import { constants } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import type { ServerHttp2Session, Settings } from 'node:http2';
import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import type { SecureContext, SecureContextOptions, TLSSocket } from 'node:tls';
import { askedName } from '../tls/clientHello.js';
import { partialChain } from '../tls/tlsClient.js';
import type { Request, Response, Upgrade } from './message.js';
import { inStep } from '../files/inStep.js';
import type { Live } from '../files/liveFile.js';
import { readAsStream } from './connections/backPressure.js';
import { acceptQueued } from './acceptQueue.js';
import { bind, socketOf, type AnyServer } from './bind.js';
import { answerUnreadable } from './clientErrors.js';
import type { Connection } from './connections/connection.js';
import { usualTimes, type ConnectionTimes } from './connections/connectionLife.js';
import { connectionBounds } from './connections/connectionLimit.js';
import { Connections } from './connections/connections.js';
import { ConnectionTurns } from './connections/connectionTurns.js';
import type { PortMemory } from './connections/portMemory.js';
import { endOutsideReads, refuseLate } from './connections/nestedReads.js';
import { keepStreamsApart } from './connections/openStreams.js';
import { turns as workTurns } from './connections/turns.js';
import { Http2Request, Http2Response } from './http2Messages.js';

export interface ListenerCredentials {
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer };
  readonly clientCa: Buffer | null;
  readonly sni: ((name: string) => SecureContext | null) | null;
}

export interface ListenerOptions {
  /** Empty, `0.0.0.0` or `::` listens on all interfaces and address families. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly sharesPort?: boolean;
  /** The socket on which another thread listens. */
  readonly socket?: number;
  /** Keeps the socket open until `release`: threads share it, and its descriptor might be reused for another file. */
  readonly keepsSocket?: boolean;
  readonly ticketKeys?: Buffer;
  readonly credentials: Live<ListenerCredentials>;
  readonly tls: Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve'>;
  readonly http2: boolean;
  readonly http2StreamsMax: number;
  /** Share of HTTP/2 requests that get a GOAWAY, 0 to 0.02. */
  readonly goawayChance: number;
  /** Derived from the limit on open files by default. */
  readonly connectionsMax?: number;
  readonly memory?: PortMemory;
  readonly times?: Partial<ConnectionTimes>;
  readonly handle: (request: Request, response: Response, upgrade: Upgrade | null, connection: Connection | null) => void;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly socket: number;
  readonly connections: number;
  readonly handshakeErrors: number;
  /** Connections whose client has not asked for anything yet. */
  readonly unusedConnections: number;
  /** Returns false, without touching the socket, once it takes no new ones. */
  readonly take: (socket: Socket) => boolean;
  /** Asks HTTP/1.1 clients to leave in each response; accepts new connections. */
  announceEnd(): void;
  /**
   * Asks clients to leave. Current requests and connections queued before the close go on. HTTP/1.1 can ask only by a response: clients that send within
   * `lingerMs` get one, other old connections close then.
   */
  drain(lingerMs?: number): void;
  /** Cuts remaining connections; resolves when the port is free, or only other threads have it. */
  close(): Promise<void>;
  /** See `acceptQueued`. */
  accepted(): Promise<void>;
  /** Closes the socket. `server/threads/sharedSocket.ts` says when. */
  release(): void;
}

export type DrainedListener = Pick<Listener, 'announceEnd' | 'drain' | 'close' | 'unusedConnections' | 'connections'>;

const headerBytesMax = 64 * 1024;
const headerPairsMax = 512;
const headerLinesMax = 1_024;
/** Enough for 3 MiB over a slow line. */
const requestReceiveTimeoutMs = 120_000;
/** A vanished client keeps a watch for this time and a few probes. */
const keepAliveProbeMs = 30_000;
/** client-go sends everything, watches included, over one connection. */
const defaultStreamsMax = 1_000;
/** Unread body bytes: per stream, and for all streams of a connection. */
const streamWindowBytes = 256 * 1024;
const sessionWindowBytes = 2 * 1024 * 1024;
const sessionMemoryMegabytes = 64;

/** HTTP/2 and HTTP/1.1 share the port; ALPN decides. Rejects with a ListenError. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const times = { ...usualTimes, ...options.times };
  const server = createAnyServer(options, times);
  const connections = new Connections(connectionBounds(options.connectionsMax), times, options.memory);
  const listener = new OpenListener(options.keepsSocket ?? false, {
    server,
    connections,
    turns: giveTurns(server, options, connections, times.lookMs),
  });
  try {
    const { address, port } = await bind(server, options);
    return Object.assign(listener, { host: address, port });
  } catch (error) {
    listener.endConnections();
    throw error;
  }
}

interface Open {
  readonly server: AnyServer;
  readonly connections: Connections;
  readonly turns: Turns;
}

class OpenListener {
  handshakeErrors = 0;
  readonly #keepsSocket: boolean;
  readonly #open: Open;
  #draining = false;
  #closed = false;

  constructor(keepsSocket: boolean, open: Open) {
    this.#keepsSocket = keepsSocket;
    this.#open = open;
    const { server, connections } = open;
    server.on('connection', (socket: Socket) => {
      if (this.#closed) socket.destroy();
      else connections.accept(socket);
    });
    server.on('tlsClientError', () => {
      this.handshakeErrors++;
    });
    receive(server, connections);
    // Clients that connect late learn of the end by their first answer.
    server.on('session', (session: ServerHttp2Session) => {
      if (this.#draining) session.once('stream', () => session.close());
    });
  }

  get socket(): number {
    return socketOf(this.#open.server);
  }

  get connections(): number {
    return this.#open.connections.size;
  }

  get unusedConnections(): number {
    return [...this.#open.connections].filter(({ used }) => !used).length;
  }

  announceEnd(): void {
    this.#open.turns.drain();
  }

  readonly take = (socket: Socket): boolean => {
    if (!this.#draining) this.#open.server.emit('connection', socket);
    return !this.#draining;
  };

  drain(lingerMs = 0): void {
    this.#draining = true;
    if (!this.#keepsSocket && this.#open.server.listening) void this.accepted().then(this.release);
    for (const { session } of this.#open.connections) session?.close();
    this.#open.turns.drain();
    if (lingerMs === 0) this.#endIdle(() => true);
    else setTimeout(() => setImmediate(() => this.#endIdle(({ used }) => used)), lingerMs).unref();
  }

  async close(): Promise<void> {
    const { server } = this.#open;
    this.#draining = true;
    this.#closed = true;
    this.#open.turns.close();
    const closed = new Promise<void>((resolve) => {
      if (server.listening && !this.#keepsSocket)
        server.close(() => {
          resolve();
        });
      else resolve();
    });
    this.#open.connections.close();
    await closed;
  }

  accepted(): Promise<void> {
    return acceptQueued(this.#open.server);
  }

  readonly release = (): void => {
    const { server } = this.#open;
    // The servers' own method would close idle connections as well.
    if (server.listening) NetServer.prototype.close.call(server);
  };

  endConnections(): void {
    this.#open.connections.close();
    this.#open.turns.close();
  }

  #endIdle(which: (connection: Connection) => boolean): void {
    const { connections, turns } = this.#open;
    for (const each of connections) if (!each.http2 && !turns.has(each.socket) && which(each)) each.socket.end();
  }
}

function receive(server: AnyServer, connections: Connections): void {
  server.on('secureConnection', (socket: TLSSocket) => {
    connections.secured(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveProbeMs);
    if (socket.alpnProtocol !== 'h2') readAsStream(socket);
  });
  server.on('session', (session: ServerHttp2Session) => {
    session.on('error', ignore);
    if (!connections.speaksHttp2(session)) return;
    endOutsideReads(session);
    keepStreamsApart(session);
    session.setLocalWindowSize(sessionWindowBytes);
  });
  server.on('sessionError', ignore);
}

const ignore = (): void => {};

const settingsOf = ({ http2StreamsMax }: ListenerOptions): Settings => ({
  maxConcurrentStreams: http2StreamsMax || defaultStreamsMax,
  initialWindowSize: streamWindowBytes,
  maxHeaderListSize: headerBytesMax,
});

function createAnyServer(options: ListenerOptions, times: ConnectionTimes): AnyServer {
  const { credentials, tls } = options;
  const common = {
    ...secureContextOptions(credentials.current, tls),
    // Authentication checks it, since it can answer the client.
    ...(credentials.current.clientCa === null ? {} : { requestCert: true, rejectUnauthorized: false }),
    ...(options.ticketKeys === undefined ? {} : { ticketKeys: options.ticketKeys }),
    handshakeTimeout: times.handshakeMs,
    maxHeaderSize: headerBytesMax,
    connectionsCheckingInterval: times.lookMs,
    // A request without Host is refused here, with a reason (`headFaults.ts`).
    requireHostHeader: false,
  };
  const server: AnyServer = options.http2
    ? createSecureServer({
        ...common,
        ...messages,
        allowHTTP1: true,
        maxSessionMemory: sessionMemoryMegabytes,
        maxHeaderListPairs: headerPairsMax,
        settings: settingsOf(options),
      })
    : createServer(common);
  if (credentials.current.sni !== null) chooseByName(server, (name) => credentials.current.sni?.(name) ?? null);
  credentials.onChange((changed) => {
    server.setSecureContext(secureContextOptions(changed, tls));
  });
  return Object.assign(server, {
    headersTimeout: times.firstRequestMs,
    requestTimeout: requestReceiveTimeoutMs,
    keepAliveTimeout: times.idleHttp1Ms,
    maxHeaderSize: headerBytesMax,
    // Node would drop headers beyond a limit, perhaps the impersonation header: see `tooManyHeaders`.
    maxHeadersCount: 0,
    connectionsCheckingInterval: times.lookMs,
  });
}

/**
 * Node's `SNICallback` adds a certificate to the default one; with keys of different types, the client would choose. So the name is read before Node sees the
 * connection.
 */
function chooseByName(server: AnyServer, choose: (name: string) => SecureContext | null): void {
  const begin = server.listeners('connection') as ((socket: Socket) => void)[];
  // Not documented by Node; the test of certificates by name would fail without it.
  const ofNode = server as unknown as { _sharedCreds: SecureContext };
  const beginWith = (socket: Socket, context: SecureContext): void => {
    const standard = ofNode._sharedCreds;
    ofNode._sharedCreds = context;
    try {
      for (const each of begin) each.call(server, socket);
    } finally {
      ofNode._sharedCreds = standard;
    }
  };
  for (const each of begin) server.off('connection', each);
  server.on('connection', (socket: Socket) => {
    askedName(socket, (name) => {
      beginWith(socket, (name === null ? null : choose(name)) ?? ofNode._sharedCreds);
    });
  });
}

const messages: object = { Http2ServerRequest: Http2Request, Http2ServerResponse: Http2Response };

/** OpenSSL resumes no sessions of contexts that request certificates without a name. */
const sessionIdContext = 'raftplane';

/** Any certificate of the bundle is an anchor, as in the reference. Clients cannot renegotiate, during which Node would hold back writes. */
export function secureContextOptions(
  { certificate: { cert, key }, clientCa }: Pick<ListenerCredentials, 'certificate' | 'clientCa'>,
  tls: ListenerOptions['tls'],
): SecureContextOptions {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { ...tls, sessionIdContext, secureOptions, cert, key, ...(clientCa === null ? {} : { ca: clientCa, ...partialChain }) };
}

interface Turns {
  has(socket: Socket): boolean;
  drain(): void;
  close(): void;
}

/** Draining closes connections after the first response that announces it, before a client loses its next request. */
function giveTurns(server: AnyServer, { handle, goawayChance }: ListenerOptions, connections: Connections, lookMs: number): Turns {
  const turns = new ConnectionTurns();
  const looking = inStep(lookMs, () => turns.look());
  const underWay = new Map<Socket, ServerResponse>();
  let draining = false;
  const sendAway = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  const begin = (socket: Socket, response: ServerResponse): void => {
    underWay.set(socket, response);
    if (draining) sendAway(response);
    response.once('close', () => {
      underWay.delete(socket);
      if (!turns.over(socket) && draining && response.getHeader('connection') === 'close') socket.end();
    });
  };
  /** Refusals keep their turn as well. */
  const refuse = (socket: Socket, response: ServerResponse): void => {
    turns.take(socket, response, () => {
      begin(socket, response);
      refuseHeaders(response);
    });
  };
  const serve = (request: Request, response: Response): void => {
    if ('stream' in request) {
      const { stream } = request;
      const { session } = stream;
      if (session === undefined || refuseLate(session, stream)) return;
      if (goawayChance > 0 && Math.random() < goawayChance) session.close();
      const connection = connections.of(session);
      if (connection === null) stream.destroy();
      else
        workTurns.begin(connection, stream, () => {
          if (connections.of(session) === null) stream.destroy();
          else handle(request, response, null, connection);
        });
    } else {
      const { socket } = request;
      const answer = response as ServerResponse;
      if (tooManyHeaders(request)) refuse(socket, answer);
      else
        turns.take(socket, answer, () => {
          begin(socket, answer);
          handle(request, answer, null, connections.of(socket));
        });
    }
  };
  server.on('request', serve);
  // Node would answer out of turn; a later upgrade would then meet this response on the socket, and the error end the process.
  server.on('checkExpectation', serve);
  server.on('upgrade', (request: IncomingMessage, socket: TLSSocket, head: Buffer) => {
    // Correct clients switch protocols only after earlier responses.
    if (turns.has(socket) || tooManyHeaders(request)) socket.destroy();
    else {
      const response = answerTo(request, socket);
      turns.take(socket, response, () => {
        begin(socket, response);
        handle(request, response, { socket, head }, connections.of(socket));
      });
    }
  });
  server.on('clientError', (error: Error, socket: Socket) => {
    answerUnreadable(error, socket, underWay.get(socket) ?? null);
  });
  return {
    has: (socket) => turns.has(socket),
    drain: () => {
      draining = true;
      for (const response of underWay.values()) sendAway(response);
    },
    close: () => {
      looking.stop();
    },
  };
}

const tooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length > 2 * headerLinesMax;

/** Precedes authentication (RFC 6585, section 5), as a head with missing lines is unreliable. */
function refuseHeaders(response: ServerResponse): void {
  response.statusCode = 431;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('connection', 'close');
  response.end('431 Request Header Fields Too Large\n');
}

/** Node makes no response object for requests to switch protocols. */
function answerTo(request: IncomingMessage, socket: TLSSocket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    socket.end();
  });
  socket.on('error', ignore);
  return response;
}
