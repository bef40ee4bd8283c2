import { Agent as PlainAgent, request as plainRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { identifying, loadKubeconfig, tlsTerms, type ConnectionSettings } from '../catalogue/kubeconfig.js';

/** A service outside that is asked over HTTP: for decisions, for reviews of tokens, to take audit events. */
export interface WebhookClient {
  /** Posts a JSON text and resolves with the text that came back. Rejects with a WebhookError. */
  post(body: string, terms: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<string>;
  close(): void;
}

/** A call that did not succeed. Never holds what was sent. */
export class WebhookError extends Error {
  /** The status code of the answer; 0 when there was none. */
  readonly code: number;
  /** How long the service asks to wait before the next try, or null. */
  readonly retryAfterMs: number | null;

  constructor(message: string, details: { readonly code?: number; readonly retryAfterMs?: number | null; readonly cause?: unknown } = {}) {
    super(message, { cause: details.cause });
    this.code = details.code ?? 0;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }

  /** Worth trying again: no answer, or one that speaks of a passing trouble. */
  get passing(): boolean { return this.code === 0 || this.code === 429 || this.code >= 500; }
}

const answerBytesMax = 4 * 1024 * 1024;
const connectionsMax = 25;

/** A client for the service that a kubeconfig file names. Throws when the file cannot be used. */
export function webhookClient(file: string, option: string): WebhookClient {
  try {
    return clientFor(loadKubeconfig(file));
  } catch (cause) {
    throw new Error(`${option}: ${(cause as Error).message}`, { cause });
  }
}

export function clientFor(settings: ConnectionSettings): WebhookClient {
  const url = new URL(settings.server);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error(`the server must be an http or https URL, not ${settings.server}`);
  const secure = url.protocol === 'https:';
  const agent = secure ? new Agent({ keepAlive: true, maxSockets: connectionsMax, ...tlsTerms(settings) }) : new PlainAgent({ keepAlive: true, maxSockets: connectionsMax });
  return {
    close: () => { agent.destroy(); },
    post: (body, { timeoutMs, signal }) => new Promise((resolve, reject) => {
      const outgoing = (secure ? request : plainRequest)(url, { method: 'POST', agent, headers: headersFor(body, settings), ...(signal === undefined ? {} : { signal }) });
      const timer = setTimeout(() => { outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)); }, timeoutMs);
      const fail = (cause: Error): void => {
        clearTimeout(timer);
        reject(cause instanceof WebhookError ? cause : new WebhookError(`${url.host} cannot be asked: ${cause.message}`, { cause }));
      };
      outgoing.on('error', fail);
      outgoing.on('response', (answer) => {
        readAnswer(answer, url.host).then((text) => { clearTimeout(timer); resolve(text); }, (error: unknown) => { outgoing.destroy(); fail(error as Error); });
      });
      outgoing.end(body);
    }),
  };
}

function headersFor(body: string, settings: ConnectionSettings): OutgoingHttpHeaders {
  return { 'content-type': 'application/json', accept: 'application/json', 'content-length': Buffer.byteLength(body), ...identifying(settings) };
}

/** Resolves with the body of a success. Rejects with a WebhookError for any other status, and for a body that is too long. */
async function readAnswer(answer: IncomingMessage, host: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerBytesMax) throw new WebhookError(`${host} answered with more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  const code = answer.statusCode ?? 0;
  const text = Buffer.concat(chunks).toString('utf8');
  if (code >= 200 && code < 300) return text;
  throw new WebhookError(`${host} answered ${code}: ${text.slice(0, excerptCharacters)}`, { code, retryAfterMs: retryAfter(answer.headers['retry-after']) });
}

const excerptCharacters = 200;

function retryAfter(header: string | undefined): number | null {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
