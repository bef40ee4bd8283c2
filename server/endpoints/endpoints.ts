import type { Workers } from '../../workers/pool.js';
import { apiVersionOf, type GroupResource } from '../../api/resource.js';
import type { TokenServices } from '../authentication/tokens/services.js';
import type { Authorizer } from '../authorization/authorizer.js';
import { noRules, type RuleResolver } from '../authorization/rules.js';
import type { Registry } from '../registry/contract.js';
import type { Catalogue } from '../registry/resources.js';
import { sendPageNotFound } from './answers.js';
import type { Backends } from './backends/connection.js';
import { createBodyReader } from './body.js';
import type { RequestContext } from './context.js';
import { noCounts, type EndpointCounts } from './counts.js';
import { encodersWith } from './encoders/encoders.js';
import { createBinding } from './pods/binding.js';
import { podLog, podStream } from './pods/connect.js';
import { createEviction } from './pods/eviction.js';
import { proxy } from './pods/proxy.js';
import { reviews } from './reviews/reviews.js';
import { route, type ResourceVerb, type Route } from './routing.js';
import { createToken } from './subresources/token.js';
import type { VerbDeps, VerbHandler } from './verbs/deps.js';
import { patch, patchView } from './verbs/patch.js';
import { get, list } from './verbs/reads.js';
import { getView, scale, updateView } from './verbs/view.js';
import { watch } from './verbs/watch.js';
import { create, remove, removeCollection, update } from './verbs/writes.js';

export interface EndpointOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly workers: Workers;
  /** Answers access reviews; requests themselves are authorized before they arrive here. */
  readonly authorize: Authorizer;
  /** Lists what users may do. Default: nothing can be listed. */
  readonly rules?: RuleResolver;
  /** Issues and reviews tokens. Default: neither. */
  readonly tokens?: TokenServices | null;
  readonly minRequestTimeoutSeconds?: number;
  /** Watches may request initial events: gate `WatchList`. */
  readonly watchList?: boolean;
  /** Lists and watches may request a shard: gate `ShardedListAndWatch`. Default: off. */
  readonly shards?: boolean;
  /** Reports whether a resource is read from memory. Default: all are. */
  readonly cached?: (resource: GroupResource) => boolean;
  /** Large responses to reads are compressed for clients that accept it: gate `APIResponseCompression`. */
  readonly compression?: boolean;
  /** Binding a pod clears its nomination. Default true. */
  readonly clearsNomination?: boolean;
  /** Gate `AllowUnsafeMalformedObjectDeletion`. */
  readonly forcesDeletion?: boolean;
  /** Streams of pods that begin with a GET need the right to create: gate `AuthorizePodWebsocketUpgradeCreatePermission`. */
  readonly streamsNeedCreate?: boolean;
  /** A client may request one stream of a log. */
  readonly splitsLogs?: boolean;
  /** Connections to node agents and programs in the cluster. Default: none. */
  readonly backends?: Backends | null;
  /** CBOR is served: gate `CBORServingAndStorage`. */
  readonly cbor?: boolean;
  /** Called before a client learns that something does not exist: another server may have begun to serve it. */
  readonly catchUp?: (resource: GroupResource) => Promise<void>;
  readonly counts?: EndpointCounts;
}

const minRequestTimeoutSecondsDefault = 1800;

const verbs: Readonly<Record<ResourceVerb, VerbHandler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** Subresources whose body is the object itself, by the verbs that the generic life cycle handles. */
const genericSubresources: Readonly<Record<string, Readonly<Partial<Record<ResourceVerb, VerbHandler>>>>> = {
  status: { get, update, patch },
  approval: { get, update, patch },
  finalize: { update },
  binding: { create: createBinding },
  eviction: { create: createEviction },
  log: { get: podLog },
  exec: { get: podStream, create: podStream },
  attach: { get: podStream, create: podStream },
  portforward: { get: podStream, create: podStream },
  proxy: { get: proxy, create: proxy, update: proxy, patch: proxy, delete: proxy },
  ephemeralcontainers: { get, update, patch },
  resize: { get, update, patch },
  scale: { get: getView(scale), update: updateView(scale), patch: patchView(scale) },
  token: { create: createToken },
};

/** The HTTP layer has authorized the request, and only now is its body read. Throws StatusError for client errors. */
export function createEndpoints(options: EndpointOptions): (context: RequestContext) => Promise<void> {
  const {
    registry,
    catalogue,
    workers,
    authorize,
    rules = () => noRules,
    tokens = null,
    minRequestTimeoutSeconds = minRequestTimeoutSecondsDefault,
    watchList = true,
    shards = false,
    cached = () => true,
    compression = true,
    forcesDeletion = false,
    clearsNomination = true,
    streamsNeedCreate = true,
    splitsLogs = false,
    backends = null,
    cbor = false,
    catchUp = null,
    counts = noCounts,
  } = options;
  const encoders = encodersWith(cbor);
  const deps: VerbDeps = {
    registry,
    catalogue,
    authorize,
    rules,
    tokens,
    minRequestTimeoutSeconds,
    watchList,
    shards,
    cached,
    compression,
    forcesDeletion,
    clearsNomination,
    streamsNeedCreate,
    splitsLogs,
    backends,
    counts,
    reader: createBodyReader(workers),
  };
  return (context) => {
    context.encoders = encoders;
    return answer(context, deps, catchUp);
  };
}

async function answer(context: RequestContext, deps: VerbDeps, catchUp: EndpointOptions['catchUp'] | null): Promise<void> {
  const { info } = context;
  if (!info.isResource) return sendPageNotFound(context);
  let routing = route(context, info, deps.catalogue);
  if (routing.outcome === 'unknown' && catchUp) {
    await catchUp(info);
    routing = route(context, info, deps.catalogue);
  }
  if (routing.outcome === 'unknown') return sendPageNotFound(context);
  const { deprecation, refusal } = routing.route.resource.behaviour;
  if (deprecation !== null) {
    warnOfDeprecation(context, deprecation.text);
    deps.counts.deprecated(routing.route.resource, info.subresource, deprecation.removedRelease);
  }
  const refused = refusal(routing.route.verb);
  if (refused !== null) throw refused;
  await handlerOf(routing.route)(context, routing.route, deps);
}

/** Returns what answers a verb of a resource or subresource. Throws where discovery lists one that nothing answers. */
export function handlerOf({ resource, subresource, verb }: Pick<Route, 'resource' | 'subresource' | 'verb'>): VerbHandler {
  const handler =
    subresource === null
      ? (reviews[`${resource.resource}.${resource.group}`]?.[verb] ?? (isVirtual(resource.verbs) ? undefined : verbs[verb]))
      : genericSubresources[subresource.name]?.[verb];
  if (handler === undefined)
    throw new Error(`nothing answers ${verb} of ${resource.resource}/${subresource?.name ?? ''} in ${apiVersionOf(resource)}`);
  return handler;
}

/** Types that can only be created stand for an operation and are not stored. */
const isVirtual = (verbs: ReadonlySet<string>): boolean => !verbs.has('get') && !verbs.has('list');

function warnOfDeprecation(context: RequestContext, text: string): void {
  context.warnings.push(text);
  context.audit?.annotate('k8s.io/deprecated', 'true');
}
