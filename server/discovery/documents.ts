import { createHash } from 'node:crypto';
import type { ListedGroup } from './listedGroups.js';
import type { JsonObject } from '../../api/object.js';
import { apiVersionOf, type GroupVersion } from '../../api/resource.js';
import type { Catalogue, ServedResource, ServedVersion, Subresource } from '../registry/resources.js';

export const coreVersions = (catalogue: Catalogue, serverAddress: string): JsonObject => ({
  kind: 'APIVersions',
  versions: (catalogue.group('')?.versions ?? []).map(({ version }) => version),
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});

/** `/apis`: all groups but the core group. */
export const groupList = (groups: readonly ListedGroup[]): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.map(groupMembers),
});

export const groupDocument = (group: ListedGroup): JsonObject => ({ kind: 'APIGroup', apiVersion: 'v1', ...groupMembers(group) });

function groupMembers({ name, versions }: ListedGroup): JsonObject {
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
  ...foreign({ group, version }, parent),
  kind,
  verbs: [...verbs],
});

/** Names group and version only if they differ from the document's. */
const foreign = (named: GroupVersion, own: GroupVersion): JsonObject =>
  own.group === named.group && own.version === named.version ? {} : { group: named.group, version: named.version };

const isStored = ({ verbs }: ServedResource): boolean => verbs.has('get') && verbs.has('update');

/** Changes with a type's stored form: eight bytes of a hash of its group, version and kind. */
const storageVersionHash = ({ storage: { group, version: stored, kind }, writtenVersion = stored }: ServedResource): string =>
  createHash('sha256').update(`${group}/${writtenVersion}/${kind}`).digest().subarray(0, 8).toString('base64');

/** All documents of `/api` or `/apis` in one: `as=APIGroupDiscoveryList`. */
const aggregated = (items: readonly JsonObject[]): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [...items],
});

export const aggregatedCore = (catalogue: Catalogue): JsonObject =>
  aggregated(
    catalogue.groups.filter(({ name }) => name === '').map(({ versions }) => ({ metadata: {}, versions: versions.map(ownVersion) })),
  );

export const aggregatedGroups = (groups: readonly ListedGroup[], catalogue: Catalogue): JsonObject =>
  aggregated(
    groups.map(({ name, versions, remote }) => ({
      metadata: { name },
      versions: versions.map((version) => {
        const found = remote.get(version);
        const own = catalogue.version(name, version);
        if (found === undefined) return own === null ? { version, freshness: 'Stale' } : ownVersion(own);
        const { resources } = found;
        return { version, ...(resources.length === 0 ? {} : { resources: [...resources] }), freshness: found.stale ? 'Stale' : 'Current' };
      }),
    })),
  );

const ownVersion = ({ version, resources }: ServedVersion): JsonObject => ({
  version,
  resources: resources.map(aggregatedResource),
  freshness: 'Current',
});

/** Built-in types omit the document's group and version; others name them in full. */
const responseKind = ({ group, version, kind }: GroupVersion & { readonly kind: string }, own: ServedResource): JsonObject =>
  !own.behaviour.selfDescribed && own.group === group && own.version === version
    ? { group: '', version: '', kind }
    : { group, version, kind };

function aggregatedResource(resource: ServedResource): JsonObject {
  const { resource: name, namespaced, singular, verbs, listedVerbs = verbs, shortNames, categories, subresources } = resource;
  return {
    resource: name,
    responseKind: responseKind(resource, resource),
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
            responseKind: responseKind(each, resource),
            verbs: [...each.verbs],
          })),
        }),
  };
}
