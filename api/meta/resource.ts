import type { KubeObject } from './object.js';

/** A resource type in one served version. `T` is the shape of its objects; nothing at run time depends on it. */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: ties the shape to the description. */
  readonly shape?: T;
}

/** `v1` for the core group, `group/version` otherwise. */
export const apiVersionOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** What an `apiVersion` names; the core group has no slash. */
export function groupVersionOf(apiVersion: string): Pick<Resource, 'group' | 'version'> {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
export const groupOf = (apiVersion: string): string => groupVersionOf(apiVersion).group;

/** `pods`, or `deployments.apps`: a type whatever its version, as messages name it. */
export const groupResourceOf = ({ group, resource }: Pick<Resource, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`;

/** A type as people write it. */
export interface ResourceWords {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** As paths name it: `pods`. */
  readonly resource: string;
  readonly kind: string;
  /** Whether its objects are in namespaces. Default: yes. */
  readonly namespaced?: boolean;
}

/** Describes a type: `resource<Pod>({ apiVersion: 'v1', resource: 'pods', kind: 'Pod' })`. */
export const resource = <T extends KubeObject>({ apiVersion, resource: plural, kind, namespaced = true }: ResourceWords): Resource<T> => ({
  ...groupVersionOf(apiVersion),
  resource: plural,
  kind,
  namespaced,
});

/** Where one type, or one object of it, is served. An empty namespace of a namespaced type means all namespaces. */
export function pathOf(
  type: Resource,
  at: { readonly namespace?: string; readonly name?: string; readonly subresource?: string } = {},
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const namespace = type.namespaced && at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  const name = at.name ? `/${encodeURIComponent(at.name)}` : '';
  return `${root}${namespace}/${type.resource}${name}${at.subresource ? `/${at.subresource}` : ''}`;
}
