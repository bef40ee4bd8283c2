import { randomUUID } from 'node:crypto';
import type { Admission } from './admission.js';
import type { ApiObject } from '../../api/object.js';
import { binaryMinor, type EnabledFeatures, gatesOf } from '../../program/features/gates.js';
import type { Consistency, Storage, StoredObject, Watch, WatchSink } from '../storage/contract.js';
import { admissionRequest } from './admissionRequest.js';
import type { Allocators } from './allocation.js';
import type {
  AdmissionQuestion,
  Change,
  Deleted,
  DeletionTerms,
  ListPage,
  ListQuery,
  Registry,
  WatchQuery,
  WriteOptions,
  Written,
} from './contract.js';
import type { Target } from './target.js';
import { Creator } from './creator.js';
import { Deleter } from './deleter.js';
import type { DeleteOptions } from './deletion.js';
import { expiredList, readFailure } from './failures.js';
import { usualTerms, type NamespaceTerms } from './namespaceLifecycle.js';
import type { UpdateObserver } from './observers.js';
import { RequestMaker } from './requestMaker.js';
import type { ServedResource } from './resources.js';
import { absent, keyOf, StoredObjects } from './storedObjects.js';
import { Updater } from './updater.js';

const deletionsAtOnceDefault = 1;

export interface RegistryOptions {
  readonly storage: Storage;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly random?: () => number;
  readonly newUid?: () => string;
  readonly allocators?: Allocators;
  readonly admission?: Admission | null;
  /** `--delete-collection-workers`. */
  readonly deletionsAtOnce?: number;
  /** Default true. */
  readonly collectsGarbage?: boolean;
  /** Default: they exist and are not terminating. */
  readonly namespaces?: NamespaceTerms;
  /** Default: the features that the release enables. */
  readonly enabled?: EnabledFeatures;
  readonly observers?: readonly UpdateObserver[];
}

const gatesByDefault = gatesOf(binaryMinor);
const byDefault: EnabledFeatures = (feature) => gatesByDefault.get(feature)?.byDefault ?? false;

export const createRegistry = (options: RegistryOptions): Registry => new GenericRegistry(options);

class GenericRegistry implements Registry {
  readonly #objects: StoredObjects;
  readonly #requests: RequestMaker;
  readonly #admission: Admission | null;
  readonly #creator: Creator;
  readonly #updater: Updater;
  readonly #deleter: Deleter;

  constructor({
    storage,
    now = Date.now,
    random = Math.random,
    newUid = randomUUID,
    allocators = {},
    admission = null,
    deletionsAtOnce = deletionsAtOnceDefault,
    collectsGarbage = true,
    namespaces = usualTerms,
    enabled = byDefault,
    observers = [],
  }: RegistryOptions) {
    const objects = new StoredObjects(storage, allocators);
    this.#objects = objects;
    this.#requests = new RequestMaker({ now, random, newUid, enabled });
    this.#admission = admission;
    this.#creator = new Creator({ objects, admission, namespaces });
    this.#updater = new Updater({ objects, creator: this.#creator, admission, observers });
    this.#deleter = new Deleter({ objects, admission, deletionsAtOnce, collectsGarbage });
  }

  async get(target: Target, consistency: Consistency): Promise<StoredObject> {
    const result = await this.#objects.storageOf(target.resource).get(keyOf(target), consistency);
    if (result.outcome === 'found') return result.object;
    throw result.outcome === 'absent' ? absent(target) : readFailure(result);
  }

  async list(resource: ServedResource, query: ListQuery, expiredMessage = expiredList): Promise<ListPage> {
    const result = await this.#objects.storageOf(resource).list({ ...query, resource: resource.storage });
    if (result.outcome === 'found') return result;
    throw readFailure(result, expiredMessage);
  }

  watch(resource: ServedResource, query: WatchQuery, sink: WatchSink): Watch {
    return this.#objects.storageOf(resource).watch({ ...query, resource: resource.storage }, sink);
  }

  create(target: Target, object: ApiObject, options: WriteOptions): Promise<StoredObject> {
    return this.#creator.create(target, object, null, this.#requests.begin(options));
  }

  update(target: Target, change: Change, options: WriteOptions): Promise<Written> {
    return this.#updater.update(target, change, this.#requests.begin(options));
  }

  async admit(target: Target, question: AdmissionQuestion, options: WriteOptions): Promise<void> {
    if (question.operation === 'CREATE' && question.asksAboutRights !== true)
      await this.#creator.placeFor(target, { name: target.name, shownName: target.name }, options);
    const asked = admissionRequest(target, { ...question, name: target.name, old: null }, options);
    await this.#admission?.admit(asked);
    await this.#admission?.validate(asked);
  }

  delete(target: Target, deleteOptions: DeleteOptions, options: WriteOptions, terms: DeletionTerms = {}): Promise<Deleted> {
    return this.#deleter.delete(target, deleteOptions, this.#requests.begin(options), terms);
  }

  async deleteCollection(
    resource: ServedResource,
    { expiredMessage, ...query }: ListQuery & { readonly expiredMessage?: string },
    deleteOptions: DeleteOptions,
    options: WriteOptions,
  ): Promise<ListPage> {
    const request = this.#requests.begin(options);
    const page = await this.list(resource, query, expiredMessage);
    await this.#deleter.deleteAll(resource, page.items, deleteOptions, request);
    return page;
  }

  deleteUnreadable(target: Target, options: WriteOptions): Promise<void> {
    return this.#deleter.deleteUnreadable(target, options);
  }
}
