import { apiVersionOf, qualifiedName, type GroupResource, type GroupVersion } from '../api/resource.js';
import { readCatalogueData } from './data.js';

/** What is served below one resource, for example `status`. Its body may be of another group and version (`Scale`). */
export interface Subresource extends GroupVersion {
  readonly name: string;
  readonly kind: string;
  readonly verbs: ReadonlySet<string>;
}

/** One resource type in one served version. */
export interface ServedResource extends GroupVersion {
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Where objects of this type are kept, and in which version: several served versions, and even groups, may share it. */
  readonly storage: StorageResource;
  /** Verbs that discovery lists, where those are fewer than are answered at all: of types that are about to go. */
  readonly listedVerbs?: ReadonlySet<string>;
  /** The version that is written to disk, where that is not the one of `storage`: for types whose storage converts (custom resources). */
  readonly writtenVersion?: string;
}

export interface StorageResource extends GroupResource, GroupVersion {
  readonly kind: string;
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** A group as clients see it: only served versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
  /** How paths in the group are answered at which nothing is served, and methods that are not; see `server/endpoints/routing.ts`. Default: `routed`. */
  readonly manners?: 'routed' | 'named';
}

export interface Catalogue {
  /** In the order of discovery; the core group (empty name) leads. What is served may change while the server runs: then this is another array. */
  readonly groups: readonly ServedGroup[];
  group(name: string): ServedGroup | null;
  version(group: string, version: string): ServedVersion | null;
  resource(group: string, version: string, resource: string): ServedResource | null;
  /** For owner references and other places that name kinds. */
  kind(group: string, version: string, kind: string): ServedResource | null;
}

export interface CatalogueOptions {
  /** Decides what is served, resource by resource; the default is what the release serves without configuration. A version without resources is not served. */
  readonly serves?: (resource: GroupVersion & GroupResource, servedByDefault: boolean) => boolean;
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

/** Types that are kept under the name of another one. Both groups of events are views of one set of objects, stored in the core form. */
const STORED_ELSEWHERE: Readonly<Record<string, StorageResource>> = {
  'events.k8s.io/events': { group: '', version: 'v1', resource: 'events', kind: 'Event' },
};

/** Builds the table of served resource types. Pure but for reading the data file. */
export const createCatalogue = ({ serves = (_, byDefault) => byDefault }: CatalogueOptions = {}): Catalogue => {
  return indexedCatalogue(readCatalogueData<GroupRow[]>('resources').flatMap((row) => servedGroup(row, serves)));
};

/** Finds things in groups. Pure. */
export function indexedCatalogue(groups: readonly ServedGroup[]): Catalogue {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const version = (group: string, name: string): ServedVersion | null =>
    byName.get(group)?.versions.find((candidate) => candidate.version === name) ?? null;
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

/** A catalogue whose groups may change: it asks for the present one each time. */
export const liveCatalogue = (present: () => Catalogue): Catalogue => ({
  get groups() {
    return present().groups;
  },
  group: (name) => present().group(name),
  version: (group, version) => present().version(group, version),
  resource: (group, version, resource) => present().resource(group, version, resource),
  kind: (group, version, kind) => present().kind(group, version, kind),
});

function servedGroup({ name, versions }: GroupRow, serves: NonNullable<CatalogueOptions['serves']>): ServedGroup[] {
  const served = versions
    .map(({ version, servedByDefault, resources }) => {
      const rows = resources.filter(([resource]) => serves({ group: name, version, resource }, servedByDefault));
      return { version, resources: rows.map((row) => servedResource(row, { group: name, version }, versions)) };
    })
    .filter(({ resources }) => resources.length > 0);
  return served.length === 0 ? [] : [{ name, versions: served }];
}

function servedResource(row: ResourceRow, groupVersion: GroupVersion, versions: GroupRow['versions']): ServedResource {
  const [resource, kind, singular, namespaced, verbs, shortNames, categories, subresources] = row;
  return {
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
    storage: storageOf(resource, kind, groupVersion.group, versions),
  };
}

const subresource = ([name, kind, verbs, group, version]: SubresourceRow, parent: GroupVersion): Subresource => ({
  name,
  kind,
  verbs: new Set(verbs.split(',')),
  group: group ?? parent.group,
  version: version ?? parent.version,
});

/** Versions are listed by preference, so the first one that has the resource is the stored one, whether or not it is served. */
function storageOf(resource: string, kind: string, group: string, versions: GroupRow['versions']): StorageResource {
  const elsewhere = STORED_ELSEWHERE[`${group}/${resource}`];
  if (elsewhere !== undefined) return elsewhere;
  const first = versions.find((row) => row.resources.some((entry) => entry[0] === resource));
  if (first === undefined) throw new Error(`resource ${resource} of ${group} has no version`);
  return { group, version: first.version, resource, kind };
}

/** Whether a resource is of the types that are compiled in, served or not. */
export const builtInResources = (): ((resource: GroupResource) => boolean) => {
  const kindOf = storedKinds();
  return (resource) => kindOf(resource) !== null;
};

/** Kinds of the built-in types in the form in which they are kept, by group and resource, whether they are served or not. */
export const storedKinds = (): ((resource: GroupResource) => string | null) => {
  const served = createCatalogue({ serves: () => true }).groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
  const kinds = new Map(served.map(({ storage: { group, resource, kind } }) => [`${group}/${resource}`, kind]));
  return ({ group, resource }) => kinds.get(`${group}/${resource}`) ?? null;
};

/** Where objects of what is served are kept, each place once. */
export function storedResources({ groups }: Pick<Catalogue, 'groups'>): readonly GroupResource[] {
  const stored = groups
    .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .filter(({ verbs }) => verbs.has('get') && verbs.has('list'))
    .map(({ storage }) => storage);
  return [...new Map(stored.map((each) => [qualifiedName(each), each])).values()];
}
