import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNamespaceTerminating, isNotFound, unless } from '../client/errors.js';
import { controllerOf, isTerminating, keyOf, keyTextOf, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { selects } from '../../api/selectors.js';
import {
  type ControllerRevision,
  controllerRevisions,
  type StatefulSet,
  statefulSets,
  type StatefulSetStatus,
} from '../../api/types/apps/v1.js';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { holdsExactly, numbered, oldestFirst } from '../revisions/history.js';
import { ownedBy } from '../workloads/claim.js';
import { follow } from '../workloads/following.js';
import { slowStart } from '../workloads/podControl.js';
import { isMember, parseName } from './identity.js';
import { plan, type Plan } from './plan.js';
import { holdsInSubstance } from './semantic.js';
import { currentRevision, newRevision, revisionsToDelete, updateRevision } from './revisions.js';
import { sameStatus } from '../workloads/sameStatus.js';
import { StatefulPods } from './statefulPods.js';

export function statefulSetController(environment: ManagerEnvironment): Controller {
  const loop = new StatefulSetLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'statefulset',
    workers: environment.options['concurrent-statefulset-syncs'],
    sync: (key) => loop.sync(key),
  });
  controller.watch(statefulSets);
  follow(controller, {
    ownerType: statefulSets,
    type: pods,
    wouldAdopt: (set, pod) => isMember(set, pod) && selects(set.spec?.selector, pod.metadata.labels),
  });
  follow(controller, {
    ownerType: statefulSets,
    type: controllerRevisions,
    wouldAdopt: ({ spec }, revision) => selects(spec?.selector, revision.metadata.labels),
  });
  const { cache } = environment.informers.of(statefulSets);
  // Another owner's pod may block a name.
  controller.needs(pods).addHandlers({
    removed: (pod) => {
      const key = `${namespaceOf(pod)}/${parseName(nameOf(pod))?.parent ?? ''}`;
      if (cache.get(key)) controller.queue.add(key);
    },
  });
  const queue = (object: PersistentVolumeClaim): void => {
    for (const set of cache.inNamespace(namespaceOf(object))) if (mayHave(set, object)) controller.queue.add(keyTextOf(set));
  };
  controller.needs(persistentVolumeClaims).addHandlers({
    added: queue,
    changed: (before, after) => {
      if (before !== after) queue(after);
    },
    removed: queue,
  });
  return controller;
}

const mayHave = (set: StatefulSet, object: PersistentVolumeClaim): boolean =>
  (set.spec?.volumeClaimTemplates ?? []).some((template) => nameOf(object).startsWith(`${nameOf(template)}-${nameOf(set)}-`));

interface Revisions {
  readonly all: readonly ControllerRevision[];
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
  readonly collisions: number;
}

/** Attempts to name a revision whose hash is taken. */
const collisionsMax = 100;

