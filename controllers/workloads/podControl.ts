import type { Api } from '../client/api.js';
import { isNamespaceTerminating, isNotFound, messageOf } from '../client/errors.js';
import type { EventRecorder } from '../client/events.js';
import { keyOf, type KubeObject, nameOf } from '../../api/meta/object.js';
import { type Pod, pods } from '../../api/types/core/v1.js';

/** Creates and deletes pods for their owners, with the reference's events. */
export class PodControl {
  readonly #api: Api;
  readonly #events: EventRecorder;

  constructor(api: Api, events: EventRecorder) {
    this.#api = api;
    this.#events = events;
  }

  async create(owner: KubeObject, pod: Pod): Promise<Pod> {
    try {
      const created = await this.#api.create(pods, pod);
      this.#events.normal(owner, 'SuccessfulCreate', `Created pod: ${nameOf(created)}`);
      return created;
    } catch (error) {
      // Every creation in a terminating namespace fails, as intended.
      if (!isNamespaceTerminating(error)) this.#events.warning(owner, 'FailedCreate', `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  /** Rejects with NotFound when the pod is gone already. */
  async delete(owner: KubeObject, pod: Pod): Promise<void> {
    try {
      await this.#api.delete(pods, keyOf(pod));
      this.#events.normal(owner, 'SuccessfulDelete', `Deleted pod: ${nameOf(pod)}`);
    } catch (error) {
      if (!isNotFound(error)) this.#events.warning(owner, 'FailedDelete', `Error deleting: ${messageOf(error)}`);
      throw error;
    }
  }
}

export interface BatchResult {
  readonly succeeded: number;
  readonly failure: unknown;
}

/**
 * Runs a task `count` times: first one, then two, then four at once and so on. Stops after a group with a failure, whose cause (a quota, a bad template) will
 * mostly persist.
 */
export async function slowStart(count: number, task: (index: number) => Promise<unknown>, firstSize = 1): Promise<BatchResult> {
  let succeeded = 0;
  for (let done = 0, size = Math.min(count, firstSize); size > 0; done += size, size = Math.min(2 * size, count - done)) {
    const start = done;
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => task(start + index)));
    succeeded += results.filter(({ status }) => status === 'fulfilled').length;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) return { succeeded, failure: failure.reason };
  }
  return { succeeded, failure: null };
}
