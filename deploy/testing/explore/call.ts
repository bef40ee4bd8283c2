import { isObject } from '../../../api/json/json.js';
import { locksElection } from '../../../api/meta/election.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { requestInfo, type Verb } from '../../../api/requestInfo.js';

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const satisfies readonly Verb[];

export interface Call {
  readonly verb: (typeof verbs)[number];
  /** Plural, with its group: `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for collections; `prefix*` for generated names. */
  readonly name: string;
}

/** They come by a program's own clock, or store nothing. */
const uncounted = /^(leases\.coordination\.k8s\.io|events(\.events\.k8s\.io)?|.*reviews\.(authentication|authorization)\.k8s\.io)$/;

export const nameIn = (object: unknown): string => metadataOf(object)?.name ?? '';

const metadataOf = (object: unknown): Partial<KubeObject>['metadata'] =>
  isObject<Partial<KubeObject>>(object) ? object.metadata : undefined;

export const isElection = (object: unknown): boolean => locksElection(metadataOf(object));

/** Returns null for uncounted requests. `body` is parsed JSON. */
export function readCall(method: string, url: string, body: unknown): Call | null {
  const { pathname, searchParams } = new URL(url, 'https://localhost');
  const read = requestInfo(method, decodeURIComponent(pathname), searchParams);
  if (!read.ok || !read.info.isResource || !isVerb(read.info.verb)) return null;
  const { verb, group, resource: plural, subresource, namespace, name } = read.info;
  const resource = group === '' ? plural : `${plural}.${group}`;
  if (uncounted.test(resource) || isElection(body)) return null;
  const metadata = metadataOf(body);
  const made = metadata?.name ?? (metadata?.generateName === undefined ? '' : `${metadata.generateName}*`);
  const isNamespace = resource === 'namespaces';
  return { verb, resource, subresource, namespace: isNamespace ? '' : namespace, name: name || (verb === 'create' ? made : '') };
}

const isVerb = (verb: Verb): verb is Call['verb'] => (verbs as readonly Verb[]).includes(verb);

export const isWrite = ({ verb }: Pick<Call, 'verb'>): boolean => verb !== 'get' && verb !== 'list' && verb !== 'watch';

export function callText({ verb, resource, subresource, namespace, name }: Call): string {
  const object = namespace === '' ? name : `${namespace}/${name}`;
  return `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}${object === '' ? '' : ` ${object}`}`;
}
