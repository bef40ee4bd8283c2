import { keyOf, keyTextOf, uidOf, type KubeObject } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';
import type { Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf } from '../client/errors.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';

export interface Cleaning<T extends KubeObject> {
  readonly name: string;
  readonly type: Resource<T>;
  readonly lookEveryMs: number;
  /** Pure. */
  isOver(object: T, now: number): boolean;
}

/** Periodically removes objects that are no longer needed and have not changed meanwhile. */
export function cleaner<T extends KubeObject>(
  { api, informers, clock, log }: ManagerEnvironment,
  { name, type, lookEveryMs, isOver }: Cleaning<T>,
): Controller {
  const informer = informers.of(type);
  const clean = async (): Promise<void> => {
    for (const object of informer.cache.list()) {
      if (!isOver(object, clock.now())) continue;
      try {
        await api.delete(type, keyOf(object), { preconditions: { uid: uidOf(object) } });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) log('error', `${name}: ${keyTextOf(object)}: ${messageOf(error)}`);
      }
    }
  };
  return {
    name,
    async run(signal) {
      await informer.synced();
      await every(clock, lookEveryMs, clean, signal);
    },
  };
}
