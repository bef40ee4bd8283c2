import { timed } from '../../program/tracing/requestLatency.js';
import { turns } from '../../workers/turns/turns.js';
import type { Admission, AdmissionRequest } from './admission.js';
import { copyOf } from '../../api/json/copy.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import type { SideWrite, StoredObject } from '../storage/contract.js';
import { admissionRequest } from './admissionRequest.js';
import type { Change, Written } from './contract.js';
import type { Target } from './target.js';
import { servedObject, toStorage } from './conversion.js';
import type { Creator } from './creator.js';
import { completesDeletion } from './deletion.js';
import { modified, writeFailure } from './failures.js';
import { sameValue } from '../../api/json/equality.js';
import { writeWithinLimit } from './writeWithinLimit.js';
import { labelsOfNamespace } from './namespaceLifecycle.js';
import { tellObservers, type UpdateObserver } from './observers.js';
import { ownersAdmitted } from './ownership.js';
import { withoutRepeatedOwners } from './ownerReferences.js';
import type { WriteContext } from './rules.js';
import { absent, keyOf, writeAttemptsMax, type Known, type StoredObjects } from './storedObjects.js';
import { transientInTurns } from './transient.js';
import { endedOf, isHeavy, nextTurn, reviewAhead } from './turns.js';
import type { Whole, WriteRequest } from './writeRequest.js';
import {
  beginUpdate,
  checkIdentity,
  checkNamespace,
  checkVersion,
  ownersOfUpdate,
  prepareUpdate,
  refuseUnreadableVersion,
  wrongUid,
  type UpdateStep,
} from './writes.js';

interface UpdateAgain {
  readonly outcome: 'again';
  /** Null when the newer state has to be read. */
  readonly seen: StoredObject | null;
  /** The response if the state that was read turns out to be the latest. */
  readonly answer: (() => Written) | null;
}

interface PlannedWrite {
  readonly stored: StoredObject;
  readonly step: { readonly object: ApiObject; readonly sideWrites: readonly SideWrite[] };
}

export interface UpdaterOptions {
  readonly objects: StoredObjects;
  readonly creator: Creator;
  readonly admission: Admission | null;
  readonly observers: readonly UpdateObserver[];
}

/** Computes a change from the stored state, and again when another writer changed it. */
export class Updater {
  readonly #objects: StoredObjects;
  readonly #creator: Creator;
  readonly #admission: Admission | null;
  readonly #observers: readonly UpdateObserver[];

  constructor({ objects, creator, admission, observers }: UpdaterOptions) {
    this.#objects = objects;
    this.#creator = creator;
    this.#admission = admission;
    this.#observers = observers;
  }

