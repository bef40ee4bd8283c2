import { badRequest, methodNotAllowed, methodNotSupported, pathNotFound } from '../api/status.js';
import type { Catalogue, ServedResource, Subresource } from '../catalogue/resources.js';
import { pathSegmentName } from '../registry/validation/names.js';
import type { RequestContext, RequestInfo } from './context.js';

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
  /** No version of this group is served: the answer is a plain page, since nobody knows how the group's errors look. */
  | { readonly outcome: 'unknownGroup' };

/** Where the path points, which decides what its methods mean. */
type Place = 'allNamespaces' | 'collection' | 'object' | 'subresource' | 'watchPrefix';

/** Methods at each place, and the verb that a resource type must list for the method to be served there. */
const METHODS: Readonly<Record<Place, Readonly<Partial<Record<string, ResourceVerb>>>>> = {
  allNamespaces: { GET: 'list' },
  collection: { GET: 'list', POST: 'create', DELETE: 'deletecollection' },
  object: { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  subresource: { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  watchPrefix: { GET: 'watch' },
};

/** Throws 404 where nothing is served at the path and 405 where something is, but not for this method. */
export function route(context: Pick<RequestContext, 'request'>, info: ResourceInfo, catalogue: Catalogue): Routing {
  const group = catalogue.group(info.group);
  if (group === null) return { outcome: 'unknownGroup' };
  const resource = catalogue.resource(info.group, info.version, info.resource);
  if (resource === null) throw pathNotFound();
  const subresource = info.subresource === '' ? null : resource.subresources.get(info.subresource) ?? refuse();
  const place = placeOf(info, resource);
  const verb = verbAt(place, context.request.method ?? '', info, (subresource ?? resource).verbs);
  const name = place === 'object' || place === 'subresource' || place === 'watchPrefix' ? info.name : '';
  checkName(name);
  return { outcome: 'route', route: { resource, subresource, verb, name, namespace: namespaceOf(info, resource), rest: info.rest } };
}

const refuse = (): never => { throw pathNotFound(); };

/** The third segment after the version prefix: `/api/v1/watch/…`, `/apis/GROUP/VERSION/watch/…`. */
const hasWatchPrefix = ({ path, group }: ResourceInfo): boolean => path.includes('/watch/') && path.split('/').filter(segment => segment !== '')[group === '' ? 2 : 3] === 'watch';

/** `namespaces/NAME` counts as being inside itself; `namespaces/NAME/namespaces` is nowhere. */
const isItself = ({ path, namespace, name }: ResourceInfo): boolean => name === namespace && !path.includes(`/namespaces/${namespace}/namespaces`);

function placeOf(info: ResourceInfo, resource: ServedResource): Place {
  const ofNamespaces = resource.resource === 'namespaces' && resource.group === '';
  // Permissions were looked up in the namespace of the path: nothing outside it may be reached through it.
  if (!resource.namespaced && info.namespace !== '' && !(ofNamespaces && isItself(info))) throw pathNotFound();
  const named = info.name !== '' && !COLLECTION_VERBS.has(info.verb);
  if (hasWatchPrefix(info)) {
    if (info.subresource !== '') throw pathNotFound();
    return 'watchPrefix';
  }
  if (info.subresource !== '') return 'subresource';
  if (resource.namespaced && info.namespace === '') return named ? refuse() : 'allNamespaces';
  return named ? 'object' : 'collection';
}

/** For these the name, if any, comes from a field selector and not from the path. */
const COLLECTION_VERBS: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

function verbAt(place: Place, method: string, info: ResourceInfo, verbs: ReadonlySet<string>): ResourceVerb {
  const verb = Object.hasOwn(METHODS[place], method) ? METHODS[place][method] : undefined;
  if (verb === undefined || !verbs.has(verb)) throw Object.values(METHODS[place]).some(each => each !== undefined && verbs.has(each)) ? methodNotAllowed() : pathNotFound();
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
