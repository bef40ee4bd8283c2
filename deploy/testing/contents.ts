import { decode, encode } from 'cbor-x';
import { deletableTypes, discover, type DiscoveredType } from '../../controllers/client/discovery.js';
import { ApiError, isAlreadyExists, isConflict, isNotFound, unless } from '../../controllers/client/errors.js';
import { mergePatch } from '../../controllers/client/api.js';
import { keyOf, uidOf, type KubeObject, type OwnerReference } from '../../api/meta/object.js';
import { groupResourceOf } from '../../api/meta/resource.js';
import type { RestApi } from '../../controllers/client/rest.js';
import { eventually } from './waiting.js';

/** Emptying a cluster between tests, and taking what is in it from one to another. */

interface Found {
  readonly type: DiscoveredType;
  readonly object: KubeObject;
}

/** What a server or its controllers make by themselves, and would make again. */
const byThemselves: readonly ((found: Found) => boolean)[] = [
  ({ type, object }) => groupResourceOf(type) === 'leases.coordination.k8s.io' && /^kube-/.test(object.metadata.namespace ?? ''),
  ({ type, object }) =>
    groupResourceOf(type) === 'apiservices.apiregistration.k8s.io' &&
    object.metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] !== undefined,
  ({ type, object }) => groupResourceOf(type) === 'serviceaccounts' && object.metadata.name === 'default',
  ({ type, object }) => groupResourceOf(type) === 'configmaps' && object.metadata.name === 'kube-root-ca.crt',
];
const snapshotForm = 'raftplane-snapshot/1';
const resetTimeoutMs = 20_000;
/** Writes under way at a time while a snapshot is put back. */
const restoreConcurrency = 32;

export class Contents {
  /** Uids of what was there from the beginning. */
  #before: ReadonlySet<string> = new Set();
  #types: readonly DiscoveredType[] = [];

  /** `hasControllers`: something makes objects of types that nobody asked for, so all types are looked at until nothing is left. */
  constructor(
    private readonly api: RestApi,
    private readonly hasControllers = true,
  ) {}

  /** Everything that exists now stays through every reset. */
  async remember(): Promise<void> {
    this.#types = deletableTypes(await discover(this.api));
    this.#before = new Set((await this.#all(true)).map(({ object }) => uidOf(object)));
  }

  /** Deletes what came since the start, whatever finalizers it has, and resolves when nothing of it is left. What was there and was changed stays as it is. */
  async reset(): Promise<void> {
    let where: readonly DiscoveredType[] | undefined;
    await eventually(
      async () => {
        const added = await this.#added(true, where);
        await Promise.all(added.map((found) => this.#remove(found)));
        if (!this.hasControllers) where = [...new Set(added.map(({ type }) => type))];
        return added.length === 0;
      },
      { timeoutMs: resetTimeoutMs, everyMs: 1 },
    );
  }

  /** Everything that came since the start, as CBOR. */
  async snapshot(): Promise<Uint8Array> {
    const objects = (await this.#added(false))
      .filter(({ type }) => !['events', 'events.events.k8s.io'].includes(groupResourceOf(type)))
      .map(({ object }) => object);
    return encode({ form: snapshotForm, objects });
  }

  /** Resets, and makes everything again that a snapshot holds: with its status and owners, under new uids. */
  async restore(snapshot: Uint8Array): Promise<void> {
    const objects = objectsIn(snapshot);
    await this.reset();
    const uids = new Map<string, string>();
    let rest = [...objects];
    for (const round of [isDefinition, isNamespace]) {
      await this.#make(rest.filter(round), uids);
      rest = rest.filter((object) => !round(object));
    }
    const known = new Set(rest.map(uidOf));
    const waits = ({ metadata }: KubeObject): boolean =>
      metadata.ownerReferences?.some(({ uid }) => known.has(uid) && !uids.has(uid)) ?? false;
    while (rest.length > 0) {
      const later = rest.filter(waits);
      // Owners in a circle do not wait for each other.
      const isCircle = later.length === rest.length;
      await this.#make(isCircle ? rest : rest.filter((object) => !waits(object)), uids);
      rest = isCircle ? [] : later;
    }
  }

  async #make(objects: readonly KubeObject[], uids: Map<string, string>): Promise<void> {
    const left = [...objects];
    const work = async (): Promise<void> => {
      for (let object = left.pop(); object; object = left.pop()) await this.#makeOne(object, uids);
    };
    await Promise.all(Array.from({ length: restoreConcurrency }, work));
  }

  async #makeOne(object: KubeObject & { readonly status?: unknown }, uids: Map<string, string>): Promise<void> {
    const type = await this.#typeOf(object);
    const {
      uid,
      resourceVersion: _,
      creationTimestamp: __,
      generation: ___,
      managedFields: ____,
      selfLink: _____,
      ownerReferences,
      ...metadata
    } = object.metadata as KubeObject['metadata'] & { readonly selfLink?: string };
    const owners = ownerReferences?.map((owner): OwnerReference => ({ ...owner, uid: uids.get(owner.uid) ?? owner.uid }));
    const wanted = { ...object, metadata: { ...metadata, ...(owners ? { ownerReferences: owners } : {}) } };
    const made = await unless(isAlreadyExists, this.api.create(type, wanted));
    if (!made) return;
    if (uid) uids.set(uid, uidOf(made));
    const hasStatus =
      object.status !== undefined && !isDefinition(object) && !isNamespace(object) && Object.keys(object.status as object).length > 0;
    // A type without such a subresource has kept its status with the rest.
    if (hasStatus)
      await unless(isNotFound, this.api.patch(type, keyOf(made), mergePatch({ status: object.status }), { subresource: 'status' }));
  }

  /** Right after its definition was made, a type is not served yet. */
  async #typeOf({ apiVersion = '', kind = '' }: KubeObject): Promise<DiscoveredType> {
    const find = (): DiscoveredType | undefined =>
      this.#types.find((type) => type.kind === kind && (type.group === '' ? type.version : `${type.group}/${type.version}`) === apiVersion);
    return (
      find() ??
      eventually(async () => {
        this.#types = deletableTypes(await discover(this.api));
        return find() ?? null;
      }).then((type) => type!)
    );
  }

