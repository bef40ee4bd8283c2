import type { GroupResource } from '../../api/resource.js';
import { qualifiedName } from '../../api/resource.js';
import type { WriteOutcome } from './engine.js';
import type { RaftStorage } from './raft.js';

export interface Route {
  readonly resources: readonly GroupResource[];
  readonly storage: RaftStorage;
}

/**
 * Storage with separate stores for some resources (`--etcd-servers-overrides`). Versions of different stores are unrelated. `open.ts` keeps side writes in the
 * same store.
 */
export function routedStorage(main: RaftStorage, routes: readonly Route[]): RaftStorage {
  if (routes.length === 0) return main;
  const byName = new Map(routes.flatMap(({ resources, storage }) => resources.map((resource) => [qualifiedName(resource), storage])));
  const all = [main, ...new Set(byName.values())];
  const of = (resource: GroupResource): RaftStorage => byName.get(qualifiedName(resource)) ?? main;
  return {
    get version() {
      return main.version;
    },
    get: (key, consistency) => of(key.resource).get(key, consistency),
    list: (request) => of(request.resource).list(request),
    watch: (request, sink) => of(request.resource).watch(request, sink),
    create: (key, object, terms) => of(key.resource).create(key, object, terms),
    update: (key, object, expected, terms) => of(key.resource).update(key, object, expected, terms),
    delete: (key, expected, terms) => of(key.resource).delete(key, expected, terms),
    putAll: async (objects, terms) => {
      let outcome: WriteOutcome = { outcome: 'unavailable', reason: 'there is nothing to put' };
      for (const storage of new Set(objects.map(({ key }) => of(key.resource)))) {
        const own = objects.filter(({ key }) => of(key.resource) === storage);
        outcome = await storage.putAll(own, terms);
        if (outcome.outcome !== 'applied') break;
      }
      return outcome;
    },
    isStale: (key) => of(key.resource).isStale(key),
    get lockedKey() {
      return all.map((storage) => storage.lockedKey).find((key) => key !== null) ?? null;
    },
    caughtUp: () => main.caughtUp(),
    estimate: (resource) => of(resource).estimate(resource),
    counts: (resource) => of(resource).counts(resource),
    compact: (version, options) => main.compact(version, options),
    ready: async () => {
      await Promise.all(all.map((storage) => storage.ready()));
    },
    close: () => {
      for (const storage of all) storage.close();
    },
  };
}
