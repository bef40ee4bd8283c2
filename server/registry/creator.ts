import { turns } from '../../workers/turns/turns.js';
import type { Admission } from './admission.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { plainError, unavailable } from '../../api/status.js';
import type { ObjectKey, SideWrite, StoredObject } from '../storage/contract.js';
import { admissionRequest } from './admissionRequest.js';
import { allocationAttemptsMax } from './allocation.js';
import type { CreationCheck, WriteOptions } from './contract.js';
import type { Target } from './target.js';
import { toStorage } from './conversion.js';
import { nameTaken, writeFailure } from './failures.js';
import { sameValue } from '../../api/json/equality.js';
import { writeWithinLimit } from './writeWithinLimit.js';
import { generatedName } from './generatedName.js';
import { admitToNamespace, type NamespaceTerms } from './namespaceLifecycle.js';
import { dropDeletion } from './metadata.js';
import { ownersAdmitted } from './ownership.js';
import { withoutRepeatedOwners } from './ownerReferences.js';
import { timed } from '../../program/tracing/requestLatency.js';
import type { StoredObjects } from './storedObjects.js';
import { endedOf, isHeavy, nextTurn, reviewAhead } from './turns.js';
import type { WriteRequest } from './writeRequest.js';
import { beginCreate, nameAndValidate, prepareCreate, versionProblem } from './writes.js';

const nameAttemptsMax = 8;

interface NewNames {
  readonly prefix: string;
  readonly firstName: string;
  readonly version: string;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly update: CreatingUpdate | null;
  readonly heavy: boolean;
}

export interface CreatingUpdate {
  readonly mayCreate: CreationCheck;
  readonly subresource: string;
}

type CreateOutcome =
  | { readonly taken: { readonly terminating: boolean } }
  | { readonly taken: null; readonly object: StoredObject }
  | 'claimLost';

export interface CreatorOptions {
  readonly objects: StoredObjects;
  readonly admission: Admission | null;
  readonly namespaces: NamespaceTerms;
}

export class Creator {
  readonly #objects: StoredObjects;
  readonly #admission: Admission | null;
  readonly #namespaces: NamespaceTerms;

  constructor({ objects, admission, namespaces }: CreatorOptions) {
    this.#objects = objects;
    this.#admission = admission;
    this.#namespaces = namespaces;
  }

