import { createHash } from 'node:crypto';
import { aggregatedResources, type RemoteGroup } from '../aggregation/discovered.js';
import type { JsonObject } from '../../api/object.js';
import { apiVersionOf, type GroupVersion } from '../../api/resource.js';
import type { Catalogue, ServedGroup, ServedResource, ServedVersion, Subresource } from '../registry/resources.js';

/** The documents that tell clients what is served. Pure functions of the catalogue. */

/** `/api`: versions of the core group, and where this server is reached. */
export const coreVersions = (catalogue: Catalogue, serverAddress: string): JsonObject => ({
  kind: 'APIVersions',
  versions: (catalogue.group('')?.versions ?? []).map(({ version }) => version),
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});

/** `/apis`: all groups but the core group. Those that only other programs serve come last. */
export const groupList = (catalogue: Catalogue, remote: readonly RemoteGroup[] = []): JsonObject => {
  const own = namedGroups(catalogue);
  const groups = own.map((group) => remoteMembers(remote.find(({ name }) => name === group.name)) ?? groupMembers(group));
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...groups, ...foreignGroups(own, remote).map((group) => remoteMembers(group) ?? {})],
  };
};

const foreignGroups = (own: readonly ServedGroup[], remote: readonly RemoteGroup[]): RemoteGroup[] =>
  remote.filter(({ name }) => !own.some((group) => group.name === name));

/** The same for a group of which other programs serve versions. */
export const remoteGroupDocument = (group: RemoteGroup): JsonObject => ({ kind: 'APIGroup', apiVersion: 'v1', ...remoteMembers(group) });

function remoteMembers(group: RemoteGroup | undefined): JsonObject | null {
  return group === undefined ? null : membersOf(group.name, group.versions);
}

/** `/apis/GROUP`. */
export const groupDocument = (group: ServedGroup): JsonObject => ({ kind: 'APIGroup', apiVersion: 'v1', ...groupMembers(group) });

const namedGroups = ({ groups }: Catalogue): ServedGroup[] => groups.filter(({ name }) => name !== '');

const groupMembers = ({ name, versions }: ServedGroup): JsonObject =>
  membersOf(
    name,
    versions.map(({ version }) => version),
  );

function membersOf(name: string, versions: readonly string[]): JsonObject {
  const listed = versions.map((version) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: listed, ...(listed[0] === undefined ? {} : { preferredVersion: listed[0] }) };
}

/** `/api/v1` and `/apis/GROUP/VERSION`. */
export const resourceList = (group: string, { version, resources }: ServedVersion, hashes = true): JsonObject => ({
  kind: 'APIResourceList',
  ...(group === '' ? {} : { apiVersion: 'v1' }),
  groupVersion: apiVersionOf({ group, version }),
  resources: resources.flatMap((resource) => [
    resourceEntry(resource, hashes),
    ...[...resource.subresources.values()].map((each) => subresourceEntry(resource, each)),
  ]),
});

function resourceEntry(resource: ServedResource, hashes: boolean): JsonObject {
  const { resource: name, singular, namespaced, kind, verbs, listedVerbs = verbs, shortNames, categories } = resource;
  return {
    name,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...listedVerbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(hashes && isStored(resource) ? { storageVersionHash: storageVersionHash(resource) } : {}),
  };
}

const subresourceEntry = (parent: ServedResource, { name, group, version, kind, verbs }: Subresource): JsonObject => ({
  name: `${parent.resource}/${name}`,
  singularName: '',
  namespaced: parent.namespaced,
  ...foreign({ group, version }, { own: parent }),
  kind,
  verbs: [...verbs],
});

/** Group and version are named only where they are not those of the document. */
const foreign = (named: GroupVersion, { own }: { readonly own: GroupVersion }): JsonObject =>
  own.group === named.group && own.version === named.version ? {} : { group: named.group, version: named.version };

const isStored = ({ verbs }: ServedResource): boolean => verbs.has('get') && verbs.has('update');

/** Tells clients when the stored form of a type changes: eight bytes of a hash of its group, version and kind. */
const storageVersionHash = ({ storage: { group, version: stored, kind }, writtenVersion = stored }: ServedResource): string =>
  createHash('sha256').update(`${group}/${writtenVersion}/${kind}`).digest().subarray(0, 8).toString('base64');

/** All of the above for one root in one document: `/api` or `/apis` with `as=APIGroupDiscoveryList`. */
export const aggregated = (groups: readonly ServedGroup[], remote: readonly RemoteGroup[] = []): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    ...groups.map((group) =>
      aggregatedGroup(
        group,
        remote.find(({ name }) => name === group.name),
      ),
    ),
    ...foreignGroups(groups, remote).map((group) => aggregatedGroup({ name: group.name, versions: [] }, group)),
  ],
});

export const coreGroups = ({ groups }: Catalogue): ServedGroup[] => groups.filter(({ name }) => name === '');
export { namedGroups };

function aggregatedGroup(
  { name, versions, unknownPaths = 'routed' }: Pick<ServedGroup, 'name' | 'versions' | 'unknownPaths'>,
  others: RemoteGroup | undefined,
): JsonObject {
  const kindOf = responseKinds[unknownPaths];
  const own = versions.map(({ version, resources }): JsonObject => ({
    version,
    resources: resources.map((resource) => aggregatedResource(resource, kindOf)),
    freshness: 'Current',
  }));
  if (others === undefined) return { metadata: name === '' ? {} : { name }, versions: own };
  const listed = others.versions.map((version) => {
    const found = others.remote.get(version);
    if (found === undefined) return own.find((each) => each['version'] === version) ?? { version, freshness: 'Stale' };
    const resources = aggregatedResources(found.resources, { group: name, version });
    return { version, ...(resources.length === 0 ? {} : { resources }), freshness: found.stale ? 'Stale' : 'Current' };
  });
  return { metadata: { name }, versions: listed };
}

type ResponseKind = (kind: GroupVersion & { readonly kind: string }, own: GroupVersion) => JsonObject;

/** Groups whose types are compiled in leave out of the kinds of answers what the document says anyway; the others name them in full. */
const responseKinds: Readonly<Record<NonNullable<ServedGroup['unknownPaths']>, ResponseKind>> = {
  routed: ({ group, version, kind }, own) =>
    own.group === group && own.version === version ? { group: '', version: '', kind } : { group, version, kind },
  named: ({ group, version, kind }) => ({ group, version, kind }),
};

function aggregatedResource(resource: ServedResource, kindOf: ResponseKind): JsonObject {
  const { resource: name, namespaced, singular, verbs, listedVerbs = verbs, shortNames, categories, subresources } = resource;
  return {
    resource: name,
    responseKind: kindOf(resource, resource),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...listedVerbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: [...subresources.values()].map((each) => ({
            subresource: each.name,
            responseKind: kindOf(each, resource),
            verbs: [...each.verbs],
          })),
        }),
  };
}
