import { isTerminating, keyTextOf, type KubeObject } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';
import { QueueController } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';

/** Returns the desired finalizers of an object; null if unchanged. `finalizer` stays until nothing uses the object. Pure. */
export function guarded(object: KubeObject, finalizer: string, used: boolean): readonly string[] | null {
  const { finalizers = [] } = object.metadata;
  const has = finalizers.includes(finalizer);
  if (isTerminating(object)) return has && !used ? finalizers.filter((name) => name !== finalizer) : null;
  return has ? null : [...finalizers, finalizer];
}

/** Keeps objects of a type while they are used. `consider` adds watches of other types that may release one. */
export function guard<T extends KubeObject>(
  environment: ManagerEnvironment,
  {
    name,
    type,
    finalizer,
    isUsed,
  }: { readonly name: string; readonly type: Resource<T>; readonly finalizer: string; readonly isUsed: (object: T) => boolean },
): QueueController {
  const { api, informers } = environment;
  const sync = async (key: string): Promise<void> => {
    const object = informers.of(type).cache.get(key);
    const finalizers = object && guarded(object, finalizer, isUsed(object));
    if (object && finalizers) await unless(isNotFound, api.update(type, { ...object, metadata: { ...object.metadata, finalizers } }));
  };
  const controller: QueueController = new QueueController(environment, { name, sync });
  const queue = (object: T): void => {
    if (guarded(object, finalizer, false)) controller.queue.add(keyTextOf(object));
  };
  controller.needs(type).addHandlers({ added: queue, changed: (_, after) => queue(after) });
  return controller;
}