class StatefulSetLoop {
  readonly #environment: ManagerEnvironment;
  readonly #pods: StatefulPods;
  readonly #isOf: typeof holdsExactly;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.#pods = new StatefulPods(environment);
    this.#isOf = environment.isOn('StatefulSetSemanticRevisionComparison') ? holdsInSubstance : holdsExactly;
  }

  async sync(key: string): Promise<SyncResult> {
    const { informers, clock } = this.#environment;
    const set = informers.of(statefulSets).cache.get(key);
    if (!set) return;
    const owned = await ownedBy(this.#environment, {
      ownerType: statefulSets,
      owner: set,
      type: pods,
      matches: (pod) => isMember(set, pod) && selects(set.spec?.selector, pod.metadata.labels),
    });
    const revisions = await unless(isNamespaceTerminating, this.#revisions(set));
    if (!revisions) return;
    const claims = informers.of(persistentVolumeClaims).cache;
    const { stages, inOrder, status, againAfterMs } = plan({
      set,
      pods: owned,
      claimOf: (name) => claims.get(`${namespaceOf(set)}/${name}`),
      ...revisions,
      oneAtATime: !this.#environment.isOn('MaxUnavailableStatefulSet'),
      now: clock.now(),
    });
    const failure = await this.#carryOut(set, stages, inOrder);
    await this.#writeStatus(set, status);
    if (failure !== null) throw failure instanceof Error ? failure : new Error(String(failure));
    if (!isTerminating(set)) await this.#prune(set, revisions, owned);
    if (againAfterMs !== null) return { againAfterMs };
  }

  /** Returns the revisions of a set, including its template's. Null for a terminating set without any. */
  async #revisions(set: StatefulSet): Promise<Revisions | null> {
    const { api } = this.#environment;
    const collisions = set.status?.collisionCount ?? 0;
    const all = await ownedBy(this.#environment, {
      ownerType: statefulSets,
      owner: set,
      type: controllerRevisions,
      matches: (revision) => selects(set.spec?.selector, revision.metadata.labels),
    });
    const found = updateRevision(set, all, this.#isOf);
    if (found.do === 'keep' || isTerminating(set)) {
      const update = found.do === 'create' ? oldestFirst(all).at(-1) : found.revision;
      return update ? { all, update, current: currentRevision(set, all, update), collisions } : null;
    }
    if (found.do === 'renumber') {
      const update = await api.update(controllerRevisions, numbered(found.revision, found.number));
      return { all, update, current: currentRevision(set, all, update), collisions };
    }
    const made = await this.#create(set, found.number, collisions);
    return { all, update: made.revision, current: currentRevision(set, all, made.revision), collisions: made.collisions };
  }

  /** Uses another name when the first belongs to another template; it may also be ours, and not in the cache yet. */
  async #create(
    set: StatefulSet,
    number: bigint,
    known: number,
  ): Promise<{ readonly revision: ControllerRevision; readonly collisions: number }> {
    const { api } = this.#environment;
    for (let collisions = known; collisions < known + collisionsMax; collisions++) {
      const wanted = newRevision(set, number, collisions);
      const created = await unless(isAlreadyExists, api.create(controllerRevisions, wanted));
      if (created) return { revision: created, collisions };
      const there = await api.get(controllerRevisions, keyOf(wanted));
      if (this.#isOf(there, set.spec?.template) && controllerOf(there)?.uid === uidOf(set)) return { revision: there, collisions };
    }
    throw new Error(`every name of a revision of ${keyTextOf(set)} is taken`);
  }

  /** Returns the failure, at which the plan ended. */
  async #carryOut(set: StatefulSet, stages: Plan['stages'], inOrder: boolean): Promise<unknown> {
    for (const stage of stages) {
      // One at a time, or in growing groups.
      const { failure } = inOrder
        ? await this.#inTurn(set, stage)
        : await slowStart(stage.length, (index) => this.#pods.carryOut(set, stage[index]));
      if (failure !== null) return failure;
    }
    return null;
  }

  async #inTurn(set: StatefulSet, stage: Plan['stages'][number]): Promise<{ readonly failure: unknown }> {
    try {
      for (const action of stage) await this.#pods.carryOut(set, action);
      return { failure: null };
    } catch (failure) {
      return { failure };
    }
  }

  async #writeStatus(set: StatefulSet, status: StatefulSetStatus): Promise<void> {
    if (sameStatus(set.status, status)) return;
    await unless(isNotFound, this.#environment.api.update(statefulSets, { ...set, status }, { subresource: 'status' }));
  }

  async #prune(set: StatefulSet, { all, current, update }: Revisions, owned: readonly Pod[]): Promise<void> {
    for (const revision of revisionsToDelete(set, all, owned, [current, update])) {
      await unless(
        isNotFound,
        this.#environment.api.delete(controllerRevisions, keyOf(revision), { preconditions: { uid: uidOf(revision) } }),
      );
    }
  }
}
