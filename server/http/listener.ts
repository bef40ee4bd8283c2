import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { Server as HttpsServer } from 'node:https';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import type { SecureContext, SecureContextOptions, TLSSocket } from 'node:tls';
import type { Request, Response, Upgrade } from '../endpoints/context.js';
import type { Live } from '../files/liveFile.js';
import { connectionsMax } from './connectionLimit.js';
import { ConnectionTurns } from './connectionTurns.js';
import { SessionTurns } from './sessionTurns.js';
import { Http2Request, Http2Response } from './http2Messages.js';

/** What the listener shows to clients, and demands of them. */
export interface ListenerCredentials {
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer };
  /** Authorities of client certificates; null asks for none. */
  readonly clientCa: Buffer | null;
  /** Chooses another certificate by the name that the client asks for. */
  readonly sni: ((name: string) => SecureContext | null) | null;
}

export interface ListenerOptions {
  /** Empty, `0.0.0.0` or `::` listens on all interfaces and address families. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Changes count for the connections that come after. */
  readonly credentials: Live<ListenerCredentials>;
  readonly tls: Pick<SecureContextOptions, 'minVersion' | 'ciphers'>;
  readonly http2: boolean;
  /** 0 for the default. */
  readonly http2StreamsMax: number;
  /** Share of HTTP/2 requests whose connection is asked to go elsewhere, 0 to 0.02. */
  readonly goawayChance: number;
  /** Of all clients at a time; without it, what the files allow that a process may open. */
  readonly connectionsMax?: number;
  readonly handle: (request: Request, response: Response, upgrade?: Upgrade) => void;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /**
   * Takes no new connections and asks the clients of the open ones to leave; requests under way go on. HTTP/1.1 can ask only with an answer: clients that
   * send something within `lingerMs` are answered and asked, the connections of the others close then.
   */
  drain(lingerMs?: number): void;
  /** Cuts what is left and resolves when the port is free. */
  close(): Promise<void>;
}

/** A listener that could not start: the message names the address and what to do. */
export class ListenError extends Error {}

const headerBytesMax = 64 * 1024;
const headerPairsMax = 512;
/** Of a request over HTTP/1.1. */
const headerLinesMax = 1_024;
const headersTimeoutMs = 30_000;
/** Time to send a whole request; long enough for 3 MiB over a bad line. */
const requestReceiveTimeoutMs = 120_000;
/** Longer than the idle time after which clients and balancers usually close, so that they decide and no request is lost in between. */
const keepAliveTimeoutMs = 180_000;
/** A client that vanished without a word holds a watch no longer than this and a few probes. */
const keepAliveProbeMs = 30_000;
/** client-go sends everything, watches included, over one connection. */
const defaultStreamsMax = 1_000;
/** What a client may send of a body before the server has read it: per stream, and for all streams of a connection. */
const streamWindowBytes = 256 * 1024;
const sessionWindowBytes = 2 * 1024 * 1024;
const sessionMemoryMegabytes = 64;

type AnyServer = Http2SecureServer | HttpsServer;

/** Starts to listen. HTTP/2 and HTTP/1.1 share the port; ALPN decides. Rejects with a ListenError. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const server = createAnyServer(options);
  server.maxConnections = options.connectionsMax ?? connectionsMax();
  const sockets = new Set<TLSSocket>();
  const sessions = new Set<ServerHttp2Session>();
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveProbeMs);
    socket.once('close', () => { sockets.delete(socket); });
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.setLocalWindowSize(sessionWindowBytes);
    session.on('error', ignore);
    session.once('close', () => { sessions.delete(session); });
  });
  // Broken handshakes, resets and frames against the protocol end their own connection and nothing else.
  server.on('sessionError', ignore);
  server.on('tlsClientError', ignore);
  const busy = trackBusySockets(server, options);
  const address = await bind(server, options);

  const endIdle = (): void => { for (const socket of sockets) if (!isHttp2(socket) && !busy.has(socket)) socket.end(); };
  const drain = (lingerMs = 0): void => {
    // The method of the HTTP servers would close idle connections as well, at once.
    if (server.listening) NetServer.prototype.close.call(server);
    for (const session of sessions) session.close();
    busy.drain();
    if (lingerMs > 0) setTimeout(endIdle, lingerMs).unref();
    else endIdle();
  };
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => { if (server.listening) server.close(() => { resolve(); }); else resolve(); });
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { host: address.address, port: address.port, drain, close };
}

const ignore = (): void => {};
const isHttp2 = (socket: TLSSocket): boolean => socket.alpnProtocol === 'h2';

function createAnyServer(options: ListenerOptions): AnyServer {
  const { credentials, tls } = options;
  const common = {
    ...secureContextOptions(credentials.current, tls),
    // Whether a certificate is good enough is decided by authentication, which can say so to the client.
    ...(credentials.current.clientCa === null ? {} : { requestCert: true, rejectUnauthorized: false }),
    ...(credentials.current.sni === null ? {} : { SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) => { done(null, credentials.current.sni?.(name) ?? undefined); } }),
    handshakeTimeout: headersTimeoutMs,
    maxHeaderSize: headerBytesMax,
  };
  const server: AnyServer = options.http2
    ? createSecureServer({
      ...common, ...messages, allowHTTP1: true, maxSessionMemory: sessionMemoryMegabytes, maxHeaderListPairs: headerPairsMax,
      settings: { maxConcurrentStreams: options.http2StreamsMax || defaultStreamsMax, initialWindowSize: streamWindowBytes, maxHeaderListSize: headerBytesMax },
    })
    : createServer(common);
  // Open connections go on with what they began with.
  credentials.onChange((changed) => { server.setSecureContext(secureContextOptions(changed, tls)); });
  // Under `allowHTTP1` the HTTP/1.1 side reads these as members of the server.
  return Object.assign(server, {
    headersTimeout: headersTimeoutMs, requestTimeout: requestReceiveTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs,
    // Node would drop what is beyond a limit and go on, and with it perhaps the header that says on whose behalf a request is: see `tooManyHeaders`.
    maxHeadersCount: 0,
  });
}

/** Node's own are classes to extend; its declarations do not know that less will do. */
const messages: object = { Http2ServerRequest: Http2Request, Http2ServerResponse: Http2Response };

