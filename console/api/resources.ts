import type { ApiClient } from './client.js';

/** A resource that the server serves. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

interface DiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope?: string;
        readonly verbs?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Returns all listable resources, in the preferred version of each group, core first. */
export async function discover(client: ApiClient): Promise<readonly Resource[]> {
  const lists = await Promise.all(['/api', '/apis'].map((path) => client.json<DiscoveryList>(path, { accept: aggregated })));
  const found = new Map<string, Resource>();
  for (const { items = [] } of lists)
    for (const { metadata, versions = [] } of items)
      for (const { version, resources = [] } of versions)
        for (const { resource, responseKind, scope, verbs = [], subresources = [] } of resources) {
          const group = metadata?.name ?? '';
          if (!verbs.includes('list') || found.has(`${group}/${resource}`)) continue;
          found.set(`${group}/${resource}`, {
            group,
            version,
            resource,
            kind: responseKind?.kind ?? resource,
            namespaced: scope === 'Namespaced',
            verbs,
            subresources: subresources.map((each) => each.subresource),
          });
        }
  return [...found.values()];
}

/** The core group has no slash. */
export function groupVersionOf(apiVersion: string): Pick<Resource, 'group' | 'version'> {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}

/** Returns the resource of a kind in any version of its group. */
export function resourceOfKind(resources: readonly Resource[], apiVersion: string, kind: string): Resource | undefined {
  const { group } = groupVersionOf(apiVersion);
  return resources.find((each) => each.group === group && each.kind === kind);
}

const rootOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** Includes all namespaces. */
export const collectionPathOf = (resource: Pick<Resource, 'group' | 'version' | 'resource'>): string =>
  `${rootOf(resource)}/${resource.resource}`;

/** Returns the path of a collection or of an object in it. `namespace` is empty for all namespaces. */
export function pathOf({ group, version, resource, namespaced }: Resource, namespace = '', name = ''): string {
  const base = rootOf({ group, version });
  const within = namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${base}${within}/${resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}
