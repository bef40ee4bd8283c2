import type { ControllerEnvironment } from '../client/controller.js';
import { controllerIndex, orphanWord } from './following.js';
import { mergePatch, type Api } from '../client/api.js';
import { isConflict, isInvalid, isNotFound, unless } from '../client/errors.js';
import { controllerOf, isTerminating, keyOf, type KubeObject, namespaceOf, type OwnerReference, uidOf } from '../../api/meta/object.js';
import { apiVersionOf, type Resource } from '../../api/meta/resource.js';

export interface Claims<T> {
  readonly owned: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

/** Sorts candidates by owner and selector. A terminating owner adopts and releases nothing. Pure. */
function claims<T extends KubeObject>(owner: KubeObject, candidates: readonly T[], matches: (object: T) => boolean): Claims<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    if (controller) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches(candidate)) owned.push(candidate);
      else if (!isTerminating(owner)) release.push(candidate);
    } else if (!isTerminating(owner) && !isTerminating(candidate) && matches(candidate)) adopt.push(candidate);
  }
  return { owned, adopt, release };
}

export function controllerReference(type: Resource, owner: KubeObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name: owner.metadata.name ?? '',
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

interface Owning<O extends KubeObject, T extends KubeObject> {
  readonly ownerType: Resource<O>;
  readonly owner: O;
  readonly type: Resource<T>;
  readonly matches: (object: T) => boolean;
  /** Removed together with the owner reference. */
  readonly finalizer?: string;
  /** Restricts the candidates; all by default. */
  readonly among?: readonly T[];
}

interface Claiming<O extends KubeObject, T extends KubeObject> extends Owning<O, T> {
  readonly api: Api;
}

type Cached = Pick<ControllerEnvironment, 'api' | 'informers'>;

/** Returns an owner's candidates: objects that it controls, and those in its namespace without a controller. The type is followed (`follow`). */
export function candidatesFor<T extends KubeObject>({ informers }: Pick<Cached, 'informers'>, type: Resource<T>, owner: KubeObject): T[] {
  const { cache } = informers.of(type);
  return [...cache.by(controllerIndex, uidOf(owner)), ...cache.by(controllerIndex, orphanWord(namespaceOf(owner)))];
}

/**
 * Adopts and releases by `claims`, and returns the owned objects. Before the first adoption queries the server whether the owner still exists: the cache may
 * lag.
 */
export async function ownedBy<O extends KubeObject, T extends KubeObject>(
  environment: Cached,
  owning: Owning<O, T>,
): Promise<readonly T[]> {
  const { owner, type, matches, among = candidatesFor(environment, type, owner) } = owning;
  const { owned, adopt, release } = claims(owner, among, matches);
  const options = { ...owning, api: environment.api };
  for (const object of release) await releaseOne(options, object);
  if (adopt.length === 0 || !(await ownerStays(options))) return owned;
  const adopted = await Promise.all(adopt.map((object) => adoptOne(options, object)));
  return [...owned, ...adopted.flatMap((object) => object ?? [])];
}

async function ownerStays<O extends KubeObject, T extends KubeObject>({ api, ownerType, owner }: Claiming<O, T>): Promise<boolean> {
  const latest = await unless(isNotFound, api.get(ownerType, keyOf(owner)));
  return latest !== null && uidOf(latest) === uidOf(owner) && !isTerminating(latest);
}

function adoptOne<O extends KubeObject, T extends KubeObject>(
  { api, ownerType, owner, type, finalizer }: Claiming<O, T>,
  object: T,
): Promise<T | null> {
  const { uid, resourceVersion, ownerReferences = [], finalizers = [] } = object.metadata;
  const changed = {
    ownerReferences: withReference(ownerReferences, controllerReference(ownerType, owner)),
    ...(finalizer && !finalizers.includes(finalizer) ? { finalizers: [...finalizers, finalizer] } : {}),
  };
  return unless(isNotFound, api.patch(type, keyOf(object), mergePatch({ metadata: { uid, resourceVersion, ...changed } })));
}

/** The owner may be listed without being the controller: it keeps one reference. */
const withReference = (references: readonly OwnerReference[], added: OwnerReference): OwnerReference[] =>
  references.some(({ uid }) => uid === added.uid)
    ? references.map((reference) => (reference.uid === added.uid ? { ...reference, ...added } : reference))
    : [...references, added];

/** Another client may have released or replaced it: both are fine. */
async function releaseOne<O extends KubeObject, T extends KubeObject>(
  { api, owner, type, finalizer }: Claiming<O, T>,
  object: T,
): Promise<void> {
  const { uid, resourceVersion, ownerReferences = [], finalizers = [] } = object.metadata;
  const changed = {
    ownerReferences: ownerReferences.filter((reference) => reference.uid !== owner.metadata.uid),
    ...(finalizer ? { finalizers: finalizers.filter((name) => name !== finalizer) } : {}),
  };
  await unless(
    (error) => isNotFound(error) || isInvalid(error) || isConflict(error),
    api.patch(type, keyOf(object), mergePatch({ metadata: { uid, resourceVersion, ...changed } })),
  );
}
