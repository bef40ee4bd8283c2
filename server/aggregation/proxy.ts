import type { OutgoingHttpHeaders } from 'node:http';
import type { User } from '../api/user.js';
import { send } from '../endpoints/answers.js';
import { BackendError } from '../endpoints/backends/connection.js';
import { answeredHeaders, forwardedHeaders } from '../endpoints/backends/headers.js';
import { handOver, leaveWith, pass } from '../endpoints/backends/relay.js';
import type { RequestContext } from '../endpoints/context.js';
import { bodyStream } from '../endpoints/streams.js';
import type { ApiService } from './apiServices.js';
import type { ServiceConnections } from './connections.js';

const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

/** What programs behind API services are told about users; they believe it because of this server's certificate. */
export function identityHeaders({ name, uid, groups, extra }: User): OutgoingHttpHeaders {
  const more = Object.entries(extra).map(([key, values]): [string, string[]] => [`x-remote-extra-${encodeURIComponent(key.toLowerCase())}`, [...values]]);
  return { 'x-remote-user': name, ...(uid === '' ? {} : { 'x-remote-uid': uid }), ...(groups.length === 0 ? {} : { 'x-remote-group': [...groups] }), ...Object.fromEntries(more) };
}

/** Aggregators that one request may go through; more is a circle. */
const hopsMax = 3;
const HOP = '1.1 kube-aggregator';

export interface ProxyOptions {
  readonly connections: ServiceConnections;
  /** `--aggregator-reject-forwarding-redirect` */
  readonly rejectsRedirects: boolean;
}

/** Passes an authorized request on to the program that serves it, and its answer back, both as they come. */
export async function relayToService(context: RequestContext, service: ApiService, { connections, rejectsRedirects }: ProxyOptions): Promise<void> {
  if (service.availability?.status !== 'True') return text(context, 503, 'service unavailable');
  const { upgrade = null, request } = context;
  const hops = [request.headers.via ?? []].flat().join(', ').split(', ').filter(hop => hop !== '');
  if (hops.filter(hop => hop === HOP).length >= hopsMax) return text(context, 508, 'the API service leads back to this server');
  const headers = { ...forwardedHeaders(context, upgrade !== null), ...identityHeaders(context.user), via: [...hops, HOP].join(', ') };
  const stay = upgrade === null ? null : leaveWith(upgrade);
  const answer = await connections.send(service, {
    method: request.method ?? 'GET', headers, body: upgrade === null ? bodyStream(request) : null, signal: context.signal, path: request.url ?? '/',
  }).catch((error: unknown) => {
    if (error instanceof BackendError) return error;
    throw error;
  });
  stay?.();
  if (answer instanceof BackendError) return text(context, 503, `error trying to reach service: ${answer.message}`);
  const { response } = answer;
  const code = response.statusCode ?? 502;
  if (rejectsRedirects && code >= 300 && code < 400 && response.headers.location !== undefined) {
    response.destroy();
    return text(context, 502, REDIRECTED);
  }
  if (upgrade !== null) return handOver(context, upgrade, answer);
  context.response.writeHead(code, answeredHeaders(response));
  // Who watches what does not change yet should know that the watch stands.
  context.response.flushHeaders();
  await pass(response, context);
}

function text(context: RequestContext, code: number, message: string): void {
  context.response.setHeader('x-content-type-options', 'nosniff');
  send(context, code, 'text/plain; charset=utf-8', Buffer.from(`${message}\n`));
}
