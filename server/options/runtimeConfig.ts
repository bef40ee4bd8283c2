import { knownApiVersions } from '../../api/catalogue/kinds.js';
import { groupVersionOf } from '../../api/meta/resource.js';
import { apiVersionOf } from '../../api/resource.js';
import type { GroupResource, GroupVersion } from '../../api/resource.js';
import { gateOf } from '../../program/features/gatedResources.js';
import { introducedIn } from '../../program/features/introduced.js';
import { createCatalogue, type CatalogueOptions } from '../kinds/index.js';
import type { Catalogue } from '../registry/resources.js';
import type { ApiServerOptions } from './flags.js';
import { isTooNew, stabilityOf } from './emulation.js';
import { emulatedMinor } from '../../program/features/emulation.js';
import { featuresOf } from '../../program/features/options.js';

type VersionedResource = GroupVersion & GroupResource;
type RuntimeConfig = Readonly<Record<string, string>>;

/** Keys for many versions, most specific first. */
const stages: readonly (readonly [key: string, covers: (version: string) => boolean])[] = [
  ['api/alpha', (version) => version.includes('alpha')],
  ['api/beta', (version) => version.includes('beta')],
  ['api/ga', (version) => /^v\d+$/.test(version)],
  ['api/all', () => true],
];

/** Keys of the core group begin with the version, or with `api/`. */
const namesOf = (groupVersion: GroupVersion): string[] => [
  apiVersionOf(groupVersion),
  ...(groupVersion.group === '' ? [`api/${groupVersion.version}`] : []),
];

/**
 * Applies `--runtime-config` to a resource's version; otherwise the release's default. The most specific key counts: `group/version/resource`,
 * `group/version`, then the stages. Pure.
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

/** Returns the error of the option, or null. */
export function runtimeConfigProblem(config: RuntimeConfig): string | null {
  if (Object.keys(config).length === 0) return null;
  const unknown = unknownKeys(config, createCatalogue({ serves: () => true }));
  if (unknown.length > 0) {
    return `--runtime-config names ${unknown.join(', ')}, which this server does not have; name versions such as batch/v1, resources such as batch/v1/jobs, or api/all, api/ga, api/beta, api/alpha`;
  }
  return catalogueOf(config).groups.length === 0
    ? '--runtime-config leaves nothing to serve; name the versions that are to stay, such as v1=true'
    : null;
}

export const catalogueOf = (config: RuntimeConfig): Catalogue => createCatalogue({ serves: servedBy(config) });

type Emulation = Pick<
  ApiServerOptions,
  'runtime-config' | 'feature-gates' | 'emulated-version' | 'emulation-forward-compatible' | 'runtime-config-emulation-forward-compatible'
>;

const namedBy = (resource: VersionedResource): string[] => namesOf(resource).flatMap((name) => [`${name}/${resource.resource}`, name]);

/** Reports whether the option enables this very version. */
const isNamed = (config: RuntimeConfig, resource: VersionedResource): boolean => {
  const said = namedBy(resource)
    .map((key) => config[key])
    .find((value) => value !== undefined);
  return said !== undefined && said !== 'false';
};

function isGateOpen(options: Emulation): (resource: GroupResource) => boolean {
  const features = featuresOf(options);
  return (resource) => {
    const gate = gateOf(resource);
    return gate === null || features.enabled(gate);
  };
}

/** Returns the served resources: enabled, with their feature on. Emulation removes later ones, unless explicitly enabled. Pure. */
export function emulatedCatalogue(options: Emulation): Catalogue {
  const config = options['runtime-config'];
  const [said, isOpen] = [servedBy(config), isGateOpen(options)];
  const wanted: CatalogueOptions['serves'] = (resource, byDefault) => said(resource, byDefault) && isOpen(resource);
  const minor = emulatedMinor(options);
  const all = createCatalogue({ serves: () => true, emulatedMinor: minor });
  const present = createCatalogue({
    emulatedMinor: minor,
    serves: (resource, byDefault) => wanted(resource, byDefault) && introducedIn(resource) <= minor,
  });
  const serves: CatalogueOptions['serves'] = (resource, byDefault) => {
    if (!wanted(resource, byDefault)) return false;
    if (options['runtime-config-emulation-forward-compatible'] && isNamed(config, resource)) return true;
    return !isTooNew(options, resource, () =>
      (all.group(resource.group)?.versions ?? []).some(
        ({ version }) =>
          stabilityOf(version) < stabilityOf(resource.version) && present.resource(resource.group, version, resource.resource) !== null,
      ),
    );
  };
  return createCatalogue({ serves, emulatedMinor: minor });
}

/** Returns explicitly enabled resources whose feature is off, a sentence each. Pure. */
export function closedGates(options: Emulation): string[] {
  const isOpen = isGateOpen(options);
  const shut = createCatalogue({ serves: () => true })
    .groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .filter((resource) => isNamed(options['runtime-config'], resource) && !isOpen(resource));
  return shut.map((resource) => {
    const gate = gateOf(resource) ?? '';
    return `--runtime-config names ${apiVersionOf(resource)}/${resource.resource}, which is not served without --feature-gates=${gate}=true`;
  });
}

/** Returns an error for enabled versions later than the emulated one, which are not dropped silently. */
export function emulatedRuntimeConfigProblem(options: Emulation): string | null {
  if (options['runtime-config-emulation-forward-compatible']) return null;
  const minor = emulatedMinor(options);
  const late = createCatalogue({ serves: () => true })
    .groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .filter((resource) => introducedIn(resource) > minor && isNamed(options['runtime-config'], resource));
  const names = [...new Set(late.map((resource) => `${apiVersionOf(resource)}/${resource.resource}`))];
  return names.length === 0
    ? null
    : `--runtime-config names ${names.join(', ')}, which came after the emulated version 1.${minor}; leave it out, or give --runtime-config-emulation-forward-compatible`;
}

/**
 * Returns keys of unknown versions; served or not, since manifests of older clusters still name `policy/v1beta1`. Only the lower case of a resource is
 * checked, not its existence.
 */
function unknownKeys(config: RuntimeConfig, { groups }: Pick<Catalogue, 'groups'>): string[] {
  const served = new Set([...groups.map(({ name }) => name), 'extensions']);
  const versions = knownApiVersions()
    .map(groupVersionOf)
    .filter(({ group }) => served.has(group))
    .flatMap(namesOf);
  const names = new Set([...versions, ...stages.map(([key]) => key), 'api/legacy']);
  return Object.keys(config).filter((key) => {
    const resource = versions
      .map((version) => (key.startsWith(`${version}/`) ? key.slice(version.length + 1) : ''))
      .find((name) => name !== '');
    return !names.has(key) && (resource === undefined || !/^[a-z0-9-]+$/.test(resource));
  });
}
