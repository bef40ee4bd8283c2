import { randomUUID } from 'node:crypto';
import { timeText } from '../../api/time.js';
import type { Admission, AdmissionRequest } from '../admission/contract.js';
import { copyOf } from '../api/copy.js';
import type { ApiObject, JsonObject } from '../api/object.js';
import { qualifiedName, type GroupResource } from '../api/resource.js';
import { conflict, forbidden, invalidObject, notFound, plainError, StatusError, unavailable } from '../api/status.js';
import type { EnabledFeatures } from '../features/fieldGates.js';
import { binaryMinor, gatesOf } from '../features/gates.js';
import type { Consistency, ObjectKey, SideWrite, Storage, StoredObject, Watch, WatchSink } from '../storage/contract.js';
import { DamagedValueError } from '../storage/encoding.js';
import { allocationAttemptsMax, type Allocator, type Allocators } from './allocation.js';
import type {
  AdmissionQuestion,
  Change,
  CreationCheck,
  Deleted,
  DeletionTerms,
  ListPage,
  ListQuery,
  Registry,
  Target,
  WatchQuery,
  WriteOptions,
  Written,
} from './contract.js';
import { servedObject, toStorage } from './conversion.js';
import { completesDeletion, planDeletion, type DeleteOptions } from './deletion.js';
import { sameValue } from './equality.js';
import { expiredList, modified, nameTaken, readFailure, writeFailure } from './failures.js';
import { fitting } from './fitting.js';
import { gatedFieldDropper, type DropGatedFields } from './gatedFields.js';
import { generatedName } from './generatedName.js';
import { storedForm } from './metadata.js';
import { admitToNamespace, labelsOfNamespace, type NamespaceProvider } from './namespaceLifecycle.js';
import { withoutRepeatedOwners } from './ownerReferences.js';
import type { ServedResource } from './resources.js';
import type { WriteContext } from './rules.js';
import type { WriteRequest } from './writeRequest.js';
import type { ChangeSteps, CreateSteps } from './strategy.js';
import { transientObject } from './transient.js';
import { isHeavy, nextTurn } from './turns.js';
import { invalid, Path, toCause } from './validation/field.js';
import {
  beginCreate,
  beginUpdate,
  checkIdentity,
  checkVersion,
  nameAndValidate,
  ownersOfUpdate,
  prepareCreate,
  prepareUpdate,
  wrongUid,
  type UpdateStep,
} from './writes.js';

/** A generated name that is taken is replaced by another one this often. */
const nameAttemptsMax = 8;
/** Every round one of the competing writers wins, so this many writers of one object can compete. */
const writeAttemptsMax = 100;
/** Deletions of one deletecollection under way at the same time, unless told. */
const deletionsAtOnceDefault = 1;

export interface RegistryOptions {
  readonly storage: Storage;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Numbers in [0, 1), for generated names. */
  readonly random?: () => number;
  readonly newUid?: () => string;
  /** For the resources that hold what the cluster has only once. */
  readonly allocators?: Allocators;
  readonly admission?: Admission | null;
  /** `--delete-collection-workers`: objects of one collection that are deleted at the same time. */
  readonly deletionsAtOnce?: number;
  /** Whether somebody collects what deleted objects owned. Default: yes. */
  readonly collectsGarbage?: boolean;
  /** Makes a namespace that is not there, for an object that is to be created in it; false where it does not. */
  readonly provideNamespace?: NamespaceProvider | null;
  /** Default: those that the release has on by default. */
  readonly enabled?: EnabledFeatures;
  /** Told of changes of single resources. */
  readonly observers?: readonly UpdateObserver[];
}

/** Who wants to know of changes through one subresource. */
export interface UpdateObserver {
  readonly resource: GroupResource;
  readonly subresource: string;
  /** A change is stored. Changes nothing, and does not throw. */
  updated(old: StoredObject, object: StoredObject): void;
}

const gatesByDefault = gatesOf(binaryMinor);
const byDefault: EnabledFeatures = (feature) => gatesByDefault.get(feature)?.byDefault ?? false;

export const createRegistry = (options: RegistryOptions): Registry => new GenericRegistry(options);

/** What is known of an object when a write is worked out. */
interface Known {
  readonly stored: StoredObject | null;
  /** Read with the latest state rather than from this replica's, which may be behind. */
  readonly fresh: boolean;
}

