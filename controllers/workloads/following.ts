import type { Lister } from '../client/cache.js';
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
  /** Called for each change of an owned object, instead of queueing the owner's key. */
  readonly onChange?: (key: string, owner: O, before: T | null, after: T) => void;
}

/** The index of owned objects by their controller's uid; orphans are under `orphanWord` of their namespace. */
export const controllerIndex = 'controller';
export const orphanWord = (namespace: string): string => `orphans of ${namespace}`;

/** Queues owners when owned or adoptable objects change, and counts expectations. */
export function follow<O extends KubeObject, T extends KubeObject>(controller: QueueController, following: Following<O, T>): void {
  const follower = new Follower(controller, following);
  const informer = controller.needs(following.type);
  informer.addIndex(controllerIndex, (object) => [controllerOf(object)?.uid ?? orphanWord(namespaceOf(object))]);
  informer.addHandlers({
    added: (object) => follower.added(object),
    changed: (before, after) => follower.changed(before, after),
    removed: (object) => follower.removed(object),
  });
}

class Follower<O extends KubeObject, T extends KubeObject> {
  readonly #controller: QueueController;
  readonly #following: Following<O, T>;
  readonly #owners: Lister<O>;

  constructor(controller: QueueController, following: Following<O, T>) {
    this.#controller = controller;
    this.#following = following;
    this.#owners = controller.needs(following.ownerType).cache;
  }

  added(object: T): void {
    if (isTerminating(object)) return this.removed(object);
    const owner = this.#ownerOf(object);
    if (owner) {
      this.#following.expectations?.created(keyTextOf(owner));
      this.#queue(owner, null, object);
    } else if (!controllerOf(object)) this.#queueAdopters(object);
  }

  changed(before: T, after: T): void {
    // A terminating object counts as deleted, so that its replacement does not wait for its end.
    if (isTerminating(after)) this.removed(after);
    const moved = controllerOf(before)?.uid !== controllerOf(after)?.uid;
    const former = moved ? this.#ownerOf(before) : null;
    if (former) this.#queue(former, before, after);
    const owner = this.#ownerOf(after);
    if (owner) this.#queue(owner, before, after);
    else if (!controllerOf(after) && (moved || !sameMeaning(before.metadata.labels, after.metadata.labels))) this.#queueAdopters(after);
  }

  removed(object: T): void {
    const owner = this.#ownerOf(object);
    if (!owner) return;
    this.#following.expectations?.deleted(keyTextOf(owner), uidOf(object));
    this.#queue(owner, object, object);
  }

  #ownerOf(object: T): O | null {
    const { kind, group, namespaced } = this.#following.ownerType;
    const reference = controllerOf(object);
    if (!reference || reference.kind !== kind || groupOf(reference.apiVersion) !== group) return null;
    const owner = this.#owners.get(namespaced ? `${namespaceOf(object)}/${reference.name}` : reference.name);
    return owner && uidOf(owner) === reference.uid ? owner : null;
  }

  #queue(owner: O, before: T | null, after: T): void {
    const key = keyTextOf(owner);
    const { onChange } = this.#following;
    if (onChange) onChange(key, owner, before, after);
    else this.#controller.queue.add(key);
  }

  #queueAdopters(object: T): void {
    for (const owner of this.#owners.inNamespace(namespaceOf(object)))
      if (this.#following.wouldAdopt(owner, object)) this.#controller.queue.add(keyTextOf(owner));
  }
}