  /** `update` is null for an authorized create request. */
  async create(target: Target, object: ApiObject, update: CreatingUpdate | null, request: WriteRequest): Promise<StoredObject> {
    const { resource } = target;
    const subresource = update?.subresource ?? '';
    const body = toStorage(resource, object);
    if (update === null) dropDeletion(body.metadata);
    const applies = request.owners !== undefined;
    const sentTwice = applies ? [] : turns.run(withoutRepeatedOwners(body.metadata, 'sent'), endedOf(request));
    (sentTwice instanceof Promise ? await sentTwice : sentTwice).forEach(request.warn);
    // An object without a name gets one from its prefix. Until then refusals show the prefix.
    const prefix = (body.metadata.name ?? '') === '' ? (body.metadata.generateName ?? '') : '';
    const firstName = prefix === '' ? (body.metadata.name ?? '') : generatedName(prefix, request.random);
    const shownName = prefix === '' ? firstName : prefix;
    const namespaceLabels = await this.placeFor(target, { name: body.metadata.name ?? '', shownName }, request);
    const version = body.metadata.resourceVersion ?? '';
    const heavy = isHeavy(body as JsonObject);
    if (heavy) await nextTurn(request);
    const beginning = turns.run(beginCreate(target, body, { ...request, subresource }, heavy), endedOf(request));
    const begun = beginning instanceof Promise ? await beginning : beginning;
    if (heavy) await nextTurn(request);
    if (begun === undefined) delete body.metadata.managedFields;
    else body.metadata.managedFields = begun;
    const admitted = this.#admission?.admit(
      admissionRequest(target, { operation: 'CREATE', subresource, name: shownName, object: body, old: null }, request),
    );
    if (admitted !== undefined) await admitted;
    const admittedTwice = turns.run(withoutRepeatedOwners(body.metadata, 'admitted'), endedOf(request));
    (admittedTwice instanceof Promise ? await admittedTwice : admittedTwice).forEach(request.warn);
    const left = body.metadata.managedFields;
    const owners = sameValue(left ?? [], begun ?? []) ? begun : (ownersAdmitted(left, request.warn) ?? begun);
    // Admission may name an unnamed object.
    const given = body.metadata.name ?? '';
    if (heavy) await nextTurn(request);
    prepareCreate(target, body, { ...request, subresource }, { uid: request.newUid(), owners });
    if (heavy) await nextTurn(request);
    const prepared = body.metadata.name ?? '';
    const named = given !== '' ? given : prefix === '' ? prepared : firstName;
    const names: NewNames = { prefix: given === '' ? prefix : '', firstName: named, version, namespaceLabels, update, heavy };
    return this.#createNamed(target, body, names, request);
  }

  /** A dry run makes no namespace. */
  async placeFor(
    target: Target,
    { name, shownName }: { readonly name: string; readonly shownName: string },
    { dryRun }: WriteOptions,
  ): Promise<Readonly<Record<string, string>>> {
    const refused = target.resource.behaviour.creationRefusal(name);
    if (refused !== null) throw refused;
    if (!target.resource.namespaced) return {};
    return admitToNamespace(this.#objects.storage, target, shownName, dryRun ? { ...this.#namespaces, provide: null } : this.#namespaces);
  }

  async #createNamed(target: Target, body: ApiObject, names: NewNames, request: WriteRequest): Promise<StoredObject> {
    let name = names.firstName;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#allocateAndCreate(target, body, { name, names }, request);
      if (outcome.taken === null) return outcome.object;
      if (names.prefix === '' || attempt >= nameAttemptsMax)
        throw nameTaken(target.resource, name, { ...outcome.taken, prefixed: (body.metadata.generateName ?? '') !== '' });
      name = generatedName(names.prefix, request.random);
    }
  }

  /** Values are allocated again when another writer was faster. */
  async #allocateAndCreate(
    target: Target,
    body: ApiObject,
    { name, names }: { readonly name: string; readonly names: NewNames },
    request: WriteRequest,
  ): Promise<Exclude<CreateOutcome, 'claimLost'>> {
    const { version, namespaceLabels, update, heavy } = names;
    const subresource = update?.subresource ?? '';
    // A store of a subresource has no hooks that allocate (core/service/storage/storage.go).
    const allocator = subresource === '' ? this.#objects.allocatorOf(target) : null;
    const steps = target.resource.behaviour.strategy.create;
    for (let attempt = 0; attempt < allocationAttemptsMax; attempt++) {
      const object = allocator === null && steps.named === null ? body : structuredClone(body);
      object.metadata.name = name;
      const sideWrites = allocator === null ? [] : await allocator.allocate(object, null, request);
      const reviewing = reviewAhead(steps, object, request);
      if (reviewing !== null) await reviewing;
      const checked = nameAndValidate(target, object, { name, namespaceLabels, enabled: request.enabled, ended: endedOf(request) });
      const form = checked instanceof Promise ? await checked : checked;
      if (heavy) await nextTurn(request);
      // Warnings are sent even if the object is refused.
      steps.warnings(object).forEach(request.warn);
      if (update !== null) await update.mayCreate();
      const admitted = this.#admission?.validate(
        admissionRequest(target, { operation: 'CREATE', subresource, name, object, old: null }, request),
      );
      if (admitted !== undefined) await admitted;
      // A policy's denial comes first.
      if (!request.dryRun && target.name === '' && namesVersion(version))
        throw plainError(500, 'resourceVersion should not be set on objects to be created');
      const outcome = await this.#tryCreate(target, form, sideWrites, request);
      // The response is encoded even if no client waits.
      if (heavy) await turns.next();
      if (outcome !== 'claimLost') return outcome;
    }
    throw unavailable('too many writers compete for the same values; try again');
  }

  async #tryCreate(target: Target, form: ApiObject, sideWrites: readonly SideWrite[], request: WriteRequest): Promise<CreateOutcome> {
    const { resource, namespace } = target;
    const { name = '' } = form.metadata;
    const key: ObjectKey = { resource: resource.storage, namespace, name };
    if (request.dryRun) {
      const present = await this.#objects.read({ ...target, name }, 'mostRecent');
      return present === null
        ? { taken: null, object: await this.#objects.rehearsed(target, form, 0) }
        : { taken: { terminating: isDeleting(present) } };
    }
    const storage = this.#objects.storageOf(target.resource);
    const result = await writeWithinLimit(form, request.owners !== undefined, (object) =>
      timed(request.latency, 'etcd', () => storage.create(key, object, { timeoutMs: request.timeoutMs, sideWrites })),
    );
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
}

const namesVersion = (text: string): boolean => versionProblem(text) === null && Number(text) !== 0;

const isDeleting = (stored: StoredObject): boolean => stored.decode().metadata.deletionTimestamp !== undefined;
