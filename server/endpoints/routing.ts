import { badRequest, methodNotAllowed, methodNotSupported, notFound, pathNotFound, type StatusError } from '../../api/status.js';
import type { Catalogue, ServedGroup, ServedResource, Subresource } from '../registry/resources.js';
import { pathSegmentName } from '../registry/validation/names.js';
import type { Deprecation } from '../registry/behaviour.js';
import type { RequestContext } from './context.js';
import type { RequestInfo } from '../../api/requestInfo.js';

export type ResourceInfo = Extract<RequestInfo, { isResource: true }>;

export type ResourceVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface Route {
  readonly resource: ServedResource;
  readonly subresource: Subresource | null;
  readonly verb: ResourceVerb;
  /** Empty for cluster-scoped types, null for all namespaces. */
  readonly namespace: string | null;
  /** Empty for collections; the watched object below the older path prefix. */
  readonly name: string;
  readonly rest: readonly string[];
}

export type Routing =
  | { readonly outcome: 'route'; readonly route: Route }
  /** The format of errors is unknown, too. */
  | { readonly outcome: 'unknown' };

type Place = 'allNamespaces' | 'collection' | 'object' | 'subresource' | 'watchPrefix';

type Methods = Readonly<Record<Place, Readonly<Partial<Record<string, ResourceVerb>>>>>;

const methods: Methods = {
  allNamespaces: { GET: 'list' },
  collection: { GET: 'list', POST: 'create', DELETE: 'deletecollection' },
  object: { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  subresource: { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  watchPrefix: { GET: 'watch' },
};

/** Methods below it are the backend's. */
const proxy = 'proxy';
const proxied: Readonly<Partial<Record<string, ResourceVerb>>> = { ...methods.subresource, HEAD: 'get', OPTIONS: 'get' };

/** Compiled-in types have routes; others resolve names dynamically. */
interface UnknownPathRules {
  readonly methods: Methods;
  /** The path is unknown: null for a plain page. */
  readonly nowhere: () => StatusError | null;
  readonly noSubresource: (info: ResourceInfo) => StatusError;
  readonly noMethod: (info: ResourceInfo, otherMethodsServed: boolean) => StatusError;
}

const namedVerbs: ReadonlySet<string> = new Set(['update', 'patch']);

const unknownPathTexts: Readonly<Record<NonNullable<ServedGroup['unknownPaths']>, UnknownPathRules>> = {
  routed: {
    methods: methods,
    nowhere: pathNotFound,
    noSubresource: pathNotFound,
    noMethod: (_, others) => (others ? methodNotAllowed() : pathNotFound()),
  },
  named: {
    // A creation's name in the path counts as the object's.
    methods: { ...methods, object: { ...methods.object, POST: 'create' } },
    nowhere: () => null,
    noSubresource: (info) => notFound(info, info.name),
    noMethod: (info) =>
      info.name === '' && namedVerbs.has(info.verb) ? badRequest('name must be provided') : methodNotSupported(info, info.verb),
  },
};

/** Throws 404 for an unknown path and 405 for an unsupported method. As in the reference, refusals also announce deprecated custom resources. */
export function route(context: Pick<RequestContext, 'request' | 'warnings' | 'audit'>, info: ResourceInfo, catalogue: Catalogue): Routing {
  const group = catalogue.group(info.group);
  if (group === null) return { outcome: 'unknown' };
  const unknownPaths = unknownPathTexts[group.unknownPaths ?? 'routed'];
  const resource = catalogue.resource(info.group, info.version, info.resource);
  const place = resource === null ? null : placeOf(info, resource);
  if (resource === null || place === null) return nowhere(unknownPaths);
  const { deprecation, selfDescribed } = resource.behaviour;
  if (selfDescribed) announce(context, deprecation);
  const subresource = info.subresource === '' ? null : (subresourceOf(resource, info) ?? refuse(unknownPaths.noSubresource(info)));
  const verb = verbAt(place, context.request.method ?? '', info, { verbs: (subresource ?? resource).verbs, unknownPaths });
  if (verb === null) return nowhere(unknownPaths);
  const name = place === 'object' || place === 'subresource' || place === 'watchPrefix' ? info.name : '';
  checkName(name);
  if (!selfDescribed) announce(context, deprecation);
  return { outcome: 'route', route: { resource, subresource, verb, name, namespace: namespaceOf(info, resource), rest: info.rest } };
}

function announce(context: Pick<RequestContext, 'warnings' | 'audit'>, deprecation: Deprecation | null): void {
  if (deprecation === null) return;
  context.warnings.push(deprecation.text);
  context.audit?.annotate('k8s.io/deprecated', 'true');
}

/** Only proxied requests have a path below the subresource. */
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

/** `namespaces/NAME` counts as inside itself; `namespaces/NAME/namespaces` does not exist. */
const isItself = ({ path, namespace, name }: ResourceInfo): boolean =>
  name === namespace && !path.includes(`/namespaces/${namespace}/namespaces`);

/** Null: nowhere. */
function placeOf(info: ResourceInfo, resource: ServedResource): Place | null {
  // Only the proxy verb is authorized.
  if (info.verb === 'proxy') return null;
  const ofNamespaces = resource.resource === 'namespaces' && resource.group === '';
  // Permissions were checked in the namespace of the path.
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

/** The name, if any, comes from a field selector instead of the path. */
const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

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
  const problems = name === '' ? [] : pathSegmentName(name, false);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems.join(';')}`);
}
