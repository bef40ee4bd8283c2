import type { Api } from './api.js';
import { apiVersionOf, type Resource } from '../../api/meta/resource.js';

export interface DiscoveredType extends Resource {
  /** The resource's singular name, guessed from the kind if the server omits it. */
  readonly singular: string;
  readonly verbs: ReadonlySet<string>;
}

export interface Discovery {
  /** Each type once, in the version that the server prefers. */
  readonly types: readonly DiscoveredType[];
  readonly all: readonly DiscoveredType[];
  /** Group versions with unknown types, because their server does not answer. */
  readonly failed: readonly string[];
}

interface GroupDocument {
  readonly metadata: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly {
      readonly resource: string;
      readonly singularResource?: string;
      readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string };
      readonly scope?: string;
      readonly verbs?: readonly string[];
    }[];
  }[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Reads everything that a server serves, in two requests. */
export async function discover(api: Api): Promise<Discovery> {
  const documents = await Promise.all(
    ['/api', '/apis'].map((path) => api.read<{ readonly items?: readonly GroupDocument[] }>(path, { accept: aggregated })),
  );
  const versions = documents
    .flatMap(({ items = [] }) => items)
    .flatMap(({ metadata, versions: served = [] }) => served.map((version) => ({ group: metadata.name ?? '', ...version })));
  const all = versions.flatMap(({ group, version, resources = [] }) =>
    resources.map((entry) => ({
      // A body of another group's version names it in its response kind; the path has the group.
      group,
      version,
      resource: entry.resource,
      singular: entry.singularResource || (entry.responseKind?.kind ?? '').toLowerCase(),
      kind: entry.responseKind?.kind ?? '',
      namespaced: entry.scope === 'Namespaced',
      verbs: new Set(entry.verbs ?? []),
    })),
  );
  const seen = new Set<string>();
  const types = all.filter(({ group, resource }) => !seen.has(`${resource}.${group}`) && seen.add(`${resource}.${group}`));
  return { types, all, failed: versions.filter(({ freshness }) => freshness === 'Stale').map(apiVersionOf) };
}

export const deletableTypes = ({ types }: Discovery): readonly DiscoveredType[] =>
  types.filter(({ verbs }) => ['delete', 'list', 'watch'].every((verb) => verbs.has(verb)));
