import { objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, membersOf, textAt } from '../../api/json/members.js';
import type { JsonObject } from '../../api/object.js';

/** Entries of aggregated discovery, as another API server of the cluster has them. */
export type PeerGroups = readonly JsonObject[];

/**
 * A document of aggregated discovery with what only other API servers of the cluster serve: groups, versions of groups, and resources of versions
 * (`peer_aggregated_handler.go` of k8s.io/apiserver). Of them only types that are compiled in count, which documents do not name in full: what definitions and
 * other programs serve this server knows itself, and knows sooner when it goes. Groups of others stand behind the one that they follow there. Pure.
 */
export function withPeerGroups(own: JsonObject, peers: readonly PeerGroups[]): JsonObject {
  const groups = [...objectsIn(own, 'items')];
  for (const peer of peers) {
    let before = -1;
    for (const group of peer) {
      const at = groups.findIndex((each) => nameOf(each) === nameOf(group));
      const versions = objectsIn(group, 'versions').map(compiledIn).filter(hasResources);
      const known = groups[at];
      if (known !== undefined) groups[(before = at)] = { ...known, versions: mergedVersions(objectsIn(known, 'versions'), versions) };
      else if (versions.length > 0) groups.splice(++before, 0, { ...group, versions });
    }
  }
  return { ...own, items: groups };
}

const nameOf = (group: JsonObject): string => textAt(group, 'metadata', 'name');
const hasResources = (version: JsonObject): boolean => itemsOf(version['resources']).length > 0;

function compiledIn(version: JsonObject): JsonObject {
  const isOwn = (resource: JsonObject): boolean =>
    ['group', 'version'].every((name) => textAt(membersOf(resource['responseKind']), name) === '');
  return { ...version, resources: objectsIn(version, 'resources').filter(isOwn) };
}

function mergedVersions(own: readonly JsonObject[], others: readonly JsonObject[]): JsonObject[] {
  const added = others.filter(({ version }) => !own.some((each) => each['version'] === version));
  return [...own.map((version) => withResources(version, others)), ...added];
}

function withResources(version: JsonObject, others: readonly JsonObject[]): JsonObject {
  const own = objectsIn(version, 'resources');
  const other = others.find((each) => each['version'] === version['version']);
  const added = objectsIn(other ?? {}, 'resources').filter(({ resource }) => !own.some((each) => each['resource'] === resource));
  return added.length === 0 ? version : { ...version, resources: [...own, ...added] };
}
