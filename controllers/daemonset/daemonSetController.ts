import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNamespaceTerminating, isNotFound, unless } from '../client/errors.js';
import { Expectations } from '../client/expectations.js';
import { isTerminating, keyTextOf, uidOf } from '../../api/meta/object.js';
import { isEmptySelector, selects } from '../../api/selectors.js';
import { controllerRevisions, type DaemonSet, daemonSets, type DaemonSetStatus } from '../../api/types/apps/v1.js';
import { type Node, nodes, type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { nextAvailabilityMs } from '../replicaset/plan.js';
import { ownedBy } from '../workloads/claim.js';
import { follow } from '../workloads/following.js';
import { PodControl, slowStart } from '../workloads/podControl.js';
import { DaemonHistory } from './daemonHistory.js';
import { daemonPod } from './daemonPod.js';
import { FailedPods } from './failedPods.js';
import { hashOf } from './history.js';
import { fitOf } from './nodeFit.js';
import { plan, type Observed } from './plan.js';
import { isRolling, rollout } from './rollout.js';
import { sameStatus } from '../workloads/sameStatus.js';
import { statusOf } from './status.js';

export function daemonSetController(environment: ManagerEnvironment): Controller {
  const loop = new DaemonSetLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'daemonset',
    workers: environment.options['concurrent-daemonset-syncs'],
    sync: (key) => loop.sync(key),
  });
  controller.watch(daemonSets);
  follow(controller, {
    ownerType: daemonSets,
    type: pods,
    wouldAdopt: ({ spec }, pod) => selects(spec?.selector, pod.metadata.labels),
    expectations: loop.expectations,
  });
  follow(controller, {
    ownerType: daemonSets,
    type: controllerRevisions,
    wouldAdopt: ({ spec }, revision) => selects(spec?.selector, revision.metadata.labels),
  });
  const queue = (concerned: (set: DaemonSet) => boolean): void => {
    for (const set of environment.informers.of(daemonSets).cache.list()) if (concerned(set)) controller.queue.add(keyTextOf(set));
  };
  controller.needs(nodes).addHandlers({
    added: (node) => queue((set) => fitOf(set, node).runs),
    removed: (node) => queue((set) => fitOf(set, node).stays),
    // Most node reports, sent every few seconds, do not matter here.
    changed: (before, after) => {
      if (mayFitOtherwise(before, after)) queue((set) => isOtherwise(set, before, after));
    },
  });
  return controller;
}

const mayFitOtherwise = (before: Node, after: Node): boolean =>
  JSON.stringify([before.metadata.labels, before.spec?.taints]) !== JSON.stringify([after.metadata.labels, after.spec?.taints]);

function isOtherwise(set: DaemonSet, before: Node, after: Node): boolean {
  const [was, is] = [fitOf(set, before), fitOf(set, after)];
  return was.runs !== is.runs || was.stays !== is.stays;
}

/** Most pods created or deleted in one sync; the next continues. */
const burst = 250;

class DaemonSetLoop {
  readonly #environment: ManagerEnvironment;
  readonly expectations: Expectations;
  readonly #control: PodControl;
  readonly #history: DaemonHistory;
  readonly #failed = new FailedPods();

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.expectations = new Expectations(environment.clock);
    this.#control = new PodControl(environment.api, environment.events);
    this.#history = new DaemonHistory(environment);
  }

  async sync(key: string): Promise<SyncResult> {
    const { informers, events } = this.#environment;
    const set = informers.of(daemonSets).cache.get(key);
    if (!set) {
      this.expectations.forget(key);
      this.#failed.forget(key);
      return;
    }
    if (isEmptySelector(set.spec?.selector)) {
      events.warning(set, 'SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.');
      return;
    }
    if (isTerminating(set)) return;
    return unless(isNamespaceTerminating, this.#reconcile(key, set)).then((result) => result ?? undefined);
  }

  async #reconcile(key: string, set: DaemonSet): Promise<SyncResult> {
    const { informers, clock } = this.#environment;
    // Checked before the cache is read, which then includes later arrivals.
    const settled = this.expectations.satisfied(key);
    const owned = await ownedBy(this.#environment, {
      ownerType: daemonSets,
      owner: set,
      type: pods,
      matches: (pod) => selects(set.spec?.selector, pod.metadata.labels),
    });
    const { current, old } = await this.#history.ensure(set, owned);
    const observed: Observed = {
      set,
      nodes: informers.of(nodes).cache.list(),
      pods: owned,
      hash: hashOf(current),
      attempts: this.#failed.of(key),
      now: clock.now(),
      elapsed: clock.elapsed(),
    };
    const again = settled ? await this.#act(key, observed) : { failure: null, againAfterMs: null };
    if (settled && again.failure === null) await this.#history.prune(set, old, owned);
    await this.#writeStatus(set, statusOf(observed, settled));
    if (again.failure !== null) throw again.failure instanceof Error ? again.failure : new Error(String(again.failure));
    const waits = [again.againAfterMs, nextAvailabilityMs(owned, set.spec?.minReadySeconds ?? 0, clock.now())].filter((ms) => ms !== null);
    if (waits.length > 0) return { againAfterMs: Math.min(...waits) };
  }

  /** Creates and deletes pods; a rolling update continues only without other work. */
  async #act(key: string, observed: Observed): Promise<{ readonly failure: unknown; readonly againAfterMs: number | null }> {
    const { events } = this.#environment;
    const { set } = observed;
    const { create, remove, events: planned, tried, againAfterMs } = plan(observed);
    for (const { type, reason, message } of planned) events[type](set, reason, message);
    this.#failed.tried(key, tried, observed.elapsed);
    const step = create.length + remove.length === 0 && isRolling(set) ? rollout(observed) : { create, remove };
    return { failure: await this.#move(key, observed, step.create.slice(0, burst), step.remove.slice(0, burst)), againAfterMs };
  }

  /** Returns the failure. */
  async #move(key: string, { set, hash }: Observed, create: readonly string[], remove: readonly Pod[]): Promise<unknown> {
    if (create.length + remove.length === 0) return null;
    this.expectations.expect(key, { creations: create.length, deletions: remove.map(uidOf) });
    const created = await slowStart(create.length, (index) => this.#control.create(set, daemonPod(set, create[index] ?? '', hash)));
    // Failed and untried creations will not be seen.
    this.expectations.created(key, create.length - created.succeeded);
    const results = await Promise.allSettled(
      remove.map((pod) => this.expectations.deleting(key, uidOf(pod), this.#control.delete(set, pod))),
    );
    const failed = results.find((result) => result.status === 'rejected');
    return created.failure ?? (failed ? (failed.reason as unknown) : null);
  }

  async #writeStatus(set: DaemonSet, status: DaemonSetStatus): Promise<void> {
    if (sameStatus(set.status, status)) return;
    await unless(isNotFound, this.#environment.api.update(daemonSets, { ...set, status }, { subresource: 'status' }));
  }
}
