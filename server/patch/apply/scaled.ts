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
 * Returns the workload's owners after a write to its scale, whose owners are then `scale`. As in the reference, entries of unknown versions are dropped, and
 * new owners have no time. Updaters are always new: their keys hold a version. `apiVersion` is the workload's in the request.
 */
export function parentManagers(managers: Managers, scale: Managers, paths: ReplicasPaths, apiVersion: string): Managers {
  const owned = new Map<string, ManagerEntry>();
  const kept = new Set<string>();
  for (const [key, entry] of managers) {
    const path = paths(entry.apiVersion);
    if (path === undefined) continue;
    const owns = path !== null && entry.fields.has(path);
    if (owns && scale.has(key)) kept.add(key);
    const fields = owns && !kept.has(key) ? entry.fields.difference(FieldSet.at(path)) : entry.fields;
    if (!fields.isEmpty) owned.set(key, { ...entry, fields });
  }
  const path = paths(apiVersion);
  if (path == null) return owned;
  for (const [key, entry] of scale)
    if (entry.fields.has(replicasOfScale) && !kept.has(key))
      owned.set(key, { ...entry, apiVersion, time: null, fields: FieldSet.at(path) });
  return owned;
}
