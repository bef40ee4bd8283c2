import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib';
import { badRequest, internalError, StatusError } from '../../../api/status.js';
import type { RequestContext } from '../context.js';
import type { Upgrade } from '../../../program/port/message.js';
import { writableOf } from '../../../program/port/streams.js';
import { BackendError, type BackendAnswer, type BackendRequest } from './answer.js';
import { authority, type Backends } from './connection.js';
import { framedBody } from './framing.js';
import { answeredHeaders, forwardedHeaders, upgradeHead } from './headers.js';
import { seenThrough, type View } from './links.js';
import type { Location } from './location.js';
import { joined } from './joined.js';
import { Pace } from './pace.js';
import { PageLinks } from './pages.js';
import { encodePath } from './paths.js';

const shownBytesMax = 50 * 1024;

/** Throws 503 for an unreachable backend, 502 for an invalid response. */
async function ask(backends: Backends, location: Location, asked: BackendRequest, what: string): Promise<BackendAnswer> {
  try {
    return await backends.send(location, asked);
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    const message = `${what}: ${error.message}`;
    throw error.reached ? badGateway(message, error) : unreachable(message, error);
  }
}

/** No Retry-After, with which clients would retry ten times before reporting anything. */
export const unreachable = (message: string, cause?: unknown): StatusError =>
  new StatusError(503, 'ServiceUnavailable', message, undefined, { cause });
const badGateway = (message: string, cause?: unknown): StatusError => new StatusError(502, 'InternalError', message, {}, { cause });
const isRedirect = (code: number): boolean => code >= 300 && code < 400 && code !== 304;
const redirected = 'the backend attempted to redirect this request, which is not permitted';

/** Called once the agent responds; settles after writing. */
export type LogWay = (log: IncomingMessage) => Promise<void>;

/** `about` words the agent's refusals. */
export async function relayLog(
  context: RequestContext,
  backends: Backends,
  location: Location,
  about: { readonly name: string; readonly trusting: boolean; readonly to: LogWay },
): Promise<void> {
  const stay = leaveWith(context.upgrade ?? null);
  const answer = await ask(
    backends,
    location,
    { method: 'GET', headers: { accept: '*/*' }, body: null, signal: context.signal, trusting: about.trusting },
    'error dialing backend',
  );
  stay();
  const { response } = answer;
  const code = response.statusCode ?? 0;
  if (isRedirect(code)) {
    response.destroy();
    throw badGateway(redirected);
  }
  if (answer.outcome !== 'response' || code < 200 || code > 206) throw refusedByAgent(code, await beginningOf(response), about.name);
  await about.to(response);
}

async function beginningOf(response: AsyncIterable<unknown> & { destroy(): void }): Promise<string> {
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > shownBytesMax) break;
  }
  response.destroy();
  return text.slice(0, shownBytesMax).trim();
}

const refusals: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request'],
};

function refusedByAgent(code: number, text: string, name: string): StatusError {
  if (code === 500) return internalError(new Error(text));
  const [reason, message] =
    refusals[code] ??
    (code >= 500
      ? ['InternalError', `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`]
      : [
          code === 403 ? 'Forbidden' : 'Unknown',
          code === 403 ? text : `the server responded with the status code ${code} but did not return more information`,
        ]);
  return new StatusError(code < 400 ? 502 : code, reason, `${message} (get pods/log ${name})`, {
    name,
    kind: 'pods/log',
    causes: [{ reason: 'UnexpectedServerResponse', message: text }],
  });
}

/** Both sides agree on the protocol (exec, attach, portforward). */
export async function relayStream(context: RequestContext, backends: Backends, location: Location): Promise<void> {
  const { upgrade = null } = context;
  if (upgrade === null) throw badRequest('Upgrade request required');
  const stay = leaveWith(upgrade);
  const answer = await ask(
    backends,
    location,
    { method: context.request.method ?? 'GET', headers: forwardedHeaders(context, true), body: null, signal: context.signal },
    'error dialing backend',
  );
  stay();
  await handOver(context, upgrade, answer, backends.bytesPerSecond);
}

