import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { bootstrapRbac } from '../authorization/rbac/bootstrap.js';
import { createCatalogue } from '../kinds/index.js';
import { bootstrap } from '../registry/bootstrap.js';
import { everything } from '../registry/everything.js';
import { createRegistry } from '../registry/store.js';
import { storedResources } from '../registry/resources.js';
import type { Storage } from '../storage/contract.js';
import { createMemoryStorage } from '../storage/memory.js';
import { nowMark, type SeedEntry } from './seed.js';

/** Objects that depend on options, machine, or claims, created by hooks in each cluster. */
const ownToEach: ReadonlySet<string> = new Set(['services', 'servicecidrs', 'ipaddresses', 'nodeports', 'endpointslices', 'endpoints']);
const times = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"/g;

/** Returns the objects created by a new server's hooks, in stored form without uids and times. */
export async function seedEntries(): Promise<SeedEntry[]> {
  const storage = createMemoryStorage();
  const catalogue = createCatalogue();
  const registry = createRegistry({ storage });
  await bootstrap({ registry, catalogue });
  await bootstrapRbac({ registry, catalogue });
  const entries: SeedEntry[] = [];
  for (const { group, resource } of storedResources(catalogue).filter(({ resource: name }) => !ownToEach.has(name)))
    for (const object of await objectsOf(storage, { group, resource })) entries.push({ group, resource, object: withoutChance(object) });
  return entries;
}

async function objectsOf(storage: Storage, resource: GroupResource): Promise<ApiObject[]> {
  const all = await storage.list({ ...everything, resource, namespace: null, consistency: { at: 'mostRecent' } });
  if (all.outcome !== 'found') throw new Error(`${resource.resource} cannot be listed: ${all.outcome}`);
  return all.items.map((item) => ({ apiVersion: item.apiVersion, ...item.decode() }));
}

function withoutChance(object: ApiObject): ApiObject {
  const { uid: _, resourceVersion: __, ...metadata } = object.metadata;
  const { metadata: ___, ...rest } = object;
  return JSON.parse(JSON.stringify({ ...rest, metadata }).replace(times, JSON.stringify(nowMark))) as ApiObject;
}
