import { type KubeObject, nameOf, namespaceOf, type OwnerReference, uidOf } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';

/**
 * The ownership graph of all objects. Pure: it takes changes, and returns objects to check. References are kept by the owner's uid alone, whether or not that
 * owner is known: a dependent may be seen before its owner, and its reference may be wrong. So the server is queried before any deletion.
 */

export interface Node {
  readonly uid: string;
  readonly type: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly owners: readonly OwnerReference[];
  readonly beingDeleted: boolean;
  readonly deletingDependents: boolean;
  readonly orphaning: boolean;
}

export interface Suspicions {
  readonly attemptToDelete: readonly string[];
  /** Uids of owners whose dependents are to be freed. */
  readonly attemptToOrphan: readonly string[];
  /** Dependents with an owner that is certainly in another namespace. */
  readonly foreignOwners: readonly { readonly dependent: Node; readonly owner: OwnerReference }[];
}

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

const nothing: Suspicions = { attemptToDelete: [], attemptToOrphan: [], foreignOwners: [] };

export function nodeOf(type: Resource, object: KubeObject): Node {
  const { finalizers = [], deletionTimestamp, ownerReferences = [], resourceVersion = '' } = object.metadata;
  const beingDeleted = deletionTimestamp !== undefined;
  return {
    uid: uidOf(object),
    type,
    namespace: namespaceOf(object),
    name: nameOf(object),
    version: resourceVersion,
    owners: ownerReferences,
    beingDeleted,
    deletingDependents: beingDeleted && finalizers.includes(foregroundFinalizer),
    orphaning: beingDeleted && finalizers.includes(orphanFinalizer),
  };
}

export class Graph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();

  get size(): number {
    return this.#nodes.size;
  }
  node(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly Node[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  blockersOf(uid: string): readonly Node[] {
    return this.dependentsOf(uid).filter(({ owners }) => owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true));
  }

  observe(node: Node): Suspicions {
    const before = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    this.#refile(before, node);
    const added = node.owners.filter((owner) => !before?.owners.some(({ uid }) => uid === owner.uid));
    const unblocked =
      before?.owners.filter(
        (owner) => owner.blockOwnerDeletion && !node.owners.some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion),
      ) ?? [];
    const attemptToDelete = unblocked.map(({ uid }) => uid).filter((uid) => this.#nodes.get(uid)?.deletingDependents);
    if (added.some((owner) => this.#isDoubtful(node, owner))) attemptToDelete.push(node.uid);
    if (node.deletingDependents && !before?.deletingDependents)
      attemptToDelete.push(...this.dependentsOf(node.uid).map(({ uid }) => uid), node.uid);
    return {
      attemptToDelete,
      attemptToOrphan: node.orphaning && !before?.orphaning ? [node.uid] : [],
      foreignOwners: added.filter((owner) => this.#isForeign(node, owner)).map((owner) => ({ dependent: node, owner })),
    };
  }

  forget(uid: string): Suspicions {
    const node = this.#nodes.get(uid);
    if (!node) return nothing;
    this.#nodes.delete(uid);
    for (const owner of node.owners) this.#unfile(owner.uid, uid);
    const waiting = node.owners.map((owner) => owner.uid).filter((owner) => this.#nodes.get(owner)?.deletingDependents);
    return { ...nothing, attemptToDelete: [...this.dependentsOf(uid).map((dependent) => dependent.uid), ...waiting] };
  }

  /** Removes all objects of unwatched types, which may still exist. */
  forgetType(isType: (type: Resource) => boolean): void {
    for (const node of this.#nodes.values()) {
      if (!isType(node.type)) continue;
      this.#nodes.delete(node.uid);
      for (const owner of node.owners) this.#unfile(owner.uid, node.uid);
    }
  }

  /** Returns whether all owners are known, match their references, and are not being deleted, so that no query is needed. */
  isWellOwned({ owners, namespace }: Node): boolean {
    return owners.every((owner) => {
      const known = this.#nodes.get(owner.uid);
      return (
        known !== undefined &&
        known.name === owner.name &&
        known.type.kind === owner.kind &&
        (known.namespace === '' || known.namespace === namespace) &&
        !known.deletingDependents
      );
    });
  }

  #isDoubtful(node: Node, owner: OwnerReference): boolean {
    return !this.isWellOwned({ ...node, owners: [owner] });
  }

  #isForeign({ namespace }: Node, { uid }: OwnerReference): boolean {
    const known = this.#nodes.get(uid);
    return known !== undefined && known.namespace !== '' && known.namespace !== namespace;
  }

  #refile(before: Node | undefined, after: Node): void {
    for (const { uid } of before?.owners ?? []) if (!after.owners.some((owner) => owner.uid === uid)) this.#unfile(uid, after.uid);
    for (const { uid } of after.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents) dependents.add(after.uid);
      else this.#dependents.set(uid, new Set([after.uid]));
    }
  }

  #unfile(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}
