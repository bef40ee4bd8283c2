import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '../../../api/object.js';
import { StatusError } from '../../../api/status.js';
import type { Registry } from '../../registry/contract.js';
import type { Target } from '../../registry/target.js';
import type { ServedResource } from '../../registry/resources.js';
import type { Storage } from '../../storage/contract.js';
import { readLifeCycle, type LifeCycle } from '../definition.js';
import type { CustomResources } from '../definitions.js';
import { Cleanup } from './cleanup.js';
import { DefinedApiServices } from './definedApiServices.js';
import { planStatus, withStatus } from './plan.js';
import { Rounds } from './rounds.js';
import { ownWrites } from '../../registry/ownWrites.js';

export interface LifeCycleOptions {
  readonly resources: CustomResources;
  readonly storage: Pick<Storage, 'watch'>;
  readonly registry: Registry;
  readonly definitions: ServedResource;
  /** The entry of APIServices; null where they are not served. */
  readonly apiServices: ServedResource | null;
  /** RFC 3339 with seconds. */
  readonly now: () => string;
  /** Receives errors, which are retried. */
  readonly report: (name: string, error: unknown) => void;
}

/** The polling interval until a read change is in effect here, and the number of attempts. */
const lookMs = 10;
const attemptsMax = 200;

/** The life cycle of definitions: accepts names, establishes, and removes objects. Every server runs it; writes require an unchanged definition. */
export class LifeCycles {
  readonly #options: LifeCycleOptions;
  readonly #rounds = new Rounds(() => this.#round());
  readonly #cleanup: Cleanup;
  readonly #apiServices: DefinedApiServices | null;
  readonly #unsubscribe: () => void;

  constructor(options: LifeCycleOptions) {
    this.#options = options;
    this.#cleanup = new Cleanup({ ...options, target: (name) => this.#target(name), signal: this.#rounds.signal });
    const { apiServices } = options;
    this.#apiServices = apiServices === null ? null : new DefinedApiServices({ ...options, apiServices });
    this.#unsubscribe = options.resources.onChange(() => {
      this.#rounds.request();
    });
    this.#rounds.request();
  }

  stop(): void {
    this.#rounds.stop();
    this.#apiServices?.stop();
    this.#unsubscribe();
  }

  async #round(): Promise<boolean> {
    const all = this.#options.resources.lifeCycles;
    for (const lifeCycle of all) if (lifeCycle.awaitsCleanup) this.#cleanup.begin(lifeCycle.name);
    const byGroup = grouped(all);
    const due = all.filter((lifeCycle) => !lifeCycle.awaitsCleanup && planStatus(lifeCycle, byGroup.get(lifeCycle.group) ?? []) !== null);
    return !(await Promise.all(due.map(({ name }) => this.#update(name)))).includes(false);
  }

  async #update(name: string): Promise<boolean> {
    try {
      await this.#options.registry.update(
        this.#target(name),
        { apply: (current) => this.#planned(current), subresource: 'status', uid: null, mayCreate: null },
        ownWrites,
      );
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return true;
      this.#options.report(name, error);
      return false;
    }
  }

  /** Decides with a state of all definitions at least as new as this one. */
  async #planned(current: ApiObject | null): Promise<ApiObject> {
    const object: ApiObject = current ?? { metadata: {} };
    const own = readLifeCycle(object, Number(object.metadata.resourceVersion ?? 0));
    if (own.awaitsCleanup) return object;
    const plan = planStatus(own, await this.#others(own));
    return plan === null ? object : withStatus(object, plan, this.#options.now());
  }

  /** Once all is settled, everything before the read definition is in effect. */
  async #others({ group, name, version }: LifeCycle): Promise<LifeCycle[]> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      await this.#options.resources.settled();
      const all = this.#options.resources.lifeCycles.filter((other) => other.group === group);
      if ((all.find((other) => other.name === name)?.version ?? 0) >= version) return all;
      // The watch usually delivers a write soon; a failed one takes longer.
      await delay(lookMs, undefined, { signal: this.#rounds.signal });
    }
    throw new Error('definitions have changed that are not known here yet');
  }

  #target(name: string): Target {
    return { resource: this.#options.definitions, namespace: '', name };
  }
}

function grouped(all: readonly LifeCycle[]): ReadonlyMap<string, LifeCycle[]> {
  const groups = new Map<string, LifeCycle[]>();
  for (const lifeCycle of all) {
    const group = groups.get(lifeCycle.group);
    if (group === undefined) groups.set(lifeCycle.group, [lifeCycle]);
    else group.push(lifeCycle);
  }
  return groups;
}
