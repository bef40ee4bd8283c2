import type { Admission } from './admission.js';
import type { ApiObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { forbidden, invalidObject, StatusError } from '../../api/status.js';
import { timed } from '../../program/tracing/requestLatency.js';
import type { StoredObject, WriteResult } from '../storage/contract.js';
import { DamagedValueError } from '../storage/encoding.js';
import { admissionRequest } from './admissionRequest.js';
import type { Deleted, DeletionTerms, WriteOptions } from './contract.js';
import type { Target } from './target.js';
import { deletionWarnings, planDeletion, preconditionProblem, type DeleteOptions } from './deletion.js';
import { sameValue } from '../../api/json/equality.js';
import { modified, writeFailure } from './failures.js';
import { storedForm } from './metadata.js';
import type { ServedResource } from './resources.js';
import { absent, keyOf, writeAttemptsMax, type Known, type StoredObjects } from './storedObjects.js';
import { transientInTurns } from './transient.js';
import { nextTurn } from './turns.js';
import { invalid, Path, toCause } from './validation/field.js';
import type { WriteRequest } from './writeRequest.js';

/** Deletions of one collection whose commits a server awaits. */
const commitsAtOnce = 32;

export interface DeleterOptions {
  readonly objects: StoredObjects;
  readonly admission: Admission | null;
  readonly deletionsAtOnce: number;
  readonly collectsGarbage: boolean;
}

/** Deletes an object or a collection: removes objects, or marks them until their holders release them. */
export class Deleter {
  readonly #objects: StoredObjects;
  readonly #admission: Admission | null;
  readonly #deletionsAtOnce: number;
  readonly #collectsGarbage: boolean;

  constructor({ objects, admission, deletionsAtOnce, collectsGarbage }: DeleterOptions) {
    this.#objects = objects;
    this.#admission = admission;
    this.#deletionsAtOnce = deletionsAtOnce;
    this.#collectsGarbage = collectsGarbage;
  }

  async delete(target: Target, deleteOptions: DeleteOptions, request: WriteRequest, terms: DeletionTerms): Promise<Deleted> {
    const rules = target.resource.behaviour.strategy.delete;
    // The reference checks named objects only.
    const why = terms.unnamed === true ? null : rules.protectedBy(target.name);
    if (why !== null) throw forbidden(target.resource.storage, target.name, why);
    if (terms.unnamed !== true) deletionWarnings(target.resource, deleteOptions).forEach(request.warn);
    return this.#deleteUnprotected(target, deleteOptions, request, terms);
  }

  async #deleteUnprotected(target: Target, deleteOptions: DeleteOptions, request: WriteRequest, terms: DeletionTerms): Promise<Deleted> {
    let known: Known = { stored: await this.#objects.read(target, 'any'), fresh: false };
    for (let attempt = 0; attempt < writeAttemptsMax; attempt++) {
      const outcome = await this.#tryDelete(target, deleteOptions, { ...known, terms }, request);
      if (outcome !== 'again') return outcome;
      known = { stored: await this.#objects.read(target, 'mostRecent'), fresh: true };
    }
    throw modified(target.resource.storage, target.name);
  }

  async #tryDelete(
    target: Target,
    deleteOptions: DeleteOptions,
    { stored, fresh, terms }: Known & { readonly terms: DeletionTerms },
    request: WriteRequest,
  ): Promise<Deleted | 'again'> {
    if (stored === null) {
      if (!fresh) return 'again';
      throw absent(target);
    }
    const old = stored.decode();
    const problem = preconditionProblem(target, stored, old, deleteOptions);
    if (problem !== null) {
      if (!fresh) return 'again';
      throw problem;
    }
    await this.#admitDeletion(target, old, request, terms);
    const circumstances = { now: request.now, collects: this.#collectsGarbage };
    const plan = planDeletion(old, deleteOptions, target.resource.behaviour.strategy.delete, circumstances);
    const state = plan.action === 'mark' ? plan.object : plan.marked;
    if (state === null) return this.#remove(target, stored, request, terms);
    const marked = await this.#mark(target, { stored, marked: state }, request, terms);
    // Only the latest state can prove that nothing needs marking.
    if (marked === 'again' || (marked === stored && !fresh)) return 'again';
    if (plan.action === 'mark' || request.dryRun) return { object: marked, gone: plan.action === 'remove' };
    return this.#remove(target, marked, request, terms);
  }

  async #admitDeletion(
    target: Target,
    old: ApiObject | null,
    options: WriteOptions,
    { admitted = false, unnamed = false }: DeletionTerms = {},
  ): Promise<void> {
    if (admitted) return;
    const asked = admissionRequest(target, { operation: 'DELETE', name: unnamed ? '' : target.name, object: null, old }, options);
    await this.#admission?.admit(asked);
    await this.#admission?.validate(asked);
  }

  async #remove(target: Target, stored: StoredObject, request: WriteRequest, terms: DeletionTerms): Promise<Deleted | 'again'> {
    if (request.dryRun) return { object: stored, gone: true };
    const sideWrites = this.#objects.released(target, stored);
    const result = await this.#commit(request, terms, () =>
      this.#objects.storageOf(target.resource).delete(keyOf(target), stored.version, { timeoutMs: request.timeoutMs, sideWrites }),
    );
    switch (result.outcome) {
      case 'applied':
        return { object: result.object, gone: true };
      case 'conflict':
      case 'taken':
        return 'again';
      default:
        throw writeFailure(result);
    }
  }

  async #mark(
    target: Target,
    { stored, marked }: { readonly stored: StoredObject; readonly marked: ApiObject },
    request: WriteRequest,
    terms: DeletionTerms,
  ): Promise<StoredObject | 'again'> {
    const apiVersion = apiVersionOf(target.resource.storage);
    const form = storedForm(marked, apiVersion);
    if (sameValue(form, storedForm(stored.decode(), apiVersion))) return stored;
    if (request.dryRun) return transientInTurns(form, stored.version);
    const result = await this.#commit(request, terms, () =>
      this.#objects.storageOf(target.resource).update(keyOf(target), form, stored.version, { timeoutMs: request.timeoutMs }),
    );
    switch (result.outcome) {
      case 'applied':
        return result.object;
      case 'conflict':
      case 'taken':
        return 'again';
      default:
        throw writeFailure(result);
    }
  }

  #commit(request: WriteRequest, { committing }: DeletionTerms, write: () => Promise<WriteResult>): Promise<WriteResult> {
    return timed(request.latency, 'etcd', () => {
      const result = write();
      committing?.();
      return result;
    });
  }

  /**
   * Objects that are gone count as deleted. Each worker admits one object at a time, in the order of the list, and goes on once the store has the
   * write, so that commits overlap.
   */
  async deleteAll(
    resource: ServedResource,
    objects: readonly StoredObject[],
    deleteOptions: DeleteOptions,
    request: WriteRequest,
  ): Promise<void> {
    const failures: unknown[] = [];
    const commits = new Set<Promise<void>>();
    // All workers share this iterator.
    const left = objects.values();
    let begun = 0;
    const begin = ({ namespace, name }: StoredObject): Promise<void> =>
      new Promise((committing) => {
        const deletion = this.delete({ resource, namespace, name }, deleteOptions, request, { unnamed: true, committing })
          .then(
            () => undefined,
            (error: unknown) => void (isNotFound(error) || failures.push(error)),
          )
          .finally(() => {
            commits.delete(deletion);
            committing();
          });
        commits.add(deletion);
      });
    const work = async (): Promise<void> => {
      for (const object of left) {
        await begin(object);
        while (commits.size >= commitsAtOnce) await Promise.race(commits);
        if (failures.length > 0) return;
        if (++begun % commitsAtOnce === 0) await nextTurn(request);
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#deletionsAtOnce, objects.length) }, work));
    await Promise.all(commits);
    if (failures.length > 0) throw failures[0];
  }

  async deleteUnreadable(target: Target, options: WriteOptions): Promise<void> {
    const key = keyOf(target);
    const damage = await this.#damageOf(target);
    await this.#admitDeletion(target, null, options);
    const result = await this.#objects.storageOf(target.resource).delete(key, damage.version, { timeoutMs: options.timeoutMs });
    switch (result.outcome) {
      case 'applied':
        return;
      // Another writer has removed or replaced the object.
      case 'conflict':
      case 'taken':
        throw modified(target.resource.storage, target.name);
      default:
        throw writeFailure(result);
    }
  }

  async #damageOf(target: Target): Promise<DamagedValueError> {
    try {
      await this.#objects.read(target, 'mostRecent');
    } catch (error) {
      if (error instanceof DamagedValueError) return error;
      throw error;
    }
    const { group, resource: kind } = target.resource;
    throw invalidObject({ group, kind }, target.name, [
      toCause(invalid(force, true, 'is exclusively used to delete corrupt object(s), try again by removing this option')),
    ]);
  }
}

const force = Path.of('ignoreStoreReadErrorWithClusterBreakingPotential');

const isNotFound = (error: unknown): boolean => error instanceof StatusError && error.code === 404;
