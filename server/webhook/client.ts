import {
  Agent as PlainAgent,
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { verificationText } from '../../program/tls/verificationText.js';
import { activeTrace } from '../../program/tracing/activeTrace.js';
import { dialingAgent, type Dial } from './dialed.js';
import { countCertificates, countRefusedCertificate, noCertificateCounts, type CertificateCounts } from './peerCertificates.js';
import { endUnlessRegular, silentWhileIdle } from './regularConnections.js';
import { identifying, loadKubeconfig, tlsTerms, type ConnectionSettings } from '../../program/kubeconfig.js';

export interface PostTerms {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The part after the question mark, if any. */
  readonly query?: string;
}

/** A client of webhooks for decisions, reviews of tokens and objects, and audit events. */
export interface WebhookClient {
  /** Posts JSON and resolves with the response text. Rejects with a WebhookError, also for redirects. */
  post(body: string, terms: PostTerms): Promise<string>;
  close(): void;
  /** Closes idle connections; calls in progress go on. */
  release(): void;
}

export interface Refusal {
  readonly text: string;
  readonly contentType: string;
}

/** A failed call. Never contains what was sent. */
export class WebhookError extends Error {
  readonly code: number;
  readonly retryAfterMs: number | null;
  readonly refusal: Refusal | null;

  constructor(
    message: string,
    details: { readonly code?: number; readonly retryAfterMs?: number | null; readonly refusal?: Refusal; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = details.code ?? 0;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.refusal = details.refusal ?? null;
  }

  /** Retriable: no response, or one about a temporary error. */
  get passing(): boolean {
    return this.code === 0 || this.code === 429 || this.code >= 500;
  }
}

export class NoAnswerError extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

const answerBytesMaxDefault = 4 * 1024 * 1024;
const connectionsMax = 25;
const idleMs = 90_000;

/** Throws for an invalid kubeconfig. */
export function webhookClient(file: string, option: string, ways: ClientWays = {}): WebhookClient {
  try {
    return clientFor(loadKubeconfig(file), ways);
  } catch (cause) {
    throw new Error(`${option}: ${(cause as Error).message}`, { cause });
  }
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ClientOptions {
  /** Resolves each call's address, in place of the URL's host. Rejects with the reason. */
  readonly resolve?: () => Promise<Address>;
  readonly answerBytesMax?: number;
  readonly dial?: Dial | null;
  readonly certificates?: CertificateCounts;
}

export type ClientWays = Pick<ClientOptions, 'dial' | 'certificates'>;

/** Throws when the settings name no HTTP server. */
export function clientFor(settings: ConnectionSettings, options: ClientOptions = {}): WebhookClient {
  const { protocol } = new URL(settings.server);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`the server must be an http or https URL, not ${settings.server}`);
  return new PooledClient(settings, options);
}

class PooledClient implements WebhookClient {
  readonly #settings: ConnectionSettings;
  readonly #options: ClientOptions;
  readonly #url: URL;
  readonly #secure: boolean;
  readonly #tls: ConnectionOptions;
  readonly #certificates: CertificateCounts;
  readonly #agent: PlainAgent;
  readonly #freshAgent: PlainAgent | false;

  constructor(settings: ConnectionSettings, options: ClientOptions) {
    const { dial = null, certificates = noCertificateCounts } = options;
    this.#settings = settings;
    this.#options = options;
    this.#url = new URL(settings.server);
    const secure = this.#url.protocol === 'https:';
    this.#secure = secure;
    this.#tls = secure ? tlsTerms(settings) : {};
    this.#certificates = certificates;
    // New Node reuses no connection if the agent lacks the request's `checkServerIdentity`.
    const keeping = { ...this.#tls, keepAlive: true, maxSockets: connectionsMax, timeout: idleMs };
    this.#agent = silentWhileIdle(dial === null ? new (secure ? Agent : PlainAgent)(keeping) : dialingAgent(dial, { secure, ...keeping }));
    this.#freshAgent = dial === null ? false : dialingAgent(dial, { secure });
  }

  close(): void {
    this.#agent.destroy();
  }

  release(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  post(body: string, terms: PostTerms): Promise<string> {
    return withinTime(terms, this.#url.host, (signal) => this.#traced(body, terms, signal));
  }

  async #traced(body: string, { query = '' }: PostTerms, signal: AbortSignal): Promise<string> {
    const { resolve } = this.#options;
    const address = resolve === undefined ? {} : connectTo(await beforeAbort(resolve(), signal));
    const place = { ...address, path: `${this.#url.pathname}${query === '' ? '' : `?${query}`}`, signal };
    const { origin, pathname } = this.#url;
    const part = activeTrace.getStore()?.child('HTTP POST', { 'http.method': 'POST', 'http.url': `${origin}${pathname}` });
    const text = this.#call(body, { ...place, headers: { ...headersFor(body, this.#settings), ...part?.headers, host: this.#url.host } });
    text.then(
      () => part?.end(),
      (error: unknown) => part?.end(error),
    );
    return text;
  }

  async #call(body: string, request: RequestOptions): Promise<string> {
    const first = this.#begin(request, this.#agent);
    const answer = await answerTo(first, body, this.#certificates).catch((error: unknown) => {
      // The service closed an idle connection at its reuse, before reading the request.
      if (first.reusedSocket && endedByPeer.has((error as NodeJS.ErrnoException).code ?? ''))
        return answerTo(this.#begin(request, this.#freshAgent), body, this.#certificates);
      throw error;
    });
    return readAnswer(answer, this.#url.host, this.#options.answerBytesMax ?? answerBytesMaxDefault);
  }

  #begin(options: RequestOptions, agent: PlainAgent | false): ClientRequest {
    return (this.#secure ? request : plainRequest)(this.#url, { method: 'POST', agent, ...this.#tls, ...options });
  }
}

const connectTo = ({ host, port }: Address): { readonly hostname: string; readonly host: string; readonly port: number } => ({
  hostname: host,
  host,
  port,
});

const endedByPeer: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Ends a call at its timeout or signal. Rejects with a WebhookError. */
async function withinTime(terms: PostTerms, host: string, call: (signal: AbortSignal) => Promise<string>): Promise<string> {
  const over = new AbortController();
  const timer = setTimeout(() => {
    over.abort(new NoAnswerError(terms.timeoutMs));
  }, terms.timeoutMs);
  const leave = (): void => {
    over.abort(terms.signal?.reason);
  };
  terms.signal?.addEventListener('abort', leave, { once: true });
  try {
    terms.signal?.throwIfAborted();
    return await call(over.signal);
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    const cause = (over.signal.aborted ? over.signal.reason : error) as Error;
    throw new WebhookError(`${host} cannot be asked: ${cause.message}`, { cause });
  } finally {
    clearTimeout(timer);
    terms.signal?.removeEventListener('abort', leave);
  }
}

function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason as Error);
      },
      { once: true },
    );
    promise.then(resolve, reject);
  });
}

