import type { ApiObject } from '../../../api/object.js';
import type { GroupResource } from '../../../api/resource.js';
import { StatusError } from '../../../api/status.js';
import type { Registry } from '../../registry/contract.js';
import { noDeleteOptions } from '../../registry/deletion.js';
import type { ServedResource } from '../../registry/resources.js';
import type { Storage, StoredObject } from '../../storage/contract.js';
import { follow, type Following } from '../../storage/follow.js';
import type { CustomResources } from '../definitions.js';
import { Rounds } from './rounds.js';
import { ownWrites } from '../../registry/ownWrites.js';

export interface DefinedApiServicesOptions {
  readonly resources: CustomResources;
  readonly storage: Pick<Storage, 'watch'>;
  readonly registry: Registry;
  /** The catalogue entry of APIServices. */
  readonly apiServices: ServedResource;
  readonly report: (name: string, error: unknown) => void;
}

const apiServices: GroupResource = { group: 'apiregistration.k8s.io', resource: 'apiservices' };

/** Marks objects that follow definitions; others are left alone. */
const managed = 'kube-aggregator.kubernetes.io/automanaged';
/** Custom resources follow all built-in ones; versions are ordered by name. */
const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 };

/**
 * Maintains an APIService per group version of definitions, for clients that read them. Every server runs it, and removes only objects that it has seen, whose
 * definitions it has therefore seen, too.
 */
export class DefinedApiServices {
  readonly #options: DefinedApiServicesOptions;
  readonly #known = new Map<string, StoredObject>();
  readonly #following: Following;
  readonly #unsubscribe: () => void;
  readonly #rounds = new Rounds(() => this.#round());

  constructor(options: DefinedApiServicesOptions) {
    this.#options = options;
    this.#following = follow(options.storage, apiServices, {
      put: (object) => {
        this.#known.set(object.name, object);
      },
      remove: (_, name) => {
        this.#known.delete(name);
        this.#rounds.request();
      },
    });
    this.#unsubscribe = options.resources.onChange(() => {
      this.#rounds.request();
    });
    void this.#following.synced.then(() => {
      this.#rounds.request();
    });
  }

  stop(): void {
    this.#rounds.stop();
    this.#following.stop();
    this.#unsubscribe();
  }

  async #round(): Promise<boolean> {
    await this.#following.synced;
    const present = new Map(this.#known);
    await this.#options.resources.settled();
    const wanted = wantedOf(this.#options.resources);
    const missing = [...wanted]
      .filter(([name]) => !present.has(name))
      .map(([name, object]) => this.#attempt(name, () => this.#create(object)));
    const surplus = (this.#options.resources.complete ? [...present] : [])
      .filter(([name, { labels }]) => labels[managed] === 'true' && !wanted.has(name))
      .map(([name, object]) => this.#attempt(name, () => this.#remove(object)));
    return !(await Promise.all([...missing, ...surplus])).includes(false);
  }

  #create(object: ApiObject): Promise<unknown> {
    return this.#options.registry.create({ resource: this.#options.apiServices, namespace: '', name: '' }, object, ownWrites);
  }

  #remove({ name, version }: StoredObject): Promise<unknown> {
    return this.#options.registry.delete(
      { resource: this.#options.apiServices, namespace: '', name },
      { ...noDeleteOptions, resourceVersion: String(version) },
      ownWrites,
    );
  }

  /** Returns false to retry; a lost race is no failure. */
  async #attempt(name: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof StatusError && (error.code === 404 || error.code === 409)) return true;
      if (!this.#rounds.signal.aborted) this.#options.report(name, error);
      return false;
    }
  }
}

function wantedOf({ catalogue }: CustomResources): ReadonlyMap<string, ApiObject> {
  const versions = catalogue.groups.flatMap(({ name: group, versions: served }) => served.map(({ version }) => ({ group, version })));
  return new Map(
    versions.map(({ group, version }) => [
      `${version}.${group}`,
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `${version}.${group}`, labels: { [managed]: 'true' } },
        spec: { group, version, ...priorities },
      },
    ]),
  );
}
