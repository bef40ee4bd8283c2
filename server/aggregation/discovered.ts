import type { JsonObject } from '../../api/object.js';
import { compareVersions } from '../extensions/versions.js';
import { itemsOf, textAt } from '../../api/json/members.js';
import type { ServedGroup } from '../registry/resources.js';
import type { ApiService } from './apiServices.js';

/** A version of a group that another program serves, for documents of discovery. */
export interface RemoteVersion {
  readonly version: string;
  /** Entries of its list of resources as the program gives it. */
  readonly resources: readonly JsonObject[];
  /** The program cannot be asked at present: it may serve something else. */
  readonly stale: boolean;
}

/** Groups with versions that the catalogue does not have: all of them in the order of clients' preference, and what is known of those of others. */
export interface RemoteGroup {
  readonly name: string;
  readonly priority: number;
  /** Names of all versions, also those that this server serves itself. */
  readonly versions: readonly string[];
  readonly remote: ReadonlyMap<string, RemoteVersion>;
}

/** Pure. `known` has what programs were found to serve, by names of API services. */
export function remoteGroups(
  services: readonly ApiService[],
  own: readonly ServedGroup[],
  known: ReadonlyMap<string, Omit<RemoteVersion, 'version'>>,
): RemoteGroup[] {
  const names = new Set(services.filter(({ target }) => target !== null).map(({ group }) => group));
  return [...names]
    .map((name) => {
      const members = services.filter(({ group }) => group === name);
      const served = own.find((group) => group.name === name)?.versions.map(({ version }) => version) ?? [];
      const priorities = new Map<string, number>([
        ...served.map((version) => [version, 0] as const),
        ...members
          .filter(({ target, version }) => target !== null || served.includes(version))
          .map(({ version, versionPriority }) => [version, versionPriority] as const),
      ]);
      const versions = [...priorities].sort(([a, x], [b, y]) => y - x || compareVersions(a, b)).map(([version]) => version);
      const remote = members
        .filter(({ target }) => target !== null)
        .map(({ name: service, version }) => [version, { version, resources: [], stale: true, ...known.get(service) }] as const);
      return { name, priority: Math.max(...members.map(({ groupPriority }) => groupPriority)), versions, remote: new Map(remote) };
    })
    .sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
}

/** A list of resources as it stands in aggregated discovery: subresources stand below what they belong to. Pure. */
export function aggregatedResources(
  resources: readonly JsonObject[],
  own: { readonly group: string; readonly version: string },
): JsonObject[] {
  const [main, below] = [
    resources.filter((each) => !textAt(each, 'name').includes('/')),
    resources.filter((each) => textAt(each, 'name').includes('/')),
  ];
  const kindOf = (entry: JsonObject): JsonObject => ({
    group: textAt(entry, 'group') || own.group,
    version: textAt(entry, 'version') || own.version,
    kind: textAt(entry, 'kind'),
  });
  const texts = (entry: JsonObject, member: string): JsonObject =>
    itemsOf(entry[member]).length === 0 ? {} : { [member]: itemsOf(entry[member]).map(String) };
  return main.map((entry) => {
    const name = textAt(entry, 'name');
    const subresources = below
      .filter((each) => textAt(each, 'name').startsWith(`${name}/`))
      .map((each) => ({
        subresource: textAt(each, 'name').slice(name.length + 1),
        responseKind: kindOf(each),
        verbs: itemsOf(each['verbs']).map(String),
      }));
    return {
      resource: name,
      responseKind: kindOf(entry),
      scope: entry['namespaced'] === true ? 'Namespaced' : 'Cluster',
      singularResource: textAt(entry, 'singularName'),
      verbs: itemsOf(entry['verbs']).map(String),
      ...texts(entry, 'shortNames'),
      ...texts(entry, 'categories'),
      ...(subresources.length === 0 ? {} : { subresources }),
    };
  });
}
