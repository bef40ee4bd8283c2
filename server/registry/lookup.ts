import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { readFailure } from './failures.js';
import { everything } from './everything.js';
import type { Storage } from '../storage/contract.js';

export interface Lookup {
  /** Returns null when the object is absent. The local state answers; only an absence is confirmed with the latest state. */
  find(resource: GroupResource, namespace: string, name: string): Promise<ApiObject | null>;
  /** Reads the local state; `namespace` null stands for all. */
  list(resource: GroupResource, namespace: string | null): Promise<readonly ApiObject[]>;
}

export const createLookup = (storage: Storage): Lookup => ({
  async find(resource, namespace, name) {
    const key = { resource, namespace, name };
    let result = await storage.get(key, { at: 'any' });
    if (result.outcome === 'absent') result = await storage.get(key, { at: 'mostRecent' });
    if (result.outcome === 'absent') return null;
    if (result.outcome !== 'found') throw readFailure(result);
    return result.object.decode();
  },
  async list(resource, namespace) {
    const result = await storage.list({ resource, namespace, ...everything });
    if (result.outcome !== 'found') throw readFailure(result);
    return result.items.map((item) => item.decode());
  },
});