/** What a new object may be called, and what its creation depends on besides its content. */
interface NewNames {
  readonly prefix: string;
  readonly firstName: string;
  /** The version that the client sent, which a new object should not have. */
  readonly version: string;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** Null for a request to create, which has been authorized as such. */
  readonly mayCreate: CreationCheck | null;
  /** As `isHeavy` found it. */
  readonly heavy: boolean;
}

interface UpdateAgain {
  readonly outcome: 'again';
  /** A newer state than the one that was looked at; null when it has to be read. */
  readonly seen: StoredObject | null;
  /** What the client is told, or thrown at it, if the state that was looked at turns out to be the latest. */
  readonly answer: (() => Written) | null;
}

type CreateOutcome =
  | { readonly taken: { readonly terminating: boolean } }
  | { readonly taken: null; readonly object: StoredObject }
  /** Another writer has claimed a value that was allocated to the object. */
  | 'claimLost';

class GenericRegistry implements Registry {
  private readonly storage: Storage;
  private readonly now: () => number;
  private readonly random: () => number;
  private readonly newUid: () => string;

  private second = Number.NaN;
  private secondText = '';

  private readonly allocators: Allocators;
  private readonly admission: Admission | null;
  private readonly deletionsAtOnce: number;
  private readonly collectsGarbage: boolean;
  private readonly provideNamespace: NamespaceProvider | null;
  private readonly enabled: EnabledFeatures;
  private readonly dropGated: DropGatedFields;
  private readonly observers: readonly UpdateObserver[];

  constructor({
    storage,
    now = Date.now,
    random = Math.random,
    newUid = randomUUID,
    allocators = {},
    admission = null,
    deletionsAtOnce = deletionsAtOnceDefault,
    collectsGarbage = true,
    provideNamespace = null,
    enabled = byDefault,
    observers = [],
  }: RegistryOptions) {
    this.observers = observers;
    this.enabled = enabled;
    this.dropGated = gatedFieldDropper(enabled);
    this.collectsGarbage = collectsGarbage;
    this.provideNamespace = provideNamespace;
    this.deletionsAtOnce = deletionsAtOnce;
    this.storage = storage;
    this.allocators = allocators;
    this.admission = admission;
    this.now = now;
    this.random = random;
    this.newUid = newUid;
  }

  async get(target: Target, consistency: Consistency): Promise<StoredObject> {
    const result = await this.storageOf(target.resource).get(keyOf(target), consistency);
    if (result.outcome === 'found') return result.object;
    throw result.outcome === 'absent' ? absent(target) : readFailure(result);
  }

  async list(resource: ServedResource, query: ListQuery, expiredMessage = expiredList): Promise<ListPage> {
    const result = await this.storageOf(resource).list({ ...query, resource: resource.storage });
    if (result.outcome === 'found') return result;
    throw readFailure(result, { expiredMessage });
  }

  watch(resource: ServedResource, query: WatchQuery, sink: WatchSink): Watch {
    return this.storageOf(resource).watch({ ...query, resource: resource.storage }, sink);
  }

  create(target: Target, object: ApiObject, options: WriteOptions): Promise<StoredObject> {
    return this.createIfAllowed(target, object, null, this.begin(options));
  }

  private async createIfAllowed(
    target: Target,
    object: ApiObject,
    mayCreate: CreationCheck | null,
    request: WriteRequest,
  ): Promise<StoredObject> {
    const { resource } = target;
    const body = toStorage(resource, object);
    withoutRepeatedOwners(body.metadata, 'sent').forEach(request.warn);
    // Without a name of its own, an object gets one from its prefix; the first is chosen now because refusals name the object.
    const prefix = (body.metadata.name ?? '') === '' ? (body.metadata.generateName ?? '') : '';
    const firstName = prefix === '' ? (body.metadata.name ?? '') : generatedName(prefix, this.random);
    const namespaceLabels = resource.namespaced ? await this.namespaceFor(target, firstName, request) : {};
    const version = body.metadata.resourceVersion ?? '';
    const heavy = isHeavy(body as JsonObject);
    if (heavy) await nextTurn();
    const owners = beginCreate(target, body, request);
    if (heavy) await nextTurn();
    if (owners !== undefined) body.metadata.managedFields = owners;
    const admitted = this.admission?.admit(
      admissionRequest(target, { operation: 'CREATE', name: firstName, object: body, old: null }, request),
    );
    if (admitted !== undefined) await admitted;
    withoutRepeatedOwners(body.metadata, 'admitted').forEach(request.warn);
    // Admission may name what has no name yet.
    const given = body.metadata.name ?? '';
    prepareCreate(target, body, request, { uid: this.newUid(), owners });
    if (heavy) await nextTurn();
    // So may the rules of a kind, where neither did.
    const prepared = body.metadata.name ?? '';
    const named = given !== '' ? given : prefix === '' ? prepared : firstName;
    const names: NewNames = { prefix: given === '' ? prefix : '', firstName: named, version, namespaceLabels, mayCreate, heavy };
    return this.createNamed(target, body, names, request);
  }

