import type { KubeObject } from '../../../api/meta/object.js';

export interface Call {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  /** Plural, with its group: `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for collections; `prefix*` for generated names. */
  readonly name: string;
}

const verbs: Readonly<Record<string, readonly [one: Call['verb'], collection: Call['verb']]>> = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};
const ofNamespaces: ReadonlySet<string> = new Set(['status', 'finalize']);
/** They come by a program's own clock, or store nothing. */
const uncounted = /^(leases\.coordination\.k8s\.io|events(\.events\.k8s\.io)?|.*reviews\.(authentication|authorization)\.k8s\.io)$/;

/** Returns null for requests that are not counted. `body` is parsed JSON. */
export function readCall(method: string, url: string, body: unknown): Call | null {
  const { pathname, searchParams } = new URL(url, 'https://localhost');
  const [root, ...segments] = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const group = root === 'apis' ? (segments.shift() ?? '') : '';
  const version = segments.shift();
  const [forOne, forAll] = verbs[method] ?? [];
  if ((root !== 'api' && root !== 'apis') || version === undefined || segments.length === 0 || !forOne || !forAll) return null;
  const isInside = segments[0] === 'namespaces' && segments.length > 2 && !ofNamespaces.has(segments[2]!);
  const namespace = isInside ? segments[1]! : '';
  const [plural = '', named = '', subresource = ''] = isInside ? segments.slice(2) : segments;
  const resource = group === '' ? plural : `${plural}.${group}`;
  if (uncounted.test(resource)) return null;
  const isWatch = /^(1|t|true)$/i.test(searchParams.get('watch') ?? '');
  const verb = method === 'GET' && isWatch ? 'watch' : named === '' ? forAll : forOne;
  const { metadata } = (typeof body === 'object' && body !== null ? body : {}) as Partial<KubeObject>;
  const made = metadata?.name ?? (metadata?.generateName === undefined ? '' : `${metadata.generateName}*`);
  return { verb, resource, subresource, namespace, name: named || (verb === 'create' ? made : '') };
}

export const isWrite = ({ verb }: Pick<Call, 'verb'>): boolean => verb !== 'get' && verb !== 'list' && verb !== 'watch';

export function callText({ verb, resource, subresource, namespace, name }: Call): string {
  const object = namespace === '' ? name : `${namespace}/${name}`;
  return `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}${object === '' ? '' : ` ${object}`}`;
}