function answerTo(outgoing: ClientRequest, body: string, certificates: CertificateCounts): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', (error) => {
      countRefusedCertificate(error, outgoing.socket, certificates);
      const verification = verificationText(error);
      reject(verification === null ? error : new Error(verification, { cause: error }));
    });
    outgoing.on('response', (answer) => {
      countCertificates(answer.socket, certificates);
      resolve(answer);
    });
    endUnlessRegular(outgoing);
    outgoing.end(body);
  });
}

function headersFor(body: string, settings: ConnectionSettings): OutgoingHttpHeaders {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'content-length': Buffer.byteLength(body),
    ...identifying(settings),
  };
}

/** Resolves with the body of a success. Rejects with a WebhookError for other statuses and too long bodies. */
async function readAnswer(answer: IncomingMessage, host: string, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new WebhookError(`${host} answered with more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const code = answer.statusCode ?? 0;
  const text = Buffer.concat(chunks).toString('utf8');
  if (code >= 200 && code < 300) return text;
  const refusal = { text, contentType: answer.headers['content-type'] ?? '' };
  throw new WebhookError(`${host} answered ${code}: ${text.slice(0, excerptCharacters)}`, {
    code,
    refusal,
    retryAfterMs: retryAfter(answer.headers['retry-after']),
  });
}

const excerptCharacters = 200;

function retryAfter(header: string | undefined): number | null {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
