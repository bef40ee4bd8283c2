import { randomUUID } from 'node:crypto';
import { decode, encode } from 'cbor-x';
import { accountNames } from '../../controllers/accountNames.js';
import { deletableTypes, discover, type DiscoveredType } from '../../controllers/client/discovery.js';
import { ApiError, isAlreadyExists, isConflict, isNotFound, unless } from '../../controllers/client/errors.js';
import { mergePatch } from '../../controllers/client/api.js';
import { keyOf, uidOf, type KubeObject, type OwnerReference } from '../../api/meta/object.js';
import { groupResourceOf } from '../../api/meta/resource.js';
import type { RestApi } from '../../controllers/client/rest.js';
import type { KeptObject, KeysFound, OperatorDoor } from './operatorDoor.js';
import { eventually } from './waiting.js';

interface Found {
  readonly type: DiscoveredType;
  readonly object: KubeObject;
}

const controllersWriteAs: ReadonlySet<string> = new Set(accountNames);

/** Objects that a server or its controllers create, and would recreate. */
const byThemselves: readonly ((found: Found) => boolean)[] = [
  ({ type, object }) => groupResourceOf(type) === 'leases.coordination.k8s.io' && /^kube-/.test(object.metadata.namespace ?? ''),
  ({ type, object }) =>
    groupResourceOf(type) === 'apiservices.apiregistration.k8s.io' &&
    object.metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] !== undefined,
  ({ type, object }) => groupResourceOf(type) === 'serviceaccounts' && object.metadata.name === 'default',
  // A controller without its account is refused until it has created a new one.
  ({ type, object: { metadata } }) =>
    groupResourceOf(type) === 'serviceaccounts' && metadata.namespace === 'kube-system' && controllersWriteAs.has(metadata.name ?? ''),
  ({ type, object }) => groupResourceOf(type) === 'configmaps' && object.metadata.name === 'kube-root-ca.crt',
];
const snapshotForm = 'raftplane-snapshot/1';
const resetTimeoutMs = 20_000;
/** Concurrent writes while a snapshot is restored. */
const restoreConcurrency = 32;

/** The built-in store's keys: `/registry/<group, or "core">/<resource>[/<namespace>]/<name>`. */
const objectKey = /^\/registry\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/([^/]+)$/;
const namespaceKey = (name: string): string => `/registry/core/namespaces/${name}`;
const storeKey = ({ type: { group, resource }, object }: Found): string => keptKey({ group, resource, object });
const keptKey = ({ group, resource, object: { metadata } }: KeptObject): string =>
  ['/registry', group === '' ? 'core' : group, resource, ...(metadata.namespace ? [metadata.namespace] : []), metadata.name].join('/');

/**
 * Returns whether a reset deletes this key, given all keys created since the start. A deleted namespace takes its contents along. Keys do not decide API
 * services: servers create most of them.
 */
function goesByKey(key: string, all: ReadonlySet<string>): boolean {
  const [, group = '', resource = '', namespace = '', name = ''] = objectKey.exec(key) ?? [];
  if (resource === '' || resource === 'apiservices') return false;
  if (all.has(namespaceKey(namespace))) return true;
  const type = { group: group === 'core' ? '' : group, resource } as DiscoveredType;
  return !byThemselves.some((rule) => rule({ type, object: { metadata: { namespace, name } } }));
}

export class Contents {
  readonly #api: RestApi;
  readonly #door: Pick<OperatorDoor, 'keysMadeAfter' | 'removeKeys' | 'putObjects'>;
  readonly #hasControllers: boolean;

  /** The built-in store's revision at the start; null with another store, whose contents are listed by type. */
  #since: number | null = null;
  /** Keys of the start, and later ones that survived the last reset. */
  #keysBefore: readonly string[] = [];
  #keysLeft: ReadonlySet<string> = new Set();
  #before: ReadonlySet<string> = new Set();
  #types: readonly DiscoveredType[] = [];

  /** `hasControllers`: types not used by the test may have objects too. */
  constructor(api: RestApi, door: Pick<OperatorDoor, 'keysMadeAfter' | 'removeKeys' | 'putObjects'>, hasControllers = true) {
    this.#api = api;
    this.#door = door;
    this.#hasControllers = hasControllers;
  }

