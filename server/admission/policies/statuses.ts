import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { StatusError } from '../../../api/status.js';
import type { Registry, WriteOptions } from '../../registry/contract.js';
import { ownWrites } from '../../registry/ownWrites.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import type { Catalogue } from '../../registry/resources.js';
import type { Storage } from '../../storage/contract.js';
import { follow, type Following } from '../../storage/follow.js';
import { schemasFor, typeChecking, type Kinds, type SchemaOf } from '../../../cel/policies/typeCheck.js';

const group = 'admissionregistration.k8s.io';
const resourceName = 'validatingadmissionpolicies';
/** The delay and number of attempts after a failure: a changed policy is checked again anyway. */
const retryMs = 1_000;
const attemptsMax = 10;

/** The reference does this in a controller of the manager. */
const options: WriteOptions = { ...ownWrites, manager: 'kube-controller-manager' };

export interface PolicyStatusParts {
  readonly storage: Pick<Storage, 'watch'>;
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  /** Schemas of definitions, and a subscription to their changes, which returns its cancellation. */
  readonly schemaOf: SchemaOf;
  readonly onDefinitionsChange: (listener: () => void) => () => void;
  readonly report: (name: string, error: unknown) => void;
}

const isObserved = (policy: ApiObject): boolean => objectAt(policy, 'status')?.['observedGeneration'] === policy.metadata.generation;

interface Dependent {
  readonly policy: ApiObject;
  seen: readonly (JsonObject | null)[];
}

/**
 * Writes to the status of each validating policy whether its expressions match the types of its kinds, again when one of their definitions has changed. Every
 * server writes it where it is missing.
 */
export class PolicyStatuses {
  readonly #parts: PolicyStatusParts;
  readonly #following: Following;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #dependents = new Map<string, Dependent>();
  readonly #kinds: Kinds;
  readonly #endListening: () => void;
  #stopped = false;
  #looksSoon = false;

  constructor(parts: PolicyStatusParts) {
    this.#parts = parts;
    const { catalogue, schemaOf } = parts;
    this.#kinds = { schemaOf, kindOf: (of, version, resource) => catalogue.resource(of, version, resource)?.kind ?? null };
    this.#endListening = parts.onDefinitionsChange(() => {
      this.#lookSoon();
    });
    this.#following = follow(
      parts.storage,
      { group: group, resource: resourceName },
      {
        put: (object) => {
          const policy = object.decode();
          if (namesDefined(policy)) {
            // Definitions may have changed while no server was running.
            this.#dependents.set(object.name, { policy, seen: this.#dependents.get(object.name)?.seen ?? never });
            this.#lookSoon();
          } else this.#dependents.delete(object.name);
          if (!isObserved(policy)) void this.#observe(object.name, 1);
        },
        remove: (_namespace, name) => {
          this.#dependents.delete(name);
        },
      },
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#following.stop();
    this.#endListening();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Coalesces many changes of definitions. */
  #lookSoon(): void {
    if (this.#looksSoon || this.#dependents.size === 0) return;
    this.#looksSoon = true;
    setImmediate(() => {
      this.#looksSoon = false;
      if (!this.#stopped) this.#lookAtDefinitions();
    });
  }

  #lookAtDefinitions(): void {
    for (const [name, dependent] of this.#dependents) {
      const present = schemasFor(dependent.policy, this.#kinds);
      const { seen } = dependent;
      if (present.length === seen.length && present.every((schema, position) => schema === seen[position])) continue;
      dependent.seen = present;
      void this.#observe(name, 1);
    }
  }

  async #observe(name: string, attempt: number): Promise<void> {
    const { registry, catalogue, report } = this.#parts;
    const resource = catalogue.resource(group, 'v1', resourceName);
    if (resource === null || this.#stopped) return;
    try {
      await registry.update(
        { resource, namespace: '', name },
        { apply: (current) => this.#observed(current), subresource: 'status', uid: null, mayCreate: null },
        options,
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
    const before = objectAt(policy, 'status');
    if (isObserved(policy) && !namesDefined(policy)) return policy;
    const checked = typeChecking(policy, this.#kinds);
    if (isObserved(policy) && isDeepStrictEqual(before?.['typeChecking'] ?? {}, checked)) return policy;
    const status: JsonObject = { ...before, observedGeneration: policy.metadata.generation ?? 0, typeChecking: checked };
    return { ...policy, status };
  }
}

const never: readonly null[] = [null];

const isDomain = (value: JsonValue): boolean => String(value).includes('.');

function namesDefined(policy: ApiObject): boolean {
  const spec = objectAt(policy, 'spec') ?? {};
  const rules = objectsIn(objectAt(spec, 'matchConstraints') ?? {}, 'resourceRules');
  return rules.some((rule) => itemsOf(rule['apiGroups']).some(isDomain)) || isDomain(textAt(spec, 'paramKind', 'apiVersion'));
}