  async update(target: Target, change: Change, request: WriteRequest): Promise<Written> {
    let known: Known = { stored: await this.#objects.read(target, 'any'), fresh: false };
    const ended = endedOf(request);
    for (let attempt = 0; attempt < writeAttemptsMax; attempt++) {
      const outcome = await this.#tryUpdate(target, change, known, request);
      if (outcome.outcome === 'done') return outcome;
      // A writer may compute the change of a large object again and again.
      const why = ended();
      if (why !== null) throw why;
      if (outcome.seen !== null && outcome.seen.version > (known.stored?.version ?? 0)) {
        known = { stored: outcome.seen, fresh: false };
        continue;
      }
      const stored = await this.#objects.read(target, 'mostRecent');
      if (stored !== null && outcome.answer !== null && stored.version === known.stored?.version) return outcome.answer();
      known = { stored, fresh: true };
    }
    throw modified(target.resource.storage, target.name);
  }

  /**
   * A refusal, "nothing changed", or absence from a state that may be outdated waits for the latest state; if that is the same, the response stands. Storage
   * checks writes itself.
   */
  async #tryUpdate(
    target: Target,
    change: Change,
    known: Known,
    request: WriteRequest,
  ): Promise<({ readonly outcome: 'done' } & Written) | UpdateAgain> {
    try {
      if (known.stored === null)
        return known.fresh
          ? { outcome: 'done', object: await this.#createByUpdate(target, change, request), created: true }
          : { outcome: 'again', seen: null, answer: null };
      const step = await this.#planUpdate(target, change, known.stored, request);
      // An unchanged object under an old encryption key is written again.
      if (step.step === 'unchanged' && (request.dryRun || !(await this.#objects.storageOf(target.resource).isStale(keyOf(target))))) {
        const { stored } = known;
        const unchanged: { readonly outcome: 'done' } & Written = { outcome: 'done', object: stored, created: false };
        return known.fresh ? unchanged : { outcome: 'again', seen: null, answer: () => unchanged };
      }
      const written = await this.#write(target, change, { stored: known.stored, step }, request);
      if (written.outcome === 'again') return { ...written, answer: null };
      if (!request.dryRun)
        tellObservers(this.#observers, { target, subresource: change.subresource, old: known.stored, object: written.object });
      if (step.heavy) await turns.next();
      return { outcome: 'done', object: written.object, created: false };
    } catch (error) {
      if (!known.fresh && error instanceof StatusError && error.code < 500)
        return {
          outcome: 'again',
          seen: null,
          answer: () => {
            throw error;
          },
        };
      throw error;
    }
  }

  async #planUpdate(
    target: Target,
    change: Change,
    stored: StoredObject,
    request: WriteRequest,
  ): Promise<UpdateStep & { readonly sideWrites: readonly SideWrite[]; readonly heavy: boolean }> {
    const old = stored.decode();
    refuseOtherUid(target, change, { actual: old.metadata.uid ?? '', dryRun: request.dryRun });
    const { object, heavy } = await changedObject(target, change, { stored, old }, request);
    const applied = change.applies === true ? (object.metadata.managedFields ?? []) : undefined;
    const sent: { object?: ApiObject } = {};
    const changing = (): void => {
      sent.object ??= copyOf(object as JsonObject) as ApiObject;
    };
    const admitted = (): AdmissionRequest =>
      admissionRequest(
        target,
        { operation: 'UPDATE', subresource: change.subresource, form: change.form ?? null, name: target.name, object, old, changing },
        request,
      );
    const beginning = turns.run(beginUpdate(target, object), endedOf(request));
    if (beginning instanceof Promise) await beginning;
    if (heavy) await nextTurn(request);
    if (change.admitted !== true) await this.#admission?.admit(admitted());
    await this.#dropRepeatedOwners(object, 'admitted', request);
    checkNamespace(object.metadata, target);
    object.metadata.namespace = target.namespace;
    checkVersion(object.metadata, stored, target);
    const allocator = change.subresource === '' ? this.#objects.allocatorOf(target) : null;
    // Nobody owns what is allocated.
    if (applied === undefined && allocator !== null) changing();
    const sideWrites = allocator === null ? [] : await allocator.allocate(object, old, request);
    if (heavy) await nextTurn(request);
    const step = await this.#prepare(target, { object, applied, sent: sent.object ?? null, old, change }, request);
    if (heavy) await nextTurn(request);
    // Unchanged objects may still be refused.
    const validating = change.admitted === true ? undefined : this.#admission?.validate(admitted());
    if (validating !== undefined) await validating;
    return { ...step, sideWrites, heavy };
  }

  async #prepare(target: Target, admitted: AdmittedUpdate, request: WriteRequest): Promise<UpdateStep> {
    const owners = await ownersAfterAdmission(target, admitted, request);
    const {
      object,
      old,
      change: { subresource, respelled },
    } = admitted;
    const steps = target.resource.behaviour.strategy.through(subresource);
    const reviewing = reviewAhead(steps, object, request);
    if (reviewing !== null) await reviewing;
    const namespaceLabels = steps.readsNamespace(object, old)
      ? await labelsOfNamespace(this.#objects.storage, target.namespace)
      : undefined;
    const context = contextOf(request, owners, namespaceLabels);
    const step = await prepareUpdate(target, { object, old, subresource, respelled: respelled?.() ?? [] }, context);
    step.warnings.forEach(request.warn);
    return step;
  }

  async #createByUpdate(target: Target, change: Change, request: WriteRequest): Promise<StoredObject> {
    const { mayCreate } = change;
    // The wrong name's error precedes that of an absent object.
    const put = change.replaces === true ? await this.#fromNothing(target, change) : null;
    // Even where the object is absent.
    if (put !== null) await this.#dropRepeatedOwners(put, 'sent', request);
    const creates = target.resource.behaviour.strategy.createsThrough(change.subresource);
    if (mayCreate === null || creates === 'never' || (creates === 'apply' && change.applies !== true)) throw absent(target);
    const object = put ?? (await this.#fromNothing(target, change));
    // Preconditions come before the version (store.go).
    refuseOtherUid(target, change, { actual: '', dryRun: request.dryRun });
    refuseUnreadableVersion(object.metadata);
    await this.#creator.placeFor(target, { name: target.name, shownName: target.name }, request);
    if (isHeavy(object as JsonObject)) await nextTurn(request);
    return this.#creator.create(
      target,
      object,
      { mayCreate, subresource: change.subresource },
      change.applies === true ? { ...request, owners: object.metadata.managedFields ?? [] } : request,
    );
  }

  async #dropRepeatedOwners({ metadata }: ApiObject, moment: 'sent' | 'admitted', request: WriteRequest): Promise<void> {
    const repeated = turns.run(withoutRepeatedOwners(metadata, moment), endedOf(request));
    (repeated instanceof Promise ? await repeated : repeated).forEach(request.warn);
  }

  async #fromNothing(target: Target, change: Change): Promise<ApiObject> {
    const object = await change.apply(null);
    checkIdentity(object.metadata, target);
    return object;
  }