  /** The labels of the namespace for a new object. A dry run makes no namespace. */
  private namespaceFor(target: Target, name: string, { dryRun }: WriteOptions): Promise<Readonly<Record<string, string>>> {
    return admitToNamespace(this.storage, target, name, dryRun ? null : this.provideNamespace);
  }

  private async createNamed(target: Target, body: ApiObject, names: NewNames, request: WriteRequest): Promise<StoredObject> {
    let name = names.firstName;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.allocateAndCreate(target, body, { name, names }, request);
      if (outcome.taken === null) return outcome.object;
      if (names.prefix === '' || attempt >= nameAttemptsMax) throw nameTaken(target.resource.storage, name, outcome.taken.terminating);
      name = generatedName(names.prefix, this.random);
    }
  }

  /** One name. What is allocated is chosen again when another writer was faster. */
  private async allocateAndCreate(
    target: Target,
    body: ApiObject,
    { name, names }: { readonly name: string; readonly names: NewNames },
    request: WriteRequest,
  ): Promise<Exclude<CreateOutcome, 'claimLost'>> {
    const { version, namespaceLabels, mayCreate, heavy } = names;
    const allocator = this.allocatorOf(target);
    const steps = target.resource.behaviour.strategy.create;
    for (let attempt = 0; attempt < allocationAttemptsMax; attempt++) {
      const object = allocator === null && steps.named === null ? body : structuredClone(body);
      object.metadata.name = name;
      const beside = allocator === null ? [] : await allocator.allocate(object, null, request);
      const reviewing = reviewAhead(steps, object);
      if (reviewing !== null) await reviewing;
      const checked = nameAndValidate(target, object, { name, namespaceLabels, enabled: this.enabled });
      const form = checked instanceof Promise ? await checked : checked;
      if (heavy) await nextTurn();
      // What is acceptable but doubtful is told even if others refuse it, or the name is taken.
      steps.warnings(object).forEach(request.warn);
      if (!request.dryRun && target.name === '' && version !== '' && version !== '0')
        throw plainError(500, 'resourceVersion should not be set on objects to be created');
      if (mayCreate !== null) await mayCreate();
      const admitted = this.admission?.validate(admissionRequest(target, { operation: 'CREATE', name, object, old: null }, request));
      if (admitted !== undefined) await admitted;
      const outcome = await this.tryCreate(target, form, beside, request);
      if (outcome !== 'claimLost') return outcome;
    }
    throw unavailable('too many writers compete for the same values; try again');
  }

  private async tryCreate(target: Target, form: ApiObject, beside: readonly SideWrite[], request: WriteRequest): Promise<CreateOutcome> {
    const { resource, namespace } = target;
    const { name = '' } = form.metadata;
    const key: ObjectKey = { resource: resource.storage, namespace, name };
    if (request.dryRun) {
      const present = await this.read({ ...target, name }, 'mostRecent');
      return present === null ? { taken: null, object: transientObject(form, 0) } : { taken: { terminating: isDeleting(present) } };
    }
    const storage = this.storageOf(target.resource);
    const result = await fitting(form, (object) => storage.create(key, object, { timeoutMs: request.timeoutMs, beside }));
    switch (result.outcome) {
      case 'applied':
        return { taken: null, object: result.object };
      case 'taken':
        return 'claimLost';
      case 'conflict':
        return { taken: { terminating: result.current !== null && isDeleting(result.current) } };
      default:
        throw writeFailure(result);
    }
  }

  async update(target: Target, change: Change, options: WriteOptions): Promise<Written> {
    const request = this.begin(options);
    let known: Known = { stored: await this.read(target, 'any'), fresh: false };
    for (let attempt = 0; attempt < writeAttemptsMax; attempt++) {
      const outcome = await this.tryUpdate(target, change, known, request);
      if (outcome.outcome === 'done') return outcome;
      if (outcome.seen !== null && outcome.seen.version > (known.stored?.version ?? 0)) {
        known = { stored: outcome.seen, fresh: false };
        continue;
      }
      const stored = await this.read(target, 'mostRecent');
      if (stored !== null && outcome.answer !== null && stored.version === known.stored?.version) return outcome.answer();
      known = { stored, fresh: true };
    }
    throw modified(target.resource.storage, target.name);
  }

  /**
   * One round of an update. Whatever comes out of a state that may be outdated, except a write that storage checks itself, waits for the latest
   * state: a refusal, "nothing changed", or the object's absence. If that is the same, the answer stands; else it is worked out again.
   */
  private async tryUpdate(
    target: Target,
    change: Change,
    known: Known,
    request: WriteRequest,
  ): Promise<({ readonly outcome: 'done' } & Written) | UpdateAgain> {
    try {
      if (known.stored === null)
        return known.fresh
          ? { outcome: 'done', object: await this.createByUpdate(target, change, request), created: true }
          : { outcome: 'again', seen: null, answer: null };
      const step = await this.planUpdate(target, change, known.stored, request);
      // What is kept with an old key is written although nothing in it has changed.
      if (step.step === 'unchanged' && (request.dryRun || !(await this.storageOf(target.resource).isStale(keyOf(target))))) {
        const { stored } = known;
        const unchanged: { readonly outcome: 'done' } & Written = { outcome: 'done', object: stored, created: false };
        return known.fresh ? unchanged : { outcome: 'again', seen: null, answer: () => unchanged };
      }
      const written = await this.write(target, known.stored, step, request);
      if (written.outcome === 'again') return { ...written, answer: null };
      if (!request.dryRun) this.tell(target, change.subresource, known.stored, written.object);
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

  private async planUpdate(
    target: Target,
    change: Change,
    stored: StoredObject,
    request: WriteRequest,
  ): Promise<UpdateStep & { readonly beside: readonly SideWrite[] }> {
    const old = stored.decode();
    if (change.uid !== null && change.uid !== old.metadata.uid)
      throw wrongUid(target, { wanted: change.uid, actual: old.metadata.uid ?? '', dryRun: request.dryRun });
    const heavy = isHeavy(old as JsonObject);
    if (heavy) await nextTurn();
    const current = change.replaces === true ? { metadata: {} } : servedObject(target.resource, stored);
    const changed = change.apply(current);
    const object = toStorage(target.resource, changed instanceof Promise ? await changed : changed);
    withoutRepeatedOwners(object.metadata, 'sent').forEach(request.warn);
    if (heavy) await nextTurn();
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
    beginUpdate(target, object);
    if (heavy) await nextTurn();
    const admitting = change.admitted === true ? undefined : this.admission?.admit(admitted());
    if (admitting !== undefined) await admitting;
    withoutRepeatedOwners(object.metadata, 'admitted').forEach(request.warn);
    checkVersion(object.metadata, stored, target);
    const allocator = change.subresource === '' ? this.allocatorOf(target) : null;
    const beside = allocator === null ? [] : await allocator.allocate(object, old, request);
    if (heavy) await nextTurn();
    const owners =
      applied ??
      (sent.object === undefined
        ? undefined
        : await ownersOfUpdate(target, { object: sent.object, old, subresource: change.subresource }, request));
    const steps = target.resource.behaviour.strategy.through(change.subresource);
    const reviewing = reviewAhead(steps, object);
    if (reviewing !== null) await reviewing;
    const namespaceLabels = steps.readsNamespace(object, old) ? await labelsOfNamespace(this.storage, target.namespace) : undefined;
    const { now, user, manager, dryRun, enabled, dropGated } = request;
    const context: Whole<WriteContext> = {
      now,
      user,
      manager,
      owners: owners ?? request.owners,
      dryRun,
      enabled,
      dropGated,
      namespaceLabels,
    };
    const prepared = prepareUpdate(target, { object, old, subresource: change.subresource }, context);
    const step = prepared instanceof Promise ? await prepared : prepared;
    step.warnings.forEach(request.warn);
    if (heavy) await nextTurn();
    // Who changes nothing may still be refused.
    const validating = change.admitted === true ? undefined : this.admission?.validate(admitted());
    if (validating !== undefined) await validating;
    return { ...step, beside };
  }

  private async createByUpdate(target: Target, change: Change, request: WriteRequest): Promise<StoredObject> {
    const { mayCreate } = change;
    // Who names another object in a PUT is told so before it is told that there is none.
    const put = change.replaces === true ? await this.fromNothing(target, change) : null;
    const creates = change.applies === true || target.resource.behaviour.strategy.update.creates;
    if (mayCreate === null || !creates || change.subresource !== '') throw absent(target);
    const object = put ?? (await this.fromNothing(target, change));
    if (target.resource.namespaced) await this.namespaceFor(target, target.name, request);
    if (change.uid !== null) throw wrongUid(target, { wanted: change.uid, actual: '', dryRun: request.dryRun });
    return this.createIfAllowed(
      target,
      object,
      mayCreate,
      change.applies === true ? { ...request, owners: object.metadata.managedFields ?? [] } : request,
    );
  }

  /** What a change makes where there is nothing yet. */
  private async fromNothing(target: Target, change: Change): Promise<ApiObject> {
    const object = await change.apply(null);
    checkIdentity(object.metadata, target);
    return object;
  }

  private tell({ resource: { storage } }: Target, subresource: string, old: StoredObject, object: StoredObject): void {
    for (const observer of this.observers)
      if (
        observer.subresource === subresource &&
        observer.resource.resource === storage.resource &&
        observer.resource.group === storage.group
      )
        observer.updated(old, object);
  }

  /** Stores the new state, or removes the object when the new state completes its deletion. */
  private async write(
    target: Target,
    stored: StoredObject,
    { object, beside }: { readonly object: ApiObject; readonly beside: readonly SideWrite[] },
    request: WriteRequest,
  ): Promise<
    { readonly outcome: 'done'; readonly object: StoredObject } | { readonly outcome: 'again'; readonly seen: StoredObject | null }
  > {
    const completes = completesDeletion(object, target.resource.behaviour.strategy.delete);
    if (request.dryRun) return { outcome: 'done', object: transientObject(object, stored.version) };
    const { timeoutMs } = request;
    const storage = this.storageOf(target.resource);
    const result = completes
      ? await storage.delete(keyOf(target), stored.version, { timeoutMs, beside: this.released(target, stored) })
      : await fitting(object, (fitted) => storage.update(keyOf(target), fitted, stored.version, { timeoutMs, beside }));
    switch (result.outcome) {
      case 'applied':
        return { outcome: 'done', object: completes ? transientObject(object, result.object.version) : result.object };
      case 'taken':
        return { outcome: 'again', seen: null };
      case 'conflict':
        return { outcome: 'again', seen: result.current };
      default:
        throw writeFailure(result);
    }
  }

  async admit(target: Target, question: AdmissionQuestion, options: WriteOptions): Promise<void> {
    const asked = admissionRequest(target, { ...question, name: target.name, old: null }, options);
    await this.admission?.admit(asked);
    await this.admission?.validate(asked);
  }

  delete(target: Target, deleteOptions: DeleteOptions, options: WriteOptions, terms: DeletionTerms = {}): Promise<Deleted> {
    return this.deleteOne(target, deleteOptions, this.begin(options), terms);
  }

  private async deleteOne(target: Target, deleteOptions: DeleteOptions, request: WriteRequest, terms: DeletionTerms): Promise<Deleted> {
    const rules = target.resource.behaviour.strategy.delete;
    const why = rules.protectedBy(target.name);
    if (why !== null) throw forbidden(target.resource.storage, target.name, why);
    const deleted = await this.deleteUnprotected(target, deleteOptions, request, terms);
    rules.warnings(deleteOptions.propagationPolicy).forEach(request.warn);
    return deleted;
  }

  private async deleteUnprotected(
    target: Target,
    deleteOptions: DeleteOptions,
    request: WriteRequest,
    terms: DeletionTerms,
  ): Promise<Deleted> {
    let known: Known = { stored: await this.read(target, 'any'), fresh: false };
    for (let attempt = 0; attempt < writeAttemptsMax; attempt++) {
      const outcome = await this.tryDelete(target, deleteOptions, { ...known, terms }, request);
      if (outcome !== 'again') return outcome;
      known = { stored: await this.read(target, 'mostRecent'), fresh: true };
    }
    throw modified(target.resource.storage, target.name);
  }

  private async tryDelete(
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
    await this.admitDeletion(target, old, request, terms);
    const circumstances = { now: request.now, collects: this.collectsGarbage };
    const plan = planDeletion(old, deleteOptions, target.resource.behaviour.strategy.delete, circumstances);
    const state = plan.action === 'mark' ? plan.object : plan.marked;
    if (state === null) return this.remove(target, stored, request);
    const marked = await this.mark(target, stored, state, request);
    // That there is nothing to mark may be so in an outdated state alone.
    if (marked === 'again' || (marked === stored && !fresh)) return 'again';
    if (plan.action === 'mark' || request.dryRun) return { object: marked, gone: plan.action === 'remove' };
    return this.remove(target, marked, request);
  }

  private async admitDeletion(
    target: Target,
    old: ApiObject | null,
    options: WriteOptions,
    { admitted = false, unnamed = false }: DeletionTerms = {},
  ): Promise<void> {
    if (admitted) return;
    const asked = admissionRequest(target, { operation: 'DELETE', name: unnamed ? '' : target.name, object: null, old }, options);
    await this.admission?.admit(asked);
    await this.admission?.validate(asked);
  }

  private async remove(target: Target, stored: StoredObject, request: WriteRequest): Promise<Deleted | 'again'> {
    if (request.dryRun) return { object: stored, gone: true };
    const result = await this.storageOf(target.resource).delete(keyOf(target), stored.version, {
      timeoutMs: request.timeoutMs,
      beside: this.released(target, stored),
    });
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

  /** The object as it then is: `stored` itself where it is so marked already. */
  private async mark(target: Target, stored: StoredObject, object: ApiObject, request: WriteRequest): Promise<StoredObject | 'again'> {
    const form = storedForm(object, stored.apiVersion);
    if (sameValue(form, storedForm(stored.decode(), stored.apiVersion))) return stored;
    if (request.dryRun) return transientObject(form, stored.version);
    const result = await this.storageOf(target.resource).update(keyOf(target), form, stored.version, { timeoutMs: request.timeoutMs });
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

  async deleteCollection(
    resource: ServedResource,
    query: ListQuery,
    deleteOptions: DeleteOptions,
    options: WriteOptions,
  ): Promise<ListPage> {
    const request = this.begin(options);
    const page = await this.list(resource, query);
    // Shared by all workers: each takes the next object when it is done with one. After a failure nobody takes another.
    const left = page.items.values();
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      for (const { namespace, name } of left) {
        await this.deleteOne({ resource, namespace, name }, deleteOptions, request, { unnamed: true }).catch((error: unknown) => {
          if (!isNotFound(error)) failures.push(error);
        });
        if (failures.length > 0) return;
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.deletionsAtOnce, page.items.length) }, work));
    if (failures.length > 0) throw failures[0];
    return page;
  }

  async deleteUnreadable(target: Target, options: WriteOptions): Promise<void> {
    const key = keyOf(target);
    const damage = await this.damageOf(target);
    await this.admitDeletion(target, null, options);
    const result = await this.storageOf(target.resource).delete(key, damage.version, { timeoutMs: options.timeoutMs });
    switch (result.outcome) {
      case 'applied':
        return;
      // Somebody else has removed or replaced it: what the client wanted gone is gone, or not what it meant.
      case 'conflict':
      case 'taken':
        throw modified(target.resource.storage, target.name);
      default:
        throw writeFailure(result);
    }
  }

  private async damageOf(target: Target): Promise<DamagedValueError> {
    try {
      await this.read(target, 'mostRecent');
    } catch (error) {
      if (error instanceof DamagedValueError) return error;
      throw error;
    }
    const { group, resource: kind } = target.resource;
    throw invalidObject({ group, kind }, target.name, [
      toCause(invalid(force, true, 'is exclusively used to delete corrupt object(s), try again by removing this option')),
    ]);
  }

  private async read(target: Target, at: 'any' | 'mostRecent'): Promise<StoredObject | null> {
    const result = await this.storageOf(target.resource).get(keyOf(target), { at });
    if (result.outcome === 'found') return result.object;
    if (result.outcome === 'absent') return null;
    throw readFailure(result);
  }

  private storageOf(resource: ServedResource): Storage {
    return resource.behaviour.storage(this.storage);
  }

  private allocatorOf({ resource }: Target): Allocator | null {
    return this.allocators[qualifiedName(resource.storage)] ?? null;
  }

  private released(target: Target, stored: StoredObject): readonly SideWrite[] {
    return this.allocatorOf(target)?.release(stored.decode()) ?? [];
  }

  /** Made once a second: each write has the time in it. */
  private nowText(): string {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.secondText = timeText(second * 1000);
    }
    return this.secondText;
  }

  /** What travels with one write: here, and nowhere else, the clock is read for it. */
  private begin({ user, verb, manager, owners, dryRun, timeoutMs, warn, annotate, asked, waiter, deadline }: WriteOptions): WriteRequest {
    const { random, newUid, enabled, dropGated } = this;
    // Member by member, all of them: a spread costs several microseconds here, and every write makes one.
    const request: Whole<WriteRequest> = {
      user,
      verb,
      manager,
      owners,
      dryRun,
      timeoutMs,
      warn,
      annotate,
      asked,
      waiter,
      deadline,
      now: this.nowText(),
      random,
      newUid,
      enabled,
      dropGated,
    };
    return request;
  }
}

