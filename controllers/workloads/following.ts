import type { QueueController } from '../client/controller.js';
import type { Expectations } from '../client/expectations.js';
import { controllerOf, isTerminating, keyTextOf, type KubeObject, namespaceOf, uidOf } from '../../api/meta/object.js';
import { groupOf, type Resource } from '../../api/meta/resource.js';
import { sameMeaning } from '../../api/json/equality.js';

export interface Following<O extends KubeObject, T extends KubeObject> {
  readonly ownerType: Resource<O>;
  readonly type: Resource<T>;
  readonly wouldAdopt: (owner: O, object: T) => boolean;
  readonly expectations?: Expectations;
  /** Called for each change of an owned object, instead of queueing its owner's key. */
  readonly onChange?: (key: string, owner: O, before: T | null, after: T) => void;
}

/** The index of owned objects by their controller's uid; objects without one are under `orphanWord` of their namespace. */
export const controllerIndex = 'controller';
export const orphanWord = (namespace: string): string => `orphans of ${namespace}`;

/** Queues owners when objects that they own, or may adopt, change; and counts expectations. */
export function follow<O extends KubeObject, T extends KubeObject>(
  controller: QueueController,
  { ownerType, type, wouldAdopt, expectations, onChange }: Following<O, T>,
): void {
  const owners = controller.needs(ownerType);
  const informer = controller.needs(type);
  informer.addIndex(controllerIndex, (object) => [controllerOf(object)?.uid ?? orphanWord(namespaceOf(object))]);

  const ownerOf = (object: T): O | null => {
    const reference = controllerOf(object);
    if (!reference || reference.kind !== ownerType.kind || groupOf(reference.apiVersion) !== ownerType.group) return null;
    const owner = owners.cache.get(ownerType.namespaced ? `${namespaceOf(object)}/${reference.name}` : reference.name);
    return owner && uidOf(owner) === reference.uid ? owner : null;
  };
  const queue = (owner: O, before: T | null, after: T): void => {
    const key = keyTextOf(owner);
    if (onChange) onChange(key, owner, before, after);
    else controller.queue.add(key);
  };
  const queueAdopters = (object: T): void => {
    for (const owner of owners.cache.inNamespace(namespaceOf(object)))
      if (wouldAdopt(owner, object)) controller.queue.add(keyTextOf(owner));
  };
  const removed = (object: T): void => {
    const owner = ownerOf(object);
    if (!owner) return;
    expectations?.deleted(keyTextOf(owner), uidOf(object));
    queue(owner, object, object);
  };
  const added = (object: T): void => {
    if (isTerminating(object)) {
      removed(object);
      return;
    }
    const owner = ownerOf(object);
    if (owner) {
      expectations?.created(keyTextOf(owner));
      queue(owner, null, object);
    } else if (!controllerOf(object)) queueAdopters(object);
  };
  const changed = (before: T, after: T): void => {
    // A terminating object counts as deleted at once: its replacement need not wait for its end.
    if (isTerminating(after)) removed(after);
    const moved = controllerOf(before)?.uid !== controllerOf(after)?.uid;
    const former = moved ? ownerOf(before) : null;
    if (former) queue(former, before, after);
    const owner = ownerOf(after);
    if (owner) queue(owner, before, after);
    else if (!controllerOf(after) && (moved || !sameMeaning(before.metadata.labels, after.metadata.labels))) queueAdopters(after);
  };
  informer.addHandlers({ added, changed, removed });
}
