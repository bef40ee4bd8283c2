import type { EventEmitter } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { systemClock, type Clock } from './clock.js';
import { ConnectionError, StoppedError, messageOf } from './errors.js';
import { GatedStream } from './gatedStream.js';
import { tlsTerms, type ConnectionSettings } from './kubeconfig.js';

/**
 * Keep-alive HTTP/2 to one server. Requests share a session; another is opened only when its streams are used up, which many watches do. A silent session is
 * pinged, and closed with all its streams when it does not answer, so that a lost connection is noticed within half a minute.
 */

export interface ConnectionOptions {
  readonly clock?: Clock;
  readonly pingEveryMs?: number;
  readonly connectTimeoutMs?: number;
  /** Called right before any bytes are sent; a throw breaks the connection. See `GatedStream`. */
  readonly mayPass?: () => void;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
  /** Time for the complete response; by default unlimited. */
  readonly timeoutMs?: number;
  /** Called right before the request is sent, on an open connection; throws to prevent it. */
  readonly mayLeave?: () => void;
}

/** A response with its head. The caller reads its body or closes its stream. */
export interface Answer {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly stream: http2.ClientHttp2Stream;
}

const defaultPingEveryMs = 15_000;
const defaultConnectTimeoutMs = 10_000;
/** Streams per session, unless the server allows fewer. Go servers allow 100 or 250; all watches of a session fail together. */
const streamsPerSessionMax = 90;

interface Session {
  readonly http: http2.ClientHttp2Session;
  readonly connected: Promise<void>;
  streams: number;
}

export class Connection {
  readonly #settings: ConnectionSettings;
  readonly #options: ConnectionOptions;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #sessions = new Set<Session>();
  #closed = false;

