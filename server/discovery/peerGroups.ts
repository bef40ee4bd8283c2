import { objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, membersOf, textAt } from '../../api/json/members.js';
import type { JsonObject } from '../../api/object.js';

/** Entries of aggregated discovery from another API server of the cluster. */
export type PeerGroups = readonly JsonObject[];

/**
 * Adds groups, group versions and resources that only peers serve (`peer_aggregated_handler.go` of k8s.io/apiserver). Only their built-in types count: this
 * server knows custom resources and extension servers itself, and notices their removal sooner. A peer's group follows its predecessor there. Pure.
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
