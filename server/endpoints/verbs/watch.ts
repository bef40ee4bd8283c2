import { setImmediate as nextTurn } from 'node:timers/promises';
import { qualifiedName } from '../../../api/resource.js';
import type { Logger } from '../../../program/log/logger.js';
import type { ServedResource } from '../../registry/resources.js';
import type { Watch, WatchSink } from '../../storage/contract.js';
import type { RequestContext } from '../context.js';
import { negotiate } from '../negotiation.js';
import { parseWatchOptions, type WatchOptions } from '../options/listOptions.js';
import type { Route } from '../routing.js';
import { isGone } from '../../../program/port/streams.js';
import { WatchStream } from '../watch/stream.js';
import { plain, type Transport } from '../watch/transport.js';
import { openResponse } from '../watch/response.js';
import { messagesOf, openWebSocket } from '../watch/webSocket.js';
import { webSocketUpgrade } from '../webSockets.js';
import type { VerbDeps, VerbHandler } from './deps.js';

/** Serves the older `/watch/` paths, too. */
export const watch: VerbHandler = async (context, route, deps) => {
  const begunAt = performance.now();
  const { resource } = route;
  const representation = negotiate(context, resource, { collection: true, stream: true });
  const options = parseWatchOptions(context.query, resource, { watchList: deps.watchList, shards: deps.shards, name: route.name });
  const seconds = options.timeoutSeconds || randomEnd(deps.minRequestTimeoutSeconds);
  const { resourceVersion, initialEventsEnd, bookmarks } = options;
  const upgrade = webSocketUpgrade(context);
  const framing = upgrade === null ? plain : messagesOf(representation.encoder);
  const stream = new WatchStream({
    resource,
    representation,
    framing,
    resourceVersion,
    initialEventsEnd,
    bookmarks,
    timeoutMs: Math.max(0, seconds) * 1000,
    count: deps.counts.watch(resource),
    scope: route.name !== '' ? 'resource' : route.namespace !== '' ? 'namespace' : 'cluster',
    begunAt,
  });
  const started = await startWatch(route, options, deps, stream);
  let goesOn = false;
  try {
    // A failing watch ends within its first turn, with a status.
    await nextTurn();
    if (stream.refusal !== null) throw stream.refusal;
    if (context.aborted || isGone(context.response)) return;
    const { streamType, mediaType } = representation.encoder;
    const transport = upgrade === null ? openResponse(context, streamType ?? mediaType) : await openWebSocket(context, upgrade);
    goesOn = true;
    sendUntilOver({ stream, watch: started, transport, log: deps.log }, context, resource);
    context.begun?.();
  } finally {
    if (!goesOn) started.stop();
  }
};

interface Sending {
  readonly stream: WatchStream;
  readonly watch: Watch;
  readonly transport: Transport;
  readonly log: Logger | null;
}

/** Ends with client, server, timeout, or resource (`retired`). */
function sendUntilOver({ stream, watch, transport, log }: Sending, context: RequestContext, resource: ServedResource): void {
  const { retired } = resource.behaviour;
  const retire = (): void => {
    stream.stop('ResourceChanged');
  };
  stream.run(watch, transport, (reason) => {
    retired?.removeEventListener('abort', retire);
    log?.debug(2, 'a watch has ended', { resource: qualifiedName(resource), user: context.user.name, reason });
    context.answered?.();
  });
  context.onAbort(() => {
    stream.stop(isGone(context.response) ? 'ClientClosed' : 'Aborted');
  });
  retired?.addEventListener('abort', retire);
  if (retired?.aborted === true) retire();
}

/** Spreads the ends of watches in whole seconds, since Node keeps a list per timer length. */
const randomEnd = (shortest: number): number => (shortest === 0 ? Number.POSITIVE_INFINITY : Math.floor(shortest * (1 + Math.random())));

async function startWatch(route: Route, options: WatchOptions, { registry }: VerbDeps, sink: WatchSink): Promise<Watch> {
  const { resource, namespace } = route;
  const scope = resource.namespaced ? namespace : null;
  const { labels, fields, shard, resourceVersion, initialEvents } = options;
  const query = { namespace: scope, labels, fields, shard };
  if (resourceVersion !== '' && Number(resourceVersion) !== 0)
    return registry.watch(resource, { ...query, start: { at: 'after', version: Number(resourceVersion) }, initialEvents }, sink);
  if (initialEvents)
    return registry.watch(resource, { ...query, start: { at: resourceVersion === '' ? 'mostRecent' : 'any' }, initialEvents: true }, sink);
  // Skips the current state: events start at the current version.
  const now = await registry.list(resource, {
    namespace: scope,
    labels: [],
    fields: [],
    consistency: { at: 'mostRecent' },
    limit: 1,
    after: null,
  });
  return registry.watch(resource, { ...query, start: { at: 'after', version: now.version }, initialEvents: false }, sink);
}
