import type { ApiObject, JsonObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import { systemUser } from '../../api/user.js';
import type { Registry, WriteOptions } from '../../registry/contract.js';
import { objectAt } from '../../registry/defaulting.js';
import type { Catalogue } from '../../registry/resources.js';
import type { Storage } from '../../storage/contract.js';
import { follow, type Following } from '../../storage/follow.js';
import { typeChecking } from './typeCheck.js';

const group = 'admissionregistration.k8s.io';
const resourceName = 'validatingadmissionpolicies';
/** Between two attempts at what failed, and their number: a policy that changes is looked at anew in any case. */
const retryMs = 1_000;
const attemptsMax = 10;
const writeTimeoutMs = 10_000;

const ownWrites: WriteOptions = {
  user: systemUser,
  manager: 'kube-controller-manager',
  dryRun: false,
  timeoutMs: writeTimeoutMs,
  warn: () => {},
};

export interface PolicyStatusParts {
  readonly storage: Pick<Storage, 'watch'>;
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  /** Told of what went wrong. */
  readonly report: (name: string, error: unknown) => void;
}

const isObserved = (policy: ApiObject): boolean => objectAt(policy, 'status')?.['observedGeneration'] === policy.metadata.generation;

/**
 * Tells in the status of each validating policy whether its expressions fit the kinds that it is about. Runs on every server at once: each works that out
 * from the policy alone, and writes only where it is not there yet.
 */
export class PolicyStatuses {
  readonly #following: Following;
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(private readonly parts: PolicyStatusParts) {
    this.#following = follow(
      parts.storage,
      { group: group, resource: resourceName },
      {
        put: (object) => {
          if (!isObserved(object.decode())) void this.#observe(object.name, 1);
        },
        remove: () => {},
      },
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#following.stop();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #observe(name: string, attempt: number): Promise<void> {
    const { registry, catalogue, report } = this.parts;
    const resource = catalogue.resource(group, 'v1', resourceName);
    if (resource === null || this.#stopped) return;
    try {
      await registry.update(
        { resource, namespace: '', name },
        { apply: (current) => this.#observed(current), subresource: 'status', uid: null, mayCreate: null },
        ownWrites,
      );
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return;
      if (attempt < attemptsMax)
        this.#later(() => {
          void this.#observe(name, attempt + 1);
        });
      else report(name, error);
    }
  }

  #later(act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, retryMs);
    timer.unref();
    this.#timers.add(timer);
  }

  #observed(current: ApiObject | null): ApiObject {
    const policy: ApiObject = current ?? { metadata: {} };
    if (isObserved(policy)) return policy;
    const status: JsonObject = {
      ...objectAt(policy, 'status'),
      observedGeneration: policy.metadata.generation ?? 0,
      typeChecking: typeChecking(
        policy,
        (group, version, resource) => this.parts.catalogue.resource(group, version, resource)?.kind ?? null,
      ),
    };
    return { ...policy, status };
  }
}
