import type { Workers } from '../../workers/pool.js';
import { apiVersionOf, type GroupResource } from '../../api/resource.js';
import { NotAcceptableError } from '../../api/status.js';
import { noRules } from '../authorization/rules.js';
import { sendPageNotFound } from './answers.js';
import { createBodyReader } from './body.js';
import { reportDamage } from './damage.js';
import type { RequestContext } from './context.js';
import { noCounts } from './counts.js';
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

type Required = 'registry' | 'catalogue' | 'authorize';

export interface EndpointOptions extends Pick<VerbDeps, Required>, Partial<Omit<VerbDeps, Required | 'reader'>> {
  readonly workers: Workers;
  /** CBOR is served: gate `CBORServingAndStorage`. */
  readonly cbor?: boolean;
  /** Called before a 404: another server may have begun to serve the resource. */
  readonly catchUp?: (resource: GroupResource) => Promise<void>;
}

const defaults: Omit<VerbDeps, Required | 'reader'> = {
  rules: () => noRules,
  tokens: null,
  minRequestTimeoutSeconds: 1800,
  watchList: true,
  shards: false,
  cached: () => true,
  compression: true,
  forcesDeletion: false,
  clearsNomination: true,
  streamsNeedCreate: true,
  splitsLogs: false,
  backends: null,
  counts: noCounts,
  log: null,
};

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

/** Subresources whose body is the object itself. */
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

/** The body is read only after authorization. Throws StatusError. */
export function createEndpoints({ workers, cbor = false, catchUp, ...given }: EndpointOptions): (context: RequestContext) => Promise<void> {
  const encoders = encodersWith(cbor);
  const deps: VerbDeps = { ...defaults, ...given, reader: createBodyReader(workers) };
  return (context) => {
    context.encoders = encoders;
    return answer(context, deps, catchUp);
  };
}

async function answer(context: RequestContext, deps: VerbDeps, catchUp: EndpointOptions['catchUp']): Promise<void> {
  const { info } = context;
  if (!info.isResource) return sendPageNotFound(context);
  let routing = route(context, info, deps.catalogue);
  if (routing.outcome === 'unknown' && catchUp) {
    await catchUp(info);
    routing = route(context, info, deps.catalogue);
  }
  if (routing.outcome === 'unknown') return sendPageNotFound(context);
  const { deprecation } = routing.route.resource.behaviour;
  if (deprecation !== null) deps.counts.deprecated(routing.route.resource, info.subresource, deprecation.removedRelease);
  const { storage: resource } = routing.route.resource;
  await handlerOf(routing.route)(context, routing.route, deps).catch((error: unknown) => {
    if (error instanceof NotAcceptableError) context.warnings.length = 0;
    throw reportDamage(error, { resource, forcesDeletion: deps.forcesDeletion });
  });
}

export function handlerOf({ resource, subresource, verb }: Pick<Route, 'resource' | 'subresource' | 'verb'>): VerbHandler {
  const handler =
    subresource === null
      ? (reviews[`${resource.resource}.${resource.group}`]?.[verb] ?? (isVirtual(resource.verbs) ? undefined : verbs[verb]))
      : genericSubresources[subresource.name]?.[verb];
  if (handler === undefined)
    throw new Error(`nothing answers ${verb} of ${resource.resource}/${subresource?.name ?? ''} in ${apiVersionOf(resource)}`);
  return handler;
}

const isVirtual = (verbs: ReadonlySet<string>): boolean => !verbs.has('get') && !verbs.has('list');