  async #write(
    target: Target,
    change: Change,
    { stored, step: { object, sideWrites } }: PlannedWrite,
    request: WriteRequest,
  ): Promise<
    { readonly outcome: 'done'; readonly object: StoredObject } | { readonly outcome: 'again'; readonly seen: StoredObject | null }
  > {
    const completes = completesDeletion(object, target.resource.behaviour.strategy.delete);
    if (request.dryRun)
      return {
        outcome: 'done',
        object: completes ? await transientInTurns(object, stored.version) : await this.#objects.rehearsed(target, object, stored.version),
      };
    const { timeoutMs } = request;
    const storage = this.#objects.storageOf(target.resource);
    const result = await timed(request.latency, 'etcd', () =>
      completes
        ? storage.delete(keyOf(target), stored.version, { timeoutMs, sideWrites: this.#objects.released(target, stored) })
        : writeWithinLimit(object, change.applies, (fitted) =>
            storage.update(keyOf(target), fitted, stored.version, { timeoutMs, sideWrites }),
          ),
    );
    switch (result.outcome) {
      case 'applied':
        return { outcome: 'done', object: completes ? await transientInTurns(object, result.object.version) : result.object };
      case 'taken':
        return { outcome: 'again', seen: null };
      case 'conflict':
        return { outcome: 'again', seen: result.current };
      default:
        throw writeFailure(result);
    }
  }
}

async function changedObject(
  target: Target,
  change: Change,
  { stored, old }: { readonly stored: StoredObject; readonly old: ApiObject },
  request: WriteRequest,
): Promise<{ readonly object: ApiObject; readonly heavy: boolean }> {
  const wasHeavy = isHeavy(old as JsonObject);
  if (wasHeavy) await nextTurn(request);
  const current = change.replaces === true ? { metadata: {} } : servedObject(target.resource, stored);
  if (wasHeavy && change.replaces !== true) await nextTurn(request);
  const changed = change.apply(current);
  const object = toStorage(target.resource, changed instanceof Promise ? await changed : changed);
  const sentTwice = change.replaces === true ? turns.run(withoutRepeatedOwners(object.metadata, 'sent'), endedOf(request)) : [];
  const heavy = wasHeavy || isHeavy(object as JsonObject);
  (sentTwice instanceof Promise ? await sentTwice : sentTwice).forEach(request.warn);
  if (heavy) await nextTurn(request);
  return { object, heavy };
}

interface AdmittedUpdate {
  readonly object: ApiObject;
  /** `managedFields` that server-side apply has computed. */
  readonly applied: JsonObject[] | undefined;
  /** Null where admission has changed nothing. */
  readonly sent: ApiObject | null;
  readonly old: ApiObject;
  readonly change: Change;
}

/** Undefined where the owners have to be computed from what was sent. */
async function ownersAfterAdmission(
  target: Target,
  { object, applied, sent, old, change }: AdmittedUpdate,
  request: WriteRequest,
): Promise<JsonObject[] | undefined> {
  if (sent === null) return applied;
  const [left, before] = [object.metadata.managedFields, sent.metadata.managedFields];
  const admitted = sameValue(left ?? [], before ?? []) ? null : ownersAdmitted(left, request.warn);
  if (admitted !== null || applied !== undefined) return admitted ?? applied;
  const update = { object: sent, old, subresource: change.subresource, respelled: change.respelled?.() ?? [] };
  return (await ownersOfUpdate(target, update, contextOf(request, undefined, undefined))) ?? [];
}

/** An absent object has no uid that could match. */
function refuseOtherUid(target: Target, { uid }: Change, found: { readonly actual: string; readonly dryRun: boolean }): void {
  if (uid !== null && uid !== found.actual) throw wrongUid(target, { wanted: uid, ...found });
}

function contextOf(
  request: WriteRequest,
  owners: JsonObject[] | undefined,
  namespaceLabels: WriteContext['namespaceLabels'],
): Whole<WriteContext> {
  const { now, user, manager, dryRun, enabled, dropGated, warn, owners: requested } = request;
  const own = { now, user, manager, owners: owners ?? requested, dryRun, enabled, dropGated, warn };
  return { ...own, namespaceLabels, subresource: '', ended: endedOf(request) };
}