  async #added(metadataOnly: boolean, where?: readonly DiscoveredType[]): Promise<Found[]> {
    return (await this.#all(metadataOnly, where)).filter(
      (found) => !this.#before.has(uidOf(found.object)) && !byThemselves.some((rule) => rule(found)),
    );
  }

  /** Of these types, or of all that are served now. */
  async #all(metadataOnly: boolean, where?: readonly DiscoveredType[]): Promise<Found[]> {
    const types = where ?? (this.#types = deletableTypes(await discover(this.api)));
    const lists = await Promise.all(
      types.map(async (type) => {
        // A custom type may go between the two requests.
        const list = await unless(isNotFound, this.api.list<KubeObject>(type, { metadataOnly }));
        return (list?.items ?? []).map((object): Found => ({ type, object }));
      }),
    );
    return lists.flat();
  }

  async #remove({ type, object }: Found): Promise<void> {
    const gone = (error: unknown): boolean => isNotFound(error) || isConflict(error) || (error instanceof ApiError && error.code === 405);
    const key = keyOf(object);
    if ((object.metadata.finalizers ?? []).length > 0)
      await unless(gone, this.api.patch(type, key, mergePatch({ metadata: { finalizers: null } })));
    await unless(
      gone,
      this.api.delete(type, key, { gracePeriodSeconds: 0, propagationPolicy: 'Background', preconditions: { uid: uidOf(object) } }),
    );
    // What is in it goes in the same turn, so nobody need clean up.
    if (isNamespace(object)) await unless(gone, this.api.update(type, { ...object, spec: {} } as KubeObject, { subresource: 'finalize' }));
  }
}

/** Throws for anything else. */
function objectsIn(snapshot: Uint8Array): readonly KubeObject[] {
  let value: unknown;
  try {
    value = decode(snapshot);
  } catch {
    // Told below, as bytes are that mean something else.
  }
  const { form, objects } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly form?: unknown;
    readonly objects?: unknown;
  };
  if (form !== snapshotForm || !Array.isArray(objects)) throw new Error(`these bytes are no snapshot of the form ${snapshotForm}`);
  return objects as readonly KubeObject[];
}

const isNamespace = ({ kind, apiVersion }: KubeObject): boolean => kind === 'Namespace' && apiVersion === 'v1';
const isDefinition = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition';
