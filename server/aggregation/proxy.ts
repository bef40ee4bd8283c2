import { traceHeaders } from '../../program/tracing/activeTrace.js';
import { send } from '../endpoints/answers.js';
import { BackendError, type BackendAnswer } from '../endpoints/backends/answer.js';
import { framedBody } from '../endpoints/backends/framing.js';
import { answeredHeaders, forwardedHeaders } from '../endpoints/backends/headers.js';
import { identityHeaders } from '../endpoints/backends/identityHeaders.js';
import { handOver, leaveWith, pass } from '../endpoints/backends/relay.js';
import { encodePath } from '../endpoints/backends/paths.js';
import type { RequestContext } from '../endpoints/context.js';
import type { ApiService } from './apiServices.js';
import type { ServiceConnections } from './connections.js';

const redirected = 'the backend attempted to redirect this request, which is not permitted';

/** Aggregators that a request may pass; more indicate a loop. */
const hopsMax = 3;
const viaHop = '1.1 kube-aggregator';

export interface ProxyOptions {
  readonly connections: ServiceConnections;
  /** `--aggregator-reject-forwarding-redirect` */
  readonly rejectsRedirects: boolean;
}

/** Streams an authorized request to its extension server, and the response back. */
export async function relayToService(
  context: RequestContext,
  service: ApiService,
  { connections, rejectsRedirects }: ProxyOptions,
): Promise<void> {
  if (service.availability?.status !== 'True') return text(context, 503, 'service unavailable');
  const { upgrade = null, request } = context;
  const hops = [request.headers.via ?? []]
    .flat()
    .join(', ')
    .split(', ')
    .filter((hop) => hop !== '');
  if (hops.filter((hop) => hop === viaHop).length >= hopsMax) return text(context, 508, 'the API service leads back to this server');
  const stay = upgrade === null ? null : leaveWith(upgrade);
  const answer = await ask(context, service, connections, hops).catch((error: unknown) => {
    if (error instanceof BackendError) return error;
    throw error;
  });
  stay?.();
  if (answer instanceof BackendError) return text(context, 503, `error trying to reach service: ${answer.message}`);
  const { response } = answer;
  const code = response.statusCode ?? 502;
  if (rejectsRedirects && code >= 300 && code < 400 && response.headers.location !== undefined) {
    response.destroy();
    return text(context, 502, redirected);
  }
  if (upgrade !== null) return handOver(context, upgrade, answer);
  context.response.writeHead(code, answeredHeaders(response));
  // Shows the client that its watch works before the first event.
  context.response.flushHeaders();
  await pass(response, context);
}

/** Forwards exactly what was authorized: the decoded path and parsed parameters. */
async function ask(
  context: RequestContext,
  service: ApiService,
  connections: ServiceConnections,
  hops: readonly string[],
): Promise<BackendAnswer> {
  const { upgrade = null, request } = context;
  const query = new URLSearchParams(context.query);
  query.sort();
  return connections.send(service, {
    method: request.method ?? 'GET',
    signal: context.signal,
    path: `${encodePath(context.info.path)}${query.size === 0 ? '' : `?${query.toString()}`}`,
    headers: {
      ...forwardedHeaders(context, upgrade !== null),
      ...traceHeaders(),
      ...identityHeaders(context.user),
      via: [...hops, viaHop].join(', '),
    },
    body: upgrade === null ? framedBody(request) : null,
  });
}

function text(context: RequestContext, code: number, message: string): void {
  context.response.setHeader('x-content-type-options', 'nosniff');
  send(context, code, 'text/plain; charset=utf-8', Buffer.from(`${message}\n`));
}
