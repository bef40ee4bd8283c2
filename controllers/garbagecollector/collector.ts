import { mergePatch, type Api } from '../client/api.js';
import { isConflict, isNotFound, unless } from '../client/errors.js';
import { isTerminating, type KubeObject, type OwnerReference, uidOf } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';
import { foregroundFinalizer, orphanFinalizer, type Graph, type Node } from './graph.js';
import { judge, ownerState, type OwnerState } from './judgement.js';

export interface CollectorOptions {
  readonly api: Api;
  readonly graph: Graph;
  /** Returns a reference's type; null if its kind is not served now. */
  readonly typeOf: (apiVersion: string, kind: string) => Resource | null;
  readonly suspect: (uids: readonly string[]) => void;
}

/** Owners unknown to the server. Uids are never reused; the bound saves memory. */
const absentMax = 500;

export class Collector {
  readonly #options: CollectorOptions;
  readonly #absent = new Set<string>();

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Throws for a retry. */
  async attemptToDelete(uid: string): Promise<void> {
    const { api, graph } = this.#options;
    const node = graph.node(uid);
    if (!node || (node.beingDeleted && !node.deletingDependents)) return;
    if (!node.deletingDependents && graph.isWellOwned(node)) return;
    const latest = await unless(isNotFound, api.get(node.type, node));
    // It is gone or replaced: the watch will report it.
    if (!latest || uidOf(latest) !== uid) return;
    if (node.deletingDependents) await this.#finishForeground(node);
    else await this.#judge(node, latest);
  }

  /** Removes an owner's references from its dependents when it is deleted with the Orphan policy, then its finalizer. */
  async attemptToOrphan(uid: string): Promise<void> {
    const node = this.#options.graph.node(uid);
    if (!node) return;
    await Promise.all(
      this.#options.graph
        .dependentsOf(uid)
        .map((dependent) => this.#changeOwners(dependent, (owners) => owners.filter((owner) => owner.uid !== uid))),
    );
    await this.#removeFinalizer(node, orphanFinalizer);
  }

  async #judge(node: Node, latest: KubeObject): Promise<void> {
    const { api, graph } = this.#options;
    const states = new Map<OwnerReference, OwnerState>();
    for (const owner of latest.metadata.ownerReferences ?? []) states.set(owner, await this.#stateOf(owner, node));
    const judgement = judge(latest, (owner) => states.get(owner) ?? 'solid', graph.dependentsOf(node.uid));
    switch (judgement.do) {
      case 'nothing':
        return;
      case 'keep':
        await this.#changeOwners(node, (owners) => owners.filter((owner) => judgement.owners.some(({ uid }) => uid === owner.uid)));
        return;
      case 'delete': {
        if (judgement.unblock) await this.#changeOwners(node, (owners) => owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })));
        // The version proves that the owners are still the judged ones.
        const preconditions = judgement.unblock
          ? { uid: node.uid }
          : { uid: node.uid, resourceVersion: latest.metadata.resourceVersion ?? '' };
        await unless(isNotFound, api.delete(node.type, node, { propagationPolicy: judgement.policy, preconditions }));
      }
    }
  }

  async #stateOf(owner: OwnerReference, dependent: Node): Promise<OwnerState> {
    const { api, typeOf } = this.#options;
    const type = typeOf(owner.apiVersion, owner.kind);
    if (!type)
      throw new Error(
        `${dependent.namespace}/${dependent.name}: the kind ${owner.kind} of ${owner.apiVersion}, which an owner reference names, is not served`,
      );
    const namespace = type.namespaced ? dependent.namespace : '';
    // A namespaced object cannot own a cluster-scoped one: the reference is invalid, and its object stays.
    if (type.namespaced && namespace === '') return 'solid';
    const key = [owner.uid, owner.apiVersion, owner.kind, owner.name, namespace].join(' ');
    if (this.#absent.has(key)) return 'absent';
    const found = await unless(isNotFound, api.get(type, { namespace, name: owner.name }));
    if (found && uidOf(found) === owner.uid) return ownerState(found);
    this.#remember(key);
    return 'absent';
  }

  #remember(key: string): void {
    this.#absent.add(key);
    const [oldest] = this.#absent;
    if (this.#absent.size > absentMax && oldest !== undefined) this.#absent.delete(oldest);
  }

  /** Removes an owner in foreground deletion once no dependent blocks it. */
  async #finishForeground(node: Node): Promise<void> {
    const blockers = this.#options.graph.blockersOf(node.uid);
    if (blockers.length === 0) {
      await this.#removeFinalizer(node, foregroundFinalizer);
      return;
    }
    this.#options.suspect(blockers.filter(({ deletingDependents }) => !deletingDependents).map(({ uid }) => uid));
  }

  /** Conditional on the version, so that concurrently added references are kept; the watch may lag, so a conflict reads from the server. */
  async #changeOwners(node: Node, change: (owners: readonly OwnerReference[]) => readonly OwnerReference[]): Promise<void> {
    const { api } = this.#options;
    const send = (owners: readonly OwnerReference[], resourceVersion: string): Promise<unknown> => {
      const changed = change(owners);
      return api.patch(
        node.type,
        node,
        mergePatch({ metadata: { resourceVersion, uid: node.uid, ownerReferences: changed.length > 0 ? changed : null } }),
      );
    };
    await unless(
      isNotFound,
      send(node.owners, node.version).catch(async (error: unknown) => {
        if (!isConflict(error)) throw error;
        const latest = await api.get(node.type, node);
        if (uidOf(latest) === node.uid) await send(latest.metadata.ownerReferences ?? [], latest.metadata.resourceVersion ?? '');
      }),
    );
  }

  async #removeFinalizer(node: Node, finalizer: string): Promise<void> {
    const { api } = this.#options;
    const latest = await unless(isNotFound, api.get(node.type, node));
    if (!latest || uidOf(latest) !== node.uid || !isTerminating(latest) || !latest.metadata.finalizers?.includes(finalizer)) return;
    const finalizers = latest.metadata.finalizers.filter((name) => name !== finalizer);
    await unless(
      isNotFound,
      api.patch(node.type, node, mergePatch({ metadata: { resourceVersion: latest.metadata.resourceVersion, finalizers } })),
    );
  }
}
