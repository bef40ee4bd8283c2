import { badRequest, methodNotAllowed, methodNotSupported, notFound, pathNotFound, type StatusError } from '../../api/status.js';
import type { Catalogue, ServedGroup, ServedResource, Subresource } from '../registry/resources.js';
import { pathSegmentName } from '../registry/validation/names.js';
import type { RequestContext } from './context.js';
import type { RequestInfo } from '../../api/requestInfo.js';

export type ResourceInfo = Extract<RequestInfo, { isResource: true }>;

export type ResourceVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a request leads to: a resource type that is served, and a verb that it serves at this path. */
export interface Route {
  readonly resource: ServedResource;
  readonly subresource: Subresource | null;
  readonly verb: ResourceVerb;
  /** Empty for cluster-scoped types, null for a request over all namespaces. */
  readonly namespace: string | null;
  /** Empty for collections. For a watch under the older path prefix: the one object to watch. */
  readonly name: string;
  readonly rest: readonly string[];
}

export type Routing =
  | { readonly outcome: 'route'; readonly route: Route }
  /** Nothing is known of what the path names: the answer is a plain page, since nobody knows how errors look there. */
  | { readonly outcome: 'unknown' };

/** Where the path points, which decides what its methods mean. */
type Place = 'allNamespaces' | 'collection' | 'object' | 'subresource' | 'watchPrefix';

/** Methods at each place, and the verb that a resource type must list for the method to be served there. */
type Methods = Readonly<Record<Place, Readonly<Partial<Record<string, ResourceVerb>>>>>;

const methods: Methods = {
  allNamespaces: { GET: 'list' },
  collection: { GET: 'list', POST: 'create', DELETE: 'deletecollection' },
  object: { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  subresource: { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  watchPrefix: { GET: 'watch' },
};

/** Below the subresource of this name, methods are the backend's: they need what a GET needs to be served. */
const proxy = 'proxy';
const proxied: Readonly<Partial<Record<string, ResourceVerb>>> = { ...methods.subresource, HEAD: 'get', OPTIONS: 'get' };

/** How a group answers where nothing is served. Groups whose types are compiled in have a route for each path; others look things up by their names. */
interface UnknownPathRules {
  readonly methods: Methods;
  /** Nothing is at the path: null for a plain page. */
  readonly nowhere: () => StatusError | null;
  readonly noSubresource: (info: ResourceInfo) => StatusError;
  readonly noMethod: (info: ResourceInfo, otherMethodsServed: boolean) => StatusError;
}

const unknownPathTexts: Readonly<Record<NonNullable<ServedGroup['unknownPaths']>, UnknownPathRules>> = {
  routed: {
    methods: methods,
    nowhere: pathNotFound,
    noSubresource: pathNotFound,
    noMethod: (_, others) => (others ? methodNotAllowed() : pathNotFound()),
  },
  named: {
    // A name in the path of a creation counts as that of the object.
    methods: { ...methods, object: { ...methods.object, POST: 'create' } },
    nowhere: () => null,
    noSubresource: (info) => notFound(info, info.name),
    noMethod: (info) => methodNotSupported(info, info.verb),
  },
};

/** Throws 404 where nothing is served at the path and 405 where something is, but not for this method. */
export function route(context: Pick<RequestContext, 'request'>, info: ResourceInfo, catalogue: Catalogue): Routing {
  const group = catalogue.group(info.group);
  if (group === null) return { outcome: 'unknown' };
  const unknownPaths = unknownPathTexts[group.unknownPaths ?? 'routed'];
  const resource = catalogue.resource(info.group, info.version, info.resource);
  const place = resource === null ? null : placeOf(info, resource);
  if (resource === null || place === null) return nowhere(unknownPaths);
  const subresource = info.subresource === '' ? null : (subresourceOf(resource, info) ?? refuse(unknownPaths.noSubresource(info)));
  const verb = verbAt(place, context.request.method ?? '', info, { verbs: (subresource ?? resource).verbs, unknownPaths });
  if (verb === null) return nowhere(unknownPaths);
  const name = place === 'object' || place === 'subresource' || place === 'watchPrefix' ? info.name : '';
  checkName(name);
  return { outcome: 'route', route: { resource, subresource, verb, name, namespace: namespaceOf(info, resource), rest: info.rest } };
}

/** Only what is handed on to a node or a program goes further than the subresource. */
const subresourceOf = (resource: ServedResource, { subresource, rest }: ResourceInfo): Subresource | undefined =>
  rest.length > 0 && subresource !== proxy ? undefined : resource.subresources.get(subresource);

const refuse = (error: StatusError): never => {
  throw error;
};

function nowhere({ nowhere: refusal }: UnknownPathRules): Routing {
  const error = refusal();
  return error === null ? { outcome: 'unknown' } : refuse(error);
}

/** The third segment after the version prefix: `/api/v1/watch/…`, `/apis/GROUP/VERSION/watch/…`. */
const hasWatchPrefix = ({ path, group }: ResourceInfo): boolean =>
  path.includes('/watch/') && path.split('/').filter((segment) => segment !== '')[group === '' ? 2 : 3] === 'watch';

/** `namespaces/NAME` counts as being inside itself; `namespaces/NAME/namespaces` is nowhere. */
const isItself = ({ path, namespace, name }: ResourceInfo): boolean =>
  name === namespace && !path.includes(`/namespaces/${namespace}/namespaces`);

/** Null: nowhere. */
function placeOf(info: ResourceInfo, resource: ServedResource): Place | null {
  // Who may go through proxies has been asked, and nothing of what the rest of the path would mean.
  if (info.verb === 'proxy') return null;
  const ofNamespaces = resource.resource === 'namespaces' && resource.group === '';
  // Permissions were looked up in the namespace of the path: nothing outside it may be reached through it.
  if (!resource.namespaced && info.namespace !== '' && !(ofNamespaces && isItself(info))) return null;
  const named = info.name !== '' && !collectionVerbs.has(info.verb);
  if (hasWatchPrefix(info)) {
    return info.subresource === '' ? 'watchPrefix' : null;
  }
  const inNoNamespace = resource.namespaced && info.namespace === '';
  if (info.subresource !== '') return inNoNamespace ? null : 'subresource';
  if (inNoNamespace) return named ? null : 'allNamespaces';
  return named ? 'object' : 'collection';
}

/** For these the name, if any, comes from a field selector and not from the path. */
const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** Null: nothing is there for any method. */
function verbAt(
  place: Place,
  method: string,
  info: ResourceInfo,
  { verbs, unknownPaths }: { readonly verbs: ReadonlySet<string>; readonly unknownPaths: UnknownPathRules },
): ResourceVerb | null {
  const methods = place === 'subresource' && info.subresource === proxy ? proxied : unknownPaths.methods[place];
  const verb = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (verb === undefined || !verbs.has(verb)) {
    if (place === 'allNamespaces' && unknownPaths.nowhere() === null) return null;
    throw unknownPaths.noMethod(
      info,
      Object.values(methods).some((each) => each !== undefined && verbs.has(each)),
    );
  }
  if (verb !== 'list' || info.verb !== 'watch') return verb;
  if (!verbs.has('watch')) throw methodNotSupported(info, 'watch');
  return 'watch';
}

function namespaceOf(info: ResourceInfo, resource: ServedResource): string | null {
  if (!resource.namespaced) return '';
  return info.namespace === '' ? null : info.namespace;
}

function checkName(name: string): void {
  const complaints = name === '' ? [] : pathSegmentName(name, false);
  if (complaints.length > 0) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${complaints.join(';')}`);
}
