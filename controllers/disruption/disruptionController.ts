import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf, unless } from '../client/errors.js';
import { controllerOf, keyTextOf, type KubeObject, nameOf, namespaceOf } from '../../api/meta/object.js';
import { selects, shownSelector } from '../../api/selectors.js';
import { deployments, replicaSets, statefulSets } from '../../api/types/apps/v1.js';
import { type Pod, pods, type PodTemplateSpec, replicationControllers } from '../../api/types/core/v1.js';
import { type PodDisruptionBudget, podDisruptionBudgets } from '../../api/types/policy/v1.js';
import type { Resource } from '../../api/meta/resource.js';
import type { ManagerEnvironment } from '../environment.js';
import { sameMeaning } from '../../api/json/equality.js';
import { expectation, failedStatus, needsScale, statusOf, stillDisrupted, type BudgetStatus } from './budget.js';
import { Scales, ScaleUnknownError } from './scales.js';
import { staleTargetController } from './staleTargets.js';
import { withoutZeros } from '../workloads/sameStatus.js';

/** Computes how many pods of each budget may be evicted. */
export function disruptionController(environment: ManagerEnvironment): Controller {
  const loop = new DisruptionLoop(environment);
  const controller: QueueController = new QueueController(environment, { name: 'disruption', sync: (key) => loop.sync(key) });
  controller.watch(podDisruptionBudgets);
  const queue = (budgets: readonly PodDisruptionBudget[]): void => {
    for (const budget of budgets) controller.queue.add(keyTextOf(budget));
  };
  controller.needs(pods).addHandlers({
    added: (pod) => queue(loop.budgetsOf(pod)),
    removed: (pod) => queue(loop.budgetsOf(pod)),
    changed: (before, after) => {
      if (before === after) return;
      queue(loop.budgetsOf(after));
      if (!sameMeaning(before.metadata.labels, after.metadata.labels)) queue(loop.budgetsOf(before));
    },
  });
  followScale(controller, replicaSets, loop, queue);
  followScale(controller, deployments, loop, queue);
  followScale(controller, statefulSets, loop, queue);
  followScale(controller, replicationControllers, loop, queue);
  const stale = staleTargetController(environment);
  return {
    name: controller.name,
    run: async (signal) => {
      await Promise.all([controller.run(signal), stale.run(signal)]);
    },
  };
}

interface Workload extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly template?: PodTemplateSpec };
}

/** A changed size changes a budget's expectation. */
function followScale<T extends Workload>(
  controller: QueueController,
  type: Resource<T>,
  loop: DisruptionLoop,
  queue: (budgets: readonly PodDisruptionBudget[]) => void,
): void {
  const budgets = (object: T): readonly PodDisruptionBudget[] =>
    loop.selecting(namespaceOf(object), object.spec?.template?.metadata?.labels);
  controller.needs(type).addHandlers({
    changed: (before, after) => {
      if (before.spec?.replicas !== after.spec?.replicas) queue(budgets(after));
    },
  });
}

class DisruptionLoop {
  readonly #environment: ManagerEnvironment;
  readonly #scales: Scales;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.#scales = new Scales(environment);
  }

  selecting(namespace: string, labels: Readonly<Record<string, string>> | undefined): readonly PodDisruptionBudget[] {
    return this.#environment.informers
      .of(podDisruptionBudgets)
      .cache.inNamespace(namespace)
      .filter(({ spec }) => selects(spec?.selector, labels));
  }

  /** Returns the budgets of a pod. A pod with more than one cannot be evicted, and gets an event. */
  budgetsOf(pod: Pod): readonly PodDisruptionBudget[] {
    const found = this.selecting(namespaceOf(pod), pod.metadata.labels);
    const [first] = found;
    if (first && found.length > 1)
      this.#environment.events.warning(
        pod,
        'MultiplePodDisruptionBudgets',
        `Pod ${JSON.stringify(namespaceOf(pod))}/${JSON.stringify(nameOf(pod))} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(nameOf(first))} arbitrarily.`,
      );
    return found;
  }

  async sync(key: string): Promise<SyncResult> {
    const { informers, clock } = this.#environment;
    const budget = informers.of(podDisruptionBudgets).cache.get(key);
    if (!budget) return;
    try {
      return await this.#reckon(budget);
    } catch (error) {
      if (isConflict(error)) throw error;
      await this.#write(budget, failedStatus(budget, messageOf(error), clock.now()));
      if (!(error instanceof ScaleUnknownError)) throw error;
    }
  }

  async #reckon(budget: PodDisruptionBudget): Promise<SyncResult> {
    const { informers, events, clock } = this.#environment;
    const selected = informers
      .of(pods)
      .cache.inNamespace(namespaceOf(budget))
      .filter((pod) => selects(budget.spec?.selector, pod.metadata.labels));
    if (selected.length === 0) events.normal(budget, 'NoPods', 'No matching pods found');
    const scale = needsScale(budget) ? await this.#scaleOf(budget, selected) : 0;
    const now = clock.now();
    const disrupted = stillDisrupted(budget, selected, now);
    for (const pod of disrupted.overdue)
      // The reference names the namespace twice.
      events.warning(
        pod,
        'NotDeleted',
        `Pod was expected by PDB ${namespaceOf(budget)}/${namespaceOf(budget)} to be deleted but it wasn't`,
      );
    await this.#write(budget, statusOf({ budget, pods: selected, expectation: expectation(budget, selected, scale), disrupted, now }));
    if (disrupted.againAfterMs !== null) return { againAfterMs: disrupted.againAfterMs };
  }

  /** Returns the desired total of the pods' controllers. */
  async #scaleOf(budget: PodDisruptionBudget, selected: readonly Pod[]): Promise<number> {
    const { events } = this.#environment;
    const owners = new Map(
      selected.flatMap((pod) => {
        const owner = controllerOf(pod);
        return owner ? [[owner.uid, { owner, pod }] as const] : [];
      }),
    );
    const scales = new Map<string, number>();
    try {
      for (const { owner, pod } of owners.values()) {
        const found = await this.#scales.of(owner, namespaceOf(pod));
        if (!found) throw new ScaleUnknownError(`found no controllers for pod ${JSON.stringify(nameOf(pod))}`);
        scales.set(found.uid, found.replicas);
      }
    } catch (error) {
      events.warning(budget, 'CalculateExpectedPodCountFailed', `Failed to calculate the number of expected pods: ${messageOf(error)}`);
      throw error;
    }
    if (selected.some((pod) => !controllerOf(pod))) events.warning(budget, 'UnmanagedPods', unmanaged(budget));
    return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  async #write(budget: PodDisruptionBudget, status: BudgetStatus): Promise<void> {
    if (budget.status?.observedGeneration === status.observedGeneration && sameMeaning(withoutZeros(budget.status), withoutZeros(status)))
      return;
    await unless(isNotFound, this.#environment.api.update(podDisruptionBudgets, { ...budget, status }, { subresource: 'status' }));
  }
}

/** Uses the words of the reference. */
const unmanaged = ({ spec }: PodDisruptionBudget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${shownSelector(spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, ` +
  'which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