/** Detects a connection's end, which an unread one does not report. Consumes nothing. Returns a function that stops. */
export function leaveWith(upgrade: Upgrade | null): () => void {
  if (upgrade === null) return ignore;
  const { socket } = upgrade;
  const leave = (): void => {
    socket.destroy();
  };
  socket.once('end', leave);
  socket.read(0);
  return () => {
    socket.off('end', leave);
  };
}

/** `prefix` is the decoded path of the proxy. */
export async function relayRequest(context: RequestContext, backends: Backends, location: Location, prefix: string): Promise<void> {
  const { upgrade = null, request } = context;
  const begin = encodePath(prefix);
  if (location.path === '' && upgrade === null && ['GET', 'HEAD'].includes(request.method ?? ''))
    return redirectToRoot(context, begin, location.query);
  const host = request.headers.host ?? request.headers[':authority'];
  const forwarded = {
    'x-forwarded-uri': `${begin}${location.path}`,
    'x-forwarded-proto': 'https',
    ...(host === undefined ? {} : { 'x-forwarded-host': host }),
  };
  const headers = { ...forwardedHeaders(context, upgrade !== null), ...forwarded };
  const asked = { method: request.method ?? 'GET', headers, body: upgrade === null ? framedBody(request) : null, signal: context.signal };
  const answer = await ask(backends, location.path === '' ? { ...location, path: '/' } : location, asked, 'error trying to reach service');
  if (upgrade !== null) return handOver(context, upgrade, answer, backends.bytesPerSecond);
  const view = { prefix: begin, hosts: [authority(location), ...(host === undefined ? [] : [String(host)])] };
  await passSeenThrough(answer.response, context, view);
}

function redirectToRoot({ response }: RequestContext, prefix: string, query: string): void {
  response.writeHead(301, { location: `${prefix}/${query === '' ? '' : `?${query}`}` });
  response.end();
}

async function passSeenThrough(response: IncomingMessage, context: RequestContext, view: View): Promise<void> {
  const headers = answeredHeaders(response);
  const { location } = response.headers;
  const code = response.statusCode ?? 502;
  if (location !== undefined) headers.location = seenThrough(location, view);
  const page = location === undefined && code !== partial ? pageOf(response) : null;
  // Rewriting lengthens links.
  if (page !== null) delete headers['content-length'];
  context.response.writeHead(code, headers);
  if (page === null || context.request.method === 'HEAD') return pass(response, context);
  await pipeline([response, ...page(view), writableOf(context.response)]).catch(ignore);
}

const partial = 206;
const ignore = (): void => {};

const pages: Readonly<Record<string, (view: View) => Duplex[]>> = {
  '': (view) => [new PageLinks(view)],
  gzip: (view) => [createGunzip(), new PageLinks(view), createGzip()],
  deflate: (view) => [createInflateRaw(), new PageLinks(view), createDeflateRaw()],
};

function pageOf({ headers }: IncomingMessage): ((view: View) => Duplex[]) | null {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'] ?? '';
  return type === 'text/html' && Object.hasOwn(pages, encoding) ? (pages[encoding] ?? null) : null;
}

export async function pass(from: NodeJS.ReadableStream, { response }: RequestContext): Promise<void> {
  // Half a response is out.
  await pipeline(from, writableOf(response)).catch(() => undefined);
}

/** Joins the connections, or relays the backend's refusal to switch protocols. */
export async function handOver(
  context: RequestContext,
  { socket, head }: Upgrade,
  answer: BackendAnswer,
  bytesPerSecond = 0,
): Promise<void> {
  if (answer.outcome === 'response') {
    const { response } = answer;
    const code = response.statusCode ?? 502;
    if (isRedirect(code)) {
      response.destroy();
      throw badGateway(redirected);
    }
    // The client gets the response of a backend that refuses the protocol.
    context.response.writeHead(code, answeredHeaders(response));
    return pass(response, context);
  }
  const { response, socket: backend, head: sent } = answer;
  socket.write(upgradeHead(response));
  context.switchedProtocols?.();
  if (sent.length > 0) socket.write(sent);
  if (head.length > 0) backend.write(head);
  await joined(socket, backend, () => (bytesPerSecond > 0 ? [new Pace(bytesPerSecond)] : []));
  socket.destroy();
  backend.destroy();
}

export const noBackends = (): StatusError => unreachable('this server has no connection to nodes');