/** With every member named, though it may have no value. */
type Whole<T> = { readonly [Member in keyof Required<T>]: T[Member] };

const force = Path.of('ignoreStoreReadErrorWithClusterBreakingPotential');
/** Does what takes validation long about a large object beforehand, giving way to others; null where nothing does. */
const reviewAhead = (steps: CreateSteps | ChangeSteps, object: ApiObject): Promise<void> | null =>
  isHeavy(object as JsonObject) ? inTurns(steps.ahead(object)) : null;

async function inTurns(steps: Generator<void>): Promise<void> {
  while (steps.next().done !== true) await nextTurn();
}

const keyOf = ({ resource, namespace, name }: Target): ObjectKey => ({ resource: resource.storage, namespace, name });
const absent = ({ resource, name }: Target): StatusError => notFound({ group: resource.group, resource: resource.resource }, name);

type AdmissionSubject = Pick<AdmissionRequest, 'operation' | 'name' | 'object' | 'old'> &
  Partial<Pick<AdmissionRequest, 'subresource' | 'form' | 'changing'>>;

/** Member by member: every write makes two of them. */
const admissionRequest = (
  { resource, namespace }: Target,
  { operation, name, object, old, subresource = '', form = null, changing }: AdmissionSubject,
  { user, verb, dryRun, warn, annotate = ignore, asked, waiter, deadline = Infinity }: WriteOptions,
): AdmissionRequest => ({
  operation,
  verb: verb ?? plainVerbs[operation],
  resource,
  subresource,
  form,
  namespace,
  name,
  object,
  old,
  user,
  dryRun,
  options: operation === 'CONNECT' ? null : { kind: optionKinds[operation], apiVersion: 'meta.k8s.io/v1', ...asked },
  warn,
  annotate,
  waiter: waiter ?? null,
  deadline,
  changing,
});

const ignore = (): void => {};

const plainVerbs = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', CONNECT: 'connect' } as const;
const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

const isDeleting = (stored: StoredObject): boolean => stored.decode().metadata.deletionTimestamp !== undefined;
const isNotFound = (error: unknown): boolean => error instanceof StatusError && error.code === 404;

/** What is wrong with a deletion's preconditions; the reference names the kind here instead of the resource. */
function preconditionProblem(
  { resource, name }: Target,
  stored: StoredObject,
  old: ApiObject,
  { uid, resourceVersion }: DeleteOptions,
): StatusError | null {
  const kind = { group: resource.group, resource: resource.kind };
  const actual = old.metadata;
  if (uid !== null && uid !== actual.uid) {
    return conflict(
      kind,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${actual.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== null && resourceVersion !== String(stored.version)) {
    return conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${stored.version}). The object might have been modified`,
    );
  }
  return null;
}