/** Any certificate of the bundle is an anchor, as in the reference, whether or not it signs itself. */
export function secureContextOptions({ certificate: { cert, key }, clientCa }: Pick<ListenerCredentials, 'certificate' | 'clientCa'>, tls: ListenerOptions['tls']): SecureContextOptions {
  return { ...tls, cert, key, ...(clientCa === null ? {} : { ca: clientCa, ...partialChain }) };
}

/** Known to Node, not yet to its type declarations. */
const partialChain: object = { allowPartialTrustChain: true };

interface BusySockets { has(socket: TLSSocket): boolean; drain(): void }

/** Takes the requests of an HTTP/1.1 connection one after the other, and those of an HTTP/2 connection some at a time; draining closes idle connections at once, and the others after their answer. */
function trackBusySockets(server: AnyServer, { handle, goawayChance }: ListenerOptions): BusySockets {
  const turns = new ConnectionTurns();
  const sessionTurns = new SessionTurns();
  const underWay = new Set<ServerResponse>();
  let draining = false;
  // A client that is not told would send its next request into a connection that closes.
  const sendAway = (response: ServerResponse): void => { if (!response.headersSent) response.setHeader('connection', 'close'); };
  const begin = (socket: Socket, request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): void => {
    underWay.add(response);
    if (draining) sendAway(response);
    response.once('close', () => {
      underWay.delete(response);
      if (!turns.over(socket) && draining) socket.end();
    });
    handle(request, response, upgrade);
  };
  server.on('request', (request: Request, response: Response) => {
    if ('stream' in request) {
      if (goawayChance > 0 && Math.random() < goawayChance) request.stream.session?.close();
      const { stream } = request;
      if (stream.session === undefined) return;
      sessionTurns.take(stream.session, stream, () => { handle(request, response); });
    } else if (!refusesHeaders(request, response as ServerResponse)) {
      const { socket } = request;
      turns.take(socket, () => { begin(socket, request, response as ServerResponse); });
    }
  });
  server.on('upgrade', (request: IncomingMessage, socket: TLSSocket, head: Buffer) => {
    // No client that means well asks for another protocol before it has the answers to what it asked before.
    if (turns.has(socket) || tooManyHeaders(request)) socket.destroy();
    else turns.take(socket, () => { begin(socket, request, answerTo(request, socket), { socket, head }); });
  });
  return {
    has: (socket) => turns.has(socket),
    drain: () => {
      draining = true;
      for (const response of underWay) sendAway(response);
    },
  };
}

const tooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length > 2 * headerLinesMax;

/** Says so where a request has more headers than one may have (RFC 6585, section 5). */
function refusesHeaders(request: IncomingMessage, response: ServerResponse): boolean {
  if (!tooManyHeaders(request)) return false;
  response.writeHead(431, { connection: 'close', 'content-type': 'text/plain; charset=utf-8' }).end('431 Request Header Fields Too Large\n');
  return true;
}

/** A request for another protocol gets no answer of its own from Node; it may be refused, or answered as if it had not asked. */
function answerTo(request: IncomingMessage, socket: TLSSocket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => { socket.end(); });
  socket.on('error', ignore);
  return response;
}

/** All families where there are several; IPv4 alone on machines without IPv6. */
async function bind(server: AnyServer, { host, port }: ListenerOptions): Promise<AddressInfo> {
  const everywhere = host === '' || host === '0.0.0.0' || host === '::';
  try {
    return await tryBind(server, everywhere ? '::' : host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (everywhere && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')) return tryBind(server, '0.0.0.0', port).catch((second: unknown) => { throw explain(second, host, port); });
    throw explain(error, host, port);
  }
}

function tryBind(server: AnyServer, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      server.on('error', ignore);
      resolve(server.address() as AddressInfo);
    });
  });
}

const causes: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another process listens there already; stop it, or choose another --secure-port'],
  ['EACCES', 'this user may not listen there; choose a --secure-port above 1023'],
  ['EADDRNOTAVAIL', 'this machine has no such address; check --bind-address'],
  ['ENOTFOUND', 'this name has no address; check --bind-address'],
]);

function explain(error: unknown, host: string, port: number): ListenError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new ListenError(`cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}: ${causes.get(code ?? '') ?? message}`, { cause: error });
}