  /** Protects everything that exists now from resets. */
  async remember(): Promise<void> {
    const found = await this.#door.keysMadeAfter(0);
    this.#since = found?.keys.includes(namespaceKey('default')) ? found.revision : null;
    this.#keysBefore = found?.keys ?? [];
    if (this.#since !== null) return;
    this.#types = deletableTypes(await discover(this.#api));
    this.#before = new Set((await this.#all(true)).map(({ object }) => uidOf(object)));
  }

  /** Deletes all objects created since the start, ignoring finalizers, and resolves when they are gone. Changes to older objects stay. */
  async reset(): Promise<void> {
    const isEmpty = this.#since === null ? this.#clearer() : () => this.#clearByKeys();
    await eventually(isEmpty, { timeoutMs: resetTimeoutMs, everyMs: 1 });
  }

  /** Deletes everything at once, without admission or finalizers, until nothing new has appeared. */
  async #clearByKeys(): Promise<boolean> {
    const all = await this.#keysAdded();
    const going = [...all].filter((key) => goesByKey(key, all));
    if (going.length > 0) await this.#door.removeKeys(going);
    const services = [...all].some((key) => objectKey.exec(key)?.[2] === 'apiservices')
      ? await this.#added(true, await this.#apiServices())
      : [];
    await Promise.all(services.map((service) => this.#remove(service)));
    this.#keysLeft = all;
    return going.length + services.length === 0;
  }

  async #keysAdded(): Promise<ReadonlySet<string>> {
    const { keys }: KeysFound = (await this.#door.keysMadeAfter(this.#since ?? 0)) ?? { revision: 0, keys: [] };
    return new Set(keys);
  }

  async #apiServices(): Promise<readonly DiscoveredType[]> {
    const types = deletableTypes(await discover(this.#api));
    return types.filter(({ resource }) => resource === 'apiservices');
  }

  #clearer(): () => Promise<boolean> {
    let where: readonly DiscoveredType[] | undefined;
    return async () => {
      const added = await this.#added(true, where);
      await Promise.all(added.map((found) => this.#remove(found)));
      if (!this.#hasControllers) where = [...new Set(added.map(({ type }) => type))];
      return added.length === 0;
    };
  }

  async snapshot(): Promise<Uint8Array> {
    const objects = (await this.#added(false))
      .filter(({ type }) => !['events', 'events.events.k8s.io'].includes(groupResourceOf(type)))
      .map(({ object }) => object);
    return encode({ form: snapshotForm, objects });
  }

  /** Resets, then recreates a snapshot's objects with status and owners under new uids. Existing objects stay as they are. */
  async restore(snapshot: Uint8Array): Promise<void> {
    const objects = objectsIn(snapshot);
    await this.reset();
    if (this.#since === null) await this.#makeAll(objects);
    else await this.#putBack(underNewUids(objects));
  }

  /** Writes into the store, without admission; resolves when all types are served. */
  async #putBack(objects: readonly KubeObject[]): Promise<void> {
    const defined = new Map(objects.filter(isDefinition).flatMap(kindsOf));
    const wanted = [...new Set(objects.map(kindNameOf))].filter((name) => !defined.has(name));
    const known = this.#typesByKind();
    if (wanted.some((name) => !known.has(name))) this.#types = deletableTypes(await discover(this.#api));
    const there = new Set([...this.#keysBefore, ...this.#keysLeft]);
    const placeOf = async (object: KubeObject): Promise<KeptObject> => {
      const { group, resource } = defined.get(kindNameOf(object)) ?? (await this.#typeOf(object));
      return { group, resource, object };
    };
    const kept = await Promise.all(objects.map(placeOf));
    // Prerequisites come first: not everything may fit into one transaction.
    const rank = ({ object }: KeptObject): number => (isDefinition(object) ? 0 : isNamespace(object) ? 1 : 2);
    await this.#door.putObjects(kept.filter((each) => !there.has(keptKey(each))).sort((a, b) => rank(a) - rank(b)));
    for (const object of new Map(objects.filter((each) => defined.has(kindNameOf(each))).map((each) => [kindNameOf(each), each])).values())
      await this.#typeOf(object);
  }

  #typesByKind(): ReadonlySet<string> {
    return new Set(this.#types.map(({ group, version, kind }) => kindName(group === '' ? version : `${group}/${version}`, kind)));
  }

  /** Creates objects one by one, through all checks. */
  async #makeAll(objects: readonly KubeObject[]): Promise<void> {
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
    const made = await unless(isAlreadyExists, this.#api.create(type, wanted));
    if (!made) return;
    if (uid) uids.set(uid, uidOf(made));
    const hasStatus =
      object.status !== undefined && !isDefinition(object) && !isNamespace(object) && Object.keys(object.status as object).length > 0;
    // A type without the subresource keeps its status with the rest.
    if (hasStatus)
      await unless(isNotFound, this.#api.patch(type, keyOf(made), mergePatch({ status: object.status }), { subresource: 'status' }));
  }

  /** Waits for the type, which is served some time after its definition. */
  async #typeOf({ apiVersion = '', kind = '' }: KubeObject): Promise<DiscoveredType> {
    const find = (): DiscoveredType | undefined =>
      this.#types.find((type) => type.kind === kind && (type.group === '' ? type.version : `${type.group}/${type.version}`) === apiVersion);
    return (
      find() ??
      eventually(async () => {
        this.#types = deletableTypes(await discover(this.#api));
        return find() ?? null;
      }).then((type) => type!)
    );
  }

  async #added(metadataOnly: boolean, where?: readonly DiscoveredType[]): Promise<Found[]> {
    const keys = this.#since === null ? null : await this.#keysAdded();
    const isNew = (found: Found): boolean => (keys === null ? !this.#before.has(uidOf(found.object)) : keys.has(storeKey(found)));
    const types = where ?? (this.#types = deletableTypes(await discover(this.#api)));
    const resources = keys === null ? null : new Set([...keys].map((key) => objectKey.exec(key)?.[2]));
    const all = await this.#all(
      metadataOnly,
      types.filter(({ resource }) => resources?.has(resource) ?? true),
    );
    return all.filter((found) => isNew(found) && !byThemselves.some((rule) => rule(found)));
  }

  async #all(metadataOnly: boolean, where?: readonly DiscoveredType[]): Promise<Found[]> {
    const types = where ?? (this.#types = deletableTypes(await discover(this.#api)));
    const lists = await Promise.all(
      types.map(async (type) => {
        // A custom type may go between the two requests.
        const list = await unless(isNotFound, this.#api.list<KubeObject>(type, { metadataOnly }));
        return (list?.items ?? []).map((object): Found => ({ type, object }));
      }),
    );
    return lists.flat();
  }

  async #remove({ type, object }: Found): Promise<void> {
    const gone = (error: unknown): boolean => isNotFound(error) || isConflict(error) || (error instanceof ApiError && error.code === 405);
    const key = keyOf(object);
    if ((object.metadata.finalizers ?? []).length > 0)
      await unless(gone, this.#api.patch(type, key, mergePatch({ metadata: { finalizers: null } })));
    await unless(
      gone,
      this.#api.delete(type, key, { gracePeriodSeconds: 0, propagationPolicy: 'Background', preconditions: { uid: uidOf(object) } }),
    );
    // Its contents are deleted together with it, so its finalizer is not needed.
    if (isNamespace(object)) await unless(gone, this.#api.update(type, { ...object, spec: {} } as KubeObject, { subresource: 'finalize' }));
  }
}

/** Returns the objects of a snapshot. Throws for other bytes. */
export function objectsIn(snapshot: Uint8Array): readonly KubeObject[] {
  let value: unknown;
  try {
    value = decode(snapshot);
  } catch {
    // The error below covers this and bytes with another meaning.
  }
  const { form, objects } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly form?: unknown;
    readonly objects?: unknown;
  };
  if (form !== snapshotForm || !Array.isArray(objects)) throw new Error(`these bytes are no snapshot of the form ${snapshotForm}`);
  return objects as readonly KubeObject[];
}

/** Gives objects new uids, including references by uid. */
function underNewUids(objects: readonly KubeObject[]): KubeObject[] {
  const renewed = new Map(objects.map((object) => [uidOf(object), randomUUID()]));
  const text = JSON.stringify(objects).replace(/"([0-9a-f]{8}-[0-9a-f-]{27})"/g, (quoted, uid: string) =>
    renewed.has(uid) ? `"${renewed.get(uid)}"` : quoted,
  );
  return JSON.parse(text) as KubeObject[];
}

const kindName = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;
const kindNameOf = ({ apiVersion = '', kind = '' }: KubeObject): string => kindName(apiVersion, kind);

/** Returns a definition's kinds, each with the storage path of its objects. */
function kindsOf(definition: KubeObject): (readonly [kind: string, place: { readonly group: string; readonly resource: string }])[] {
  const { spec } = definition as KubeObject & {
    readonly spec: {
      readonly group: string;
      readonly names: { readonly kind: string; readonly plural: string };
      readonly versions: readonly { readonly name: string }[];
    };
  };
  const { group, names, versions } = spec;
  return versions.map(({ name }) => [kindName(`${group}/${name}`, names.kind), { group, resource: names.plural }] as const);
}

const isNamespace = ({ kind, apiVersion }: KubeObject): boolean => kind === 'Namespace' && apiVersion === 'v1';
const isDefinition = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition';
