import type { KubeObject } from './object.js';

/** A resource type in one served version. `T`, the type of its objects, has no effect at run time. */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set; binds the type parameter. */
  readonly shape?: T;
}

/** Returns `v1` for the core group, otherwise `group/version`. */
export const apiVersionOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** The core group has no slash. */
export function groupVersionOf(apiVersion: string): Pick<Resource, 'group' | 'version'> {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
export const groupOf = (apiVersion: string): string => groupVersionOf(apiVersion).group;

/** Returns `pods` or `deployments.apps`, as in messages. */
export const groupResourceOf = ({ group, resource }: Pick<Resource, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`;

export interface ResourceWords {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** The plural name. */
  readonly resource: string;
  readonly kind: string;
  /** Default: true. */
  readonly namespaced?: boolean;
}

/** Describes a type: `resource<Pod>({ apiVersion: 'v1', resource: 'pods', kind: 'Pod' })`. */
export const resource = <T extends KubeObject>({ apiVersion, resource: plural, kind, namespaced = true }: ResourceWords): Resource<T> => ({
  ...groupVersionOf(apiVersion),
  resource: plural,
  kind,
  namespaced,
});

/** An empty namespace of a namespaced type means all namespaces. */
export function pathOf(
  type: Resource,
  at: { readonly namespace?: string; readonly name?: string; readonly subresource?: string } = {},
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const namespace = type.namespaced && at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  const name = at.name ? `/${encodeURIComponent(at.name)}` : '';
  return `${root}${namespace}/${type.resource}${name}${at.subresource ? `/${at.subresource}` : ''}`;
}