  constructor(settings: ConnectionSettings, options: ConnectionOptions = {}) {
    this.#settings = settings;
    this.#options = options;
    const url = new URL(settings.server);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/$/, '');
    this.#clock = options.clock ?? systemClock;
  }

  /** Resolves with the head of the response. Rejects with a `ConnectionError` that tells whether the request may have had an effect. */
  async request(request: Request): Promise<Answer> {
    if (this.#closed) throw new StoppedError('the client is closed');
    request.signal?.throwIfAborted();
    const session = this.#session();
    session.streams++;
    try {
      await session.connected;
    } catch (error) {
      session.streams--;
      throw error;
    }
    if (session.http.closed || session.http.destroyed) {
      session.streams--;
      throw new ConnectionError(`the connection to ${this.#origin} was closed`, true);
    }
    return this.#send(session, request);
  }

  /** Uses a new session for further requests; current ones continue. */
  reopen(): void {
    for (const session of this.#sessions) {
      this.#sessions.delete(session);
      session.http.close();
    }
  }

  close(): void {
    this.#closed = true;
    for (const { http } of this.#sessions) http.destroy();
  }

  #streamFor(session: Session, { method, path, headers, body }: Request): http2.ClientHttp2Stream {
    const token = this.#settings.token?.();
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return session.http.request(
      { ':method': method, ':path': this.#prefix + path, ...authorization, ...headers },
      { endStream: body === undefined },
    );
  }

  #send(session: Session, request: Request): Promise<Answer> {
    const { body, signal, timeoutMs, mayLeave } = request;
    return new Promise((resolve, reject) => {
      try {
        if (signal?.aborted) throw new StoppedError('the client is stopped');
        mayLeave?.();
      } catch (error) {
        session.streams--;
        throw error;
      }
      const stream = this.#streamFor(session, request);
      const abort = (): void => {
        stream.close(http2.constants.NGHTTP2_CANCEL);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const cancelTimer =
        timeoutMs === undefined
          ? null
          : this.#clock.after(timeoutMs, () => {
              reject(new ConnectionError(`${this.#origin} did not answer within ${timeoutMs} ms`, false));
              abort();
            });
      stream.once('response', (answer) => resolve({ status: answer[':status'] ?? 0, headers: answer, stream }));
      // Also needed after the response has begun: an unhandled stream error would end the process.
      stream.on('error', (error: Error) => reject(this.#failure(stream, error)));
      stream.once('close', () => {
        session.streams--;
        cancelTimer?.();
        signal?.removeEventListener('abort', abort);
        reject(signal?.aborted ? new StoppedError('stopped while a request was under way') : this.#failure(stream, null));
      });
      if (body !== undefined) stream.end(body);
    });
  }

  /** Refused streams (RFC 9113, 8.7) and streams above the last one of a GOAWAY were not processed; other outcomes are unknown. */
  #failure(stream: http2.ClientHttp2Stream, error: Error | null): ConnectionError {
    const definite = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || stream.id === undefined;
    return new ConnectionError(
      `the connection to ${this.#origin} broke: ${error ? messageOf(error) : 'the stream was closed'}`,
      definite,
      error,
    );
  }

  #session(): Session {
    for (const session of this.#sessions) {
      const limit = Math.min(streamsPerSessionMax, session.http.remoteSettings?.maxConcurrentStreams ?? streamsPerSessionMax);
      if (session.streams < limit && !session.http.closed && !session.http.destroyed) return session;
    }
    return this.#open();
  }

  #open(): Session {
    const terms = tlsTerms(this.#settings);
    const { mayPass } = this.#options;
    const socket = mayPass ? this.#socket(terms) : null;
    const http = http2.connect(this.#origin, {
      ...terms,
      ...(socket && mayPass ? { createConnection: () => new GatedStream(socket, mayPass) } : {}),
    });
    // A session over another stream than a socket counts as connected at once, so the socket below decides.
    const connected = socket
      ? this.#connected(http, socket, socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect')
      : this.#connected(http, http, 'connect');
    const session: Session = { http, streams: 0, connected };
    session.connected.catch(() => undefined);
    this.#sessions.add(session);
    http.once('close', () => this.#sessions.delete(session));
    // A session after GOAWAY takes no further streams, but may finish its own.
    http.once('goaway', () => this.#sessions.delete(session));
    http.on('error', () => undefined);
    this.#watchOver(http);
    http.unref();
    return session;
  }

  #socket(terms: tls.ConnectionOptions): net.Socket {
    const { protocol, hostname, port } = new URL(this.#origin);
    const host = hostname.replace(/^\[|\]$/g, '');
    if (protocol === 'http:') return net.connect(Number(port || 80), host);
    return tls.connect({
      host,
      port: Number(port || 443),
      ALPNProtocols: ['h2'],
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      ...terms,
    });
  }

  #connected(http: http2.ClientHttp2Session, source: EventEmitter, event: 'connect' | 'secureConnect'): Promise<void> {
    const timeoutMs = this.#options.connectTimeoutMs ?? defaultConnectTimeoutMs;
    return new Promise((resolve, reject) => {
      const fail = (why: string, cause?: unknown): void => {
        reject(new ConnectionError(`cannot connect to ${this.#origin}: ${why}`, true, cause));
        http.destroy();
      };
      const cancel = this.#clock.after(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
      // Keeps Node alive while connecting; afterwards the process's own work decides.
      source.once(event, () => {
        cancel();
        resolve();
      });
      http.once('error', (error) => {
        cancel();
        fail(messageOf(error), error);
      });
      http.once('close', () => {
        cancel();
        fail('it was closed');
      });
    });
  }

  /** A connection is dead if a ping is unanswered when the next is due. */
  #watchOver(http: http2.ClientHttp2Session): void {
    const everyMs = this.#options.pingEveryMs ?? defaultPingEveryMs;
    let waiting = false;
    const beat = (): void => {
      if (http.destroyed) return;
      if (waiting) {
        http.destroy(new ConnectionError(`${this.#origin} has been silent for ${everyMs} ms`, false));
        return;
      }
      if (
        !http.connecting &&
        http.ping(() => {
          waiting = false;
        })
      )
        waiting = true;
      cancel = this.#clock.after(everyMs, beat);
    };
    let cancel = this.#clock.after(everyMs, beat);
    http.once('close', () => cancel());
  }
}
