import { apiVersionOf } from '../api/resource.js';
import type { GroupResource, GroupVersion } from '../api/resource.js';
import { createCatalogue } from '../kinds/index.js';
import type { Catalogue } from '../registry/resources.js';

type VersionedResource = GroupVersion & GroupResource;
type RuntimeConfig = Readonly<Record<string, string>>;

/** Keys that stand for many versions, most particular first. */
const stages: readonly (readonly [key: string, covers: (version: string) => boolean])[] = [
  ['api/alpha', (version) => version.includes('alpha')],
  ['api/beta', (version) => version.includes('beta')],
  ['api/ga', (version) => /^v\d+$/.test(version)],
  ['api/all', () => true],
];

/** The core group has no name to begin its keys with; they begin with the version, or with `api/`. */
const namesOf = (groupVersion: GroupVersion): string[] => [
  apiVersionOf(groupVersion),
  ...(groupVersion.group === '' ? [`api/${groupVersion.version}`] : []),
];

/**
 * What `--runtime-config` says of a resource in a version, or else what the release does. Of the keys that speak of it the most particular
 * one counts: `group/version/resource`, then `group/version`, then the stages. Pure.
 */
export function servedBy(config: RuntimeConfig): (resource: VersionedResource, byDefault: boolean) => boolean {
  return (resource, byDefault) => {
    const versions = namesOf(resource);
    const keys = [
      ...versions.map((name) => `${name}/${resource.resource}`),
      ...versions,
      ...stages.filter(([, covers]) => covers(resource.version)).map(([key]) => key),
    ];
    const said = keys.map((key) => config[key]).find((value) => value !== undefined);
    return said === undefined ? byDefault : said !== 'false';
  };
}

/** What is wrong with the option, as a sentence, or null. */
export function runtimeConfigComplaint(config: RuntimeConfig): string | null {
  if (Object.keys(config).length === 0) return null;
  const unknown = unknownKeys(config, createCatalogue({ serves: () => true }));
  if (unknown.length > 0) {
    return `--runtime-config names ${unknown.join(', ')}, which this server does not have; name versions such as batch/v1, resources such as batch/v1/jobs, or api/all, api/ga, api/beta, api/alpha`;
  }
  return catalogueOf(config).groups.length === 0
    ? '--runtime-config leaves nothing to serve; name the versions that are to stay, such as v1=true'
    : null;
}

/** What is served under the option. */
export const catalogueOf = (config: RuntimeConfig): Catalogue => createCatalogue({ serves: servedBy(config) });

/** Keys that name nothing that could be served. */
export function unknownKeys(config: RuntimeConfig, { groups }: Pick<Catalogue, 'groups'>): string[] {
  const resources = groups.flatMap(({ versions }) => versions.flatMap((version) => version.resources));
  const known = resources.flatMap((resource) => namesOf(resource).flatMap((name) => [name, `${name}/${resource.resource}`]));
  const names = new Set([...known, ...stages.map(([key]) => key)]);
  return Object.keys(config).filter((key) => !names.has(key));
}
