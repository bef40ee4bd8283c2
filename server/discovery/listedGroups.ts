import type { JsonObject } from '../../api/object.js';
import { compareVersions } from '../extensions/versions.js';
import type { ServedGroup } from '../registry/resources.js';

/** A group version that another program serves, for discovery. */
export interface RemoteVersion {
  readonly version: string;
  readonly resources: readonly JsonObject[];
  /** The extension server is unreachable, and may serve other resources. */
  readonly stale: boolean;
}

export interface ListedGroup {
  readonly name: string;
  /** All versions, the preferred one first. */
  readonly versions: readonly string[];
  readonly remote: ReadonlyMap<string, RemoteVersion>;
}

export interface RegisteredVersion {
  /** The API service's: `VERSION.GROUP`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Null for this server itself. */
  readonly target: object | null;
}

/** This group comes first, whatever the priorities of others. */
const foremost = 'apiregistration.k8s.io';
const definedPriority = 1000;

/**
 * Returns all named groups by the highest priority of their API services, then by name (`ByGroupPriorityMinimum` of kube-aggregator). Pure. `known` is keyed
 * by API service.
 */
export function listedGroups(
  services: readonly RegisteredVersion[],
  own: readonly ServedGroup[],
  known: ReadonlyMap<string, Omit<RemoteVersion, 'version'>>,
): ListedGroup[] {
  const members = new Map<string, RegisteredVersion[]>();
  for (const service of services) {
    const served = own.some(({ name, versions }) => name === service.group && versions.some(({ version }) => version === service.version));
    if (service.target === null && !served) continue;
    const others = members.get(service.group);
    if (others === undefined) members.set(service.group, [service]);
    else others.push(service);
  }
  const priorities = prioritiesOf(own, members);
  const ownVersions = new Map(own.map(({ name, versions }) => [name, versions.map(({ version }) => version)]));
  return [...priorities]
    .filter(([name]) => name !== '')
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : y - x))
    .map(([name]) => ({
      name,
      versions: versionsOf(ownVersions.get(name) ?? [], members.get(name) ?? []),
      remote: new Map(
        (members.get(name) ?? [])
          .filter(({ target }) => target !== null)
          .map(({ name: service, version }) => [version, { version, resources: [], stale: true, ...known.get(service) }]),
      ),
    }));
}

/** More than an API service may request. */
const unknownPriority = 1e6;
/** Less than the difference between priorities. */
const step = 1e-3;

/** Built-in groups without an API service (unknown yet, or off by default) follow their predecessor. */
function prioritiesOf(own: readonly ServedGroup[], members: ReadonlyMap<string, readonly RegisteredVersion[]>): Map<string, number> {
  const priorities = new Map(
    [...members].map(([name, services]) => [name, Math.max(...services.map(({ groupPriority }) => groupPriority))]),
  );
  let before = unknownPriority;
  for (const { name, unknownPaths } of own) {
    const priority = priorities.get(name) ?? (unknownPaths === 'named' ? definedPriority : before - step);
    priorities.set(name, priority);
    if (unknownPaths !== 'named') before = priority;
  }
  if (priorities.has(foremost)) priorities.set(foremost, Infinity);
  return priorities;
}

function versionsOf(own: readonly string[], members: readonly RegisteredVersion[]): readonly string[] {
  if (members.length === 0) return own;
  const priorities = new Map([
    ...own.map((version) => [version, 0] as const),
    ...members.map(({ version, versionPriority }) => [version, versionPriority] as const),
  ]);
  return [...priorities].sort(([a, x], [b, y]) => y - x || compareVersions(a, b)).map(([version]) => version);
}
