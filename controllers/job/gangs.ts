import { isTerminating, keyTextOf, nameOf, namespaceOf, type KubeObject } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';
import type { Job } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { type PodGroup, podGroups, workloads } from '../../api/types/scheduling/v1alpha2.js';
import type { QueueController } from '../client/controller.js';
import { isNamespaceTerminating } from '../client/errors.js';
import type { Informer } from '../client/informer.js';
import type { ManagerEnvironment } from '../environment.js';
import { typeServed } from '../servedTypes.js';
import { groupStep, isGang, jobKeyOf, workloadKeyOf, workloadStep, type GangStep } from './gang.js';

export interface Gangs {
  /** Returns the group of a stored Job's pods, creating it for a new Job; null where pods are scheduled one by one. */
  groupOf(job: Job, pods: readonly Pod[]): Promise<PodGroup | null>;
}

/** Returns null where the feature is off, or the server lacks its types. Makes the controller wait for them. */
export async function gangsOf(environment: ManagerEnvironment, controller: QueueController, signal: AbortSignal): Promise<Gangs | null> {
  if (!environment.isOn('WorkloadWithJob')) return null;
  for (const type of [workloads, podGroups]) {
    if ((await typeServed<KubeObject>(environment, [type], signal)) !== null) continue;
    if (!signal.aborted) environment.log('info', `job: no groups of pods, as the server does not have ${type.resource}`);
    return null;
  }
  return new FollowedGangs(environment, controller);
}

class FollowedGangs implements Gangs {
  readonly #environment: ManagerEnvironment;
  readonly #workloads;
  readonly #groups;

  constructor(environment: ManagerEnvironment, controller: QueueController) {
    this.#environment = environment;
    this.#workloads = new Referring(controller.needs(workloads), 'job', jobKeyOf);
    this.#groups = new Referring(controller.needs(podGroups), 'workload', workloadKeyOf);
  }

  async groupOf(job: Job, pods: readonly Pod[]): Promise<PodGroup | null> {
    if (!isGang(job) || isTerminating(job)) return null;
    const workload = await this.#take(this.#workloads, job, workloadStep(job, { pods, found: this.#workloads.to(keyTextOf(job)) }));
    return workload && this.#take(this.#groups, job, groupStep(job, workload, this.#groups.to(keyTextOf(workload))));
  }

  async #take<T extends KubeObject>(known: Referring<T>, job: Job, step: GangStep<T>): Promise<T | null> {
    const { api, events, log } = this.#environment;
    if (step.do === 'use') return step.object;
    if (step.do === 'without') {
      if (step.why !== null) log('info', `job: ${keyTextOf(job)} has no ${known.type.kind}: ${step.why}`);
      return null;
    }
    try {
      const made = await api.create(known.type, step.object);
      known.made(made);
      if (known.type.resource === workloads.resource)
        events.normal(job, 'WorkloadCreated', `Created Workload ${nameOf(made)} for Job ${nameOf(job)}`);
      return made;
    } catch (error) {
      // No pod can be created either.
      if (isNamespaceTerminating(error)) return null;
      throw error;
    }
  }
}

/** Objects of one type by their target's key, including new ones that the cache does not show yet. */
class Referring<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #index: string;
  readonly #keyOf: (object: T) => string | null;
  readonly #made = new Map<string, T>();

  constructor(informer: Informer<T>, index: string, keyOf: (object: T) => string | null) {
    this.#informer = informer;
    this.#index = index;
    this.#keyOf = keyOf;
    informer.addIndex(index, (object) => [keyOf(object) ?? []].flat());
    const seen = (object: T): void => {
      const key = keyOf(object);
      if (key !== null) this.#made.delete(key);
    };
    informer.addHandlers({ added: seen, removed: seen });
  }

  get type(): Resource<T> {
    return this.#informer.type;
  }

  to(key: string): readonly T[] {
    const found = this.#informer.cache.by(this.#index, key);
    const made = this.#made.get(key);
    return found.length > 0 || made === undefined ? found : [made];
  }

  made(object: T): void {
    const key = this.#keyOf(object);
    if (key !== null && !this.#informer.cache.get(`${namespaceOf(object)}/${nameOf(object)}`)) this.#made.set(key, object);
  }
}
