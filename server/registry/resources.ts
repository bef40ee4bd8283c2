import { apiVersionOf, qualifiedName, type GroupResource, type GroupVersion } from '../../api/resource.js';
import { readCatalogueData } from '../../api/catalogue/data.js';
import type { Behaviour } from './behaviour.js';

/** Its body may be of another group and version (`Scale`). */
export interface Subresource extends GroupVersion {
  readonly name: string;
  readonly kind: string;
  readonly verbs: ReadonlySet<string>;
}

export interface ResourceNames extends GroupVersion {
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Several served versions, and even groups, may share it. */
  readonly storage: StorageResource;
  /** The verbs in discovery, where fewer than supported. */
  readonly listedVerbs?: ReadonlySet<string>;
  /** The version on disk, where it is not that of `storage`. */
  readonly writtenVersion?: string;
}

export interface ServedResource extends ResourceNames {
  readonly behaviour: Behaviour;
}

export interface StorageResource extends GroupResource, GroupVersion {
  readonly kind: string;
}

export interface ServedVersion<R extends ResourceNames = ServedResource> {
  readonly version: string;
  readonly resources: readonly R[];
}

/** A group as clients see it: only served versions, the preferred one first. */
export interface ServedGroup<R extends ResourceNames = ServedResource> {
  readonly name: string;
  readonly versions: readonly ServedVersion<R>[];
  /** See `server/endpoints/routing.ts`. Default: `routed`. */
  readonly unknownPaths?: 'routed' | 'named';
}

export interface Catalogue {
  /** The core group leads. The array is replaced when the served resources change. */
  readonly groups: readonly ServedGroup[];
  group(name: string): ServedGroup | null;
  version(group: string, version: string): ServedVersion | null;
  resource(group: string, version: string, resource: string): ServedResource | null;
  kind(group: string, version: string, kind: string): ServedResource | null;
}

/** A version without resources is not served. */
export type Serves = (resource: GroupVersion & GroupResource, servedByDefault: boolean) => boolean;

export interface BuiltInTypes {
  readonly serves: Serves;
  readonly viewOf: (name: string) => string;
  readonly behaviour: (names: ResourceNames) => Behaviour;
  readonly writtenVersion: (storage: StorageResource, versions: readonly GroupVersion[]) => string;
}

type SubresourceRow = [name: string, kind: string, verbs: string, group?: string, version?: string];
type ResourceRow = [
  resource: string,
  kind: string,
  singular: string,
  namespaced: boolean,
  verbs: string,
  shortNames: string[],
  categories: string[],
  subresources: SubresourceRow[],
];
interface GroupRow {
  name: string;
  versions: { version: string; servedByDefault: boolean; resources: ResourceRow[] }[];
}

/** Builds the table of built-in resource types. Pure except that it reads the data file. */
export function builtInCatalogue(types: BuiltInTypes): Catalogue {
  const rows = readCatalogueData<GroupRow[]>('resources');
  const building = { ...types, stored: storedVersions(rows) };
  return indexedCatalogue(rows.flatMap((row) => servedGroup(row, building)));
}

/** Plain data that may travel to another thread. */
export const namesIn = (groups: readonly ServedGroup[]): ServedGroup<ResourceNames>[] =>
  groups.map((group) => ({
    ...group,
    versions: group.versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(({ behaviour: _, ...names }) => names),
    })),
  }));

/** Indexes groups for look-ups. Pure. */
export function indexedCatalogue(groups: readonly ServedGroup[]): Catalogue {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const version = (group: string, version: string): ServedVersion | null =>
    byName.get(group)?.versions.find((candidate) => candidate.version === version) ?? null;
  const resources = groups.flatMap((group) => group.versions.flatMap((served) => served.resources));
  const byPath = new Map(resources.map((entry) => [`${apiVersionOf(entry)} ${entry.resource}`, entry]));
  const byKind = new Map(resources.map((entry) => [`${apiVersionOf(entry)} ${entry.kind}`, entry]));
  return {
    groups,
    group: (name) => byName.get(name) ?? null,
    version,
    resource: (group, name, resource) => byPath.get(`${apiVersionOf({ group, version: name })} ${resource}`) ?? null,
    kind: (group, name, kind) => byKind.get(`${apiVersionOf({ group, version: name })} ${kind}`) ?? null,
  };
}

export const liveCatalogue = (present: () => Catalogue): Catalogue => ({
  get groups() {
    return present().groups;
  },
  group: (name) => present().group(name),
  version: (group, version) => present().version(group, version),
  resource: (group, version, resource) => present().resource(group, version, resource),
  kind: (group, version, kind) => present().kind(group, version, kind),
});

interface Building extends BuiltInTypes {
  readonly stored: StoredVersions;
}

function servedGroup({ name, versions }: GroupRow, types: Building): ServedGroup[] {
  const served = versions
    .map(({ version, servedByDefault, resources }) => {
      const rows = resources.filter(([resource]) => types.serves({ group: name, version, resource }, servedByDefault));
      return { version, resources: rows.map((row) => servedResource(row, { group: name, version }, types)) };
    })
    .filter(({ resources }) => resources.length > 0);
  return served.length === 0 ? [] : [{ name, versions: served }];
}

function servedResource(
  row: ResourceRow,
  groupVersion: GroupVersion,
  { viewOf, behaviour, writtenVersion, stored }: Building,
): ServedResource {
  const [resource, kind, singular, namespaced, verbs, shortNames, categories, subresources] = row;
  const storedName = viewOf(qualifiedName({ group: groupVersion.group, resource }));
  const all = stored.get(storedName);
  if (all === undefined) throw new Error(`broken invariant: resource ${storedName} has no version`);
  const [storage] = all;
  const written = writtenVersion(storage, all);
  const names: ResourceNames = {
    ...groupVersion,
    resource,
    kind,
    listKind: `${kind}List`,
    singular,
    namespaced,
    verbs: new Set(verbs.split(',')),
    shortNames,
    categories,
    subresources: new Map(subresources.map((entry) => [entry[0], subresource(entry, groupVersion)])),
    storage,
    ...(written === storage.version ? {} : { writtenVersion: written }),
  };
  return { ...names, behaviour: behaviour(names) };
}

const subresource = ([name, kind, verbs, group, version]: SubresourceRow, parent: GroupVersion): Subresource => ({
  name,
  kind,
  verbs: new Set(verbs.split(',')),
  group: group ?? parent.group,
  version: version ?? parent.version,
});

type StoredVersions = ReadonlyMap<string, readonly [StorageResource, ...StorageResource[]]>;

/** The first version, served or not, is the storage version. */
function storedVersions(rows: readonly GroupRow[]): StoredVersions {
  const found = new Map<string, [StorageResource, ...StorageResource[]]>();
  for (const { name: group, versions } of rows)
    for (const { version, resources } of versions)
      for (const [resource, kind] of resources) {
        const stored: StorageResource = { group, version, resource, kind };
        const others = found.get(qualifiedName(stored));
        if (others === undefined) found.set(qualifiedName(stored), [stored]);
        else others.push(stored);
      }
  return found;
}

export function storedResources({ groups }: Pick<Catalogue, 'groups'>): readonly GroupResource[] {
  const stored = groups
    .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .filter(({ verbs }) => verbs.has('get') && verbs.has('list'))
    .map(({ storage }) => storage);
  return [...new Map(stored.map((each) => [qualifiedName(each), each])).values()];
}
