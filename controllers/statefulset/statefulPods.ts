import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound, messageOf, unless } from '../client/errors.js';
import { isControlledBy, keyOf, nameOf, uidOf } from '../../api/meta/object.js';
import type { StatefulSet } from '../../api/types/apps/v1.js';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import type { Action } from './plan.js';
import { isOthers } from './retention.js';

type Verb = 'create' | 'update' | 'delete';
const reasons: Readonly<Record<Verb, { readonly name: string; readonly done: string; readonly failed: string }>> = {
  create: { name: 'Create', done: 'SuccessfulCreate', failed: 'FailedCreate' },
  update: { name: 'Update', done: 'SuccessfulUpdate', failed: 'FailedUpdate' },
  delete: { name: 'Delete', done: 'SuccessfulDelete', failed: 'FailedDelete' },
};

/** Executes decisions for pods and claims, with the reference's events. */
export class StatefulPods {
  readonly #environment: ManagerEnvironment;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
  }

  async carryOut(set: StatefulSet, action: Action | undefined): Promise<void> {
    const { api } = this.#environment;
    switch (action?.do) {
      case 'create':
        await this.#create(set, action);
        return;
      case 'claim':
        await this.#claim(set, action.pod, action.claims);
        return;
      case 'own':
        await this.#own(set, action);
        return;
      case 'correct':
        await this.#withEvents(set, action.pod, {
          verb: 'update',
          work: async () => {
            await this.#claim(set, action.pod, action.claims);
            await api.update(pods, action.pod);
          },
        });
        return;
      case 'delete':
        // Deletes by uid: the pod's successor has the same name.
        await this.#withEvents(set, action.pod, {
          verb: 'delete',
          work: () => unless(isNotFound, api.delete(pods, keyOf(action.pod), { preconditions: { uid: uidOf(action.pod) } })),
        });
        return;
      case undefined:
    }
  }

  async #own(set: StatefulSet, { pod, claim }: Extract<Action, { do: 'own' }>): Promise<void> {
    const { api, events } = this.#environment;
    // The reference's words and spelling.
    if (isOthers(claim, set, pod)) {
      events.warning(
        set,
        'ConflictingController',
        `PersistentVolumeClaim ${nameOf(claim)} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`,
      );
    }
    await unless(isNotFound, api.update(persistentVolumeClaims, claim));
  }

  async #create(set: StatefulSet, { pod, claims, ending }: Extract<Action, { do: 'create' }>): Promise<void> {
    const { api } = this.#environment;
    await this.#withEvents(set, pod, {
      verb: 'create',
      work: async () => {
        await this.#claim(set, pod, claims);
        if (ending.length > 0) throw new Error(ending.map((name) => `pvc ${name} is being deleted`).join(', '));
        await api.create(pods, pod);
      },
      expected: async (error) => {
        if (isNamespaceTerminating(error)) return true;
        if (!isAlreadyExists(error)) return false;
        // The pod may be ours and not in the cache yet. Another owner's pod blocks the name, without an event.
        const there = await unless(isNotFound, api.get(pods, keyOf(pod)));
        if (there && !isControlledBy(there, set)) throw error;
        return true;
      },
    });
  }

  async #claim(set: StatefulSet, pod: Pod, claims: readonly PersistentVolumeClaim[]): Promise<void> {
    const { api, events } = this.#environment;
    for (const claim of claims) {
      try {
        await api.create(persistentVolumeClaims, claim);
        events.normal(set, 'SuccessfulCreate', `Create Claim ${nameOf(claim)} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} success`);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        if (isNamespaceTerminating(error)) throw error;
        events.warning(
          set,
          'FailedCreate',
          `Create Claim ${nameOf(claim)} for Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} failed error: ${messageOf(error)}`,
        );
        throw new Error(`failed to create PVC ${nameOf(claim)}: ${messageOf(error)}`, { cause: error });
      }
    }
  }

  async #withEvents(set: StatefulSet, pod: Pod, { verb, work, expected }: Attempt): Promise<void> {
    const { events } = this.#environment;
    const what = `${reasons[verb].name} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
    try {
      await work();
    } catch (error) {
      if ((await expected?.(error)) === true) return;
      if (!isConflict(error)) events.warning(set, reasons[verb].failed, `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
    events.normal(set, reasons[verb].done, `${what} successful`);
  }
}

interface Attempt {
  readonly verb: Verb;
  readonly work: () => Promise<unknown>;
  /** Returns whether a failure had no effect and needs no event. Default: never. */
  readonly expected?: (error: unknown) => Promise<boolean>;
}
