import { FieldSet } from './fieldSet.js';
import { managerKey, type ManagerEntry, type Managers } from './managers.js';

/** Converts owners of the replicas to those of `scale` and back. */
export const scaleApiVersion = 'autoscaling/v1';
const replicasOfScale: readonly string[] = ['f:spec', 'f:replicas'];
const onlyReplicas = FieldSet.fromFieldsV1({ 'f:spec': { 'f:replicas': {} } });

/** The path of the replicas in a workload's version; null without scale, undefined for an unknown version. */
export type ReplicasPaths = (apiVersion: string) => readonly string[] | null | undefined;

export function scaleManagers(managers: Managers, paths: ReplicasPaths): Managers {
  const found = new Map<string, ManagerEntry>();
  for (const entry of managers.values()) {
    const path = paths(entry.apiVersion);
    if (path == null || !entry.fields.has(path)) continue;
    const seen = { ...entry, apiVersion: scaleApiVersion, fields: onlyReplicas };
    found.set(managerKey(seen), seen);
  }
  return found;
}

/**
 * Returns the workload's owners after a write to its scale, whose owners are then `scale`. As in the reference, new owners have no time, and entries of
 * unknown versions are dropped. `apiVersion` is the workload's in the request.
 */
export function parentManagers(managers: Managers, scale: Managers, paths: ReplicasPaths, apiVersion: string): Managers {
  const kept = new Map<string, ManagerEntry>();
  for (const [key, entry] of managers) {
    const path = paths(entry.apiVersion);
    if (path === undefined) continue;
    const owns = path !== null && entry.fields.has(path);
    const fields = owns && !ownsReplicas(scale, entry) ? entry.fields.difference(FieldSet.at(path)) : entry.fields;
    if (!fields.isEmpty) kept.set(key, { ...entry, fields });
  }
  const path = paths(apiVersion);
  if (path == null) return kept;
  const known = knownOwners(managers, paths);
  for (const [key, entry] of scale) {
    if (!entry.fields.has(replicasOfScale) || known.has(key)) continue;
    const owner = { ...entry, apiVersion, time: null, fields: FieldSet.at(path) };
    const same = kept.get(managerKey(owner));
    kept.set(managerKey(owner), same === undefined ? owner : { ...same, fields: same.fields.union(owner.fields) });
  }
  return kept;
}

const seenAs = (entry: ManagerEntry): string => managerKey({ ...entry, apiVersion: scaleApiVersion });

const ownsReplicas = (scale: Managers, entry: ManagerEntry): boolean => scale.get(seenAs(entry))?.fields.has(replicasOfScale) ?? false;

/** Returns the field's owners in the workload, by their keys as owners of the scale. */
const knownOwners = (managers: Managers, paths: ReplicasPaths): ReadonlySet<string> =>
  new Set([...managers.values()].filter((entry) => entry.fields.has(paths(entry.apiVersion) ?? [])).map(seenAs));
