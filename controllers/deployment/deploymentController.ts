import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNamespaceTerminating, isNotFound, messageOf, unless } from '../client/errors.js';
import { controllerOf, isControlledBy, isTerminating, keyOf, keyTextOf, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { isEmptySelector, selects } from '../../api/selectors.js';
import { type Deployment, deployments, type ReplicaSet, replicaSets } from '../../api/types/apps/v1.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { ownedBy } from '../workloads/claim.js';
import { controllerIndex, follow, orphanWord } from '../workloads/following.js';
import { hasDeadline, replicasOf } from './limits.js';
import { plan, type Action } from './plan.js';
import { sameTemplate } from './revisions.js';
import { condition, reasons, withCondition } from './status.js';

export function deploymentController(environment: ManagerEnvironment): Controller {
  const loop = new DeploymentLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'deployment',
    workers: environment.options['concurrent-deployment-syncs'],
    sync: (key) => loop.sync(key),
    backoffMaxMs: 300_000,
  });
  controller.watch(deployments);
  follow(controller, {
    ownerType: deployments,
    type: replicaSets,
    wouldAdopt: ({ spec }, set) => selects(spec?.selector, set.metadata.labels),
  });
  const podInformer = controller.needs(pods);
  podInformer.addIndex(controllerIndex, (pod) => [controllerOf(pod)?.uid ?? orphanWord(namespaceOf(pod))]);
  // Only the Recreate strategy waits for pods: for their end.
  podInformer.addHandlers({
    removed: (pod) => {
      const key = loop.recreatingOwnerOf(pod);
      if (key !== null) controller.queue.add(key);
    },
  });
  return controller;
}

class DeploymentLoop {
  readonly #environment: ManagerEnvironment;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
  }

  recreatingOwnerOf(pod: Pod): string | null {
    const { informers } = this.#environment;
    const setName = controllerOf(pod)?.name;
    const set = setName === undefined ? undefined : informers.of(replicaSets).cache.get(`${namespaceOf(pod)}/${setName}`);
    const owner = set && controllerOf(set);
    const deployment = owner && informers.of(deployments).cache.get(`${namespaceOf(pod)}/${owner.name}`);
    return deployment && deployment.spec?.strategy?.type === 'Recreate' ? keyTextOf(deployment) : null;
  }

  async sync(key: string): Promise<SyncResult> {
    const { informers, clock } = this.#environment;
    const deployment = informers.of(deployments).cache.get(key);
    if (!deployment) return;
    if (isEmptySelector(deployment.spec?.selector)) {
      await this.#refuse(deployment);
      return;
    }
    const sets = await ownedBy(this.#environment, {
      ownerType: deployments,
      owner: deployment,
      type: replicaSets,
      matches: (set) => selects(deployment.spec?.selector, set.metadata.labels),
    });
    const owned = new Map(sets.map((set) => [uidOf(set), informers.of(pods).cache.by(controllerIndex, uidOf(set))]));
    const { actions, againAfterMs } = plan({ deployment, sets, pods: owned, now: clock.now() });
    const versions = new Map<string, string>();
    for (const action of actions) if (!(await this.#carryOut(deployment, action, versions))) return;
    if (againAfterMs !== null) return { againAfterMs };
  }

  async #refuse(deployment: Deployment): Promise<void> {
    const { api, events } = this.#environment;
    events.warning(deployment, 'SelectingAll', 'This deployment is selecting all pods. A non-empty selector is required.');
    const { generation = 0 } = deployment.metadata;
    if ((deployment.status?.observedGeneration ?? 0) < generation)
      await api.update(
        deployments,
        { ...deployment, status: { ...deployment.status, observedGeneration: generation } },
        { subresource: 'status' },
      );
  }

  /** Returns false when the rest of the plan is void. `versions` has those of already changed sets, by uid. */
  async #carryOut(deployment: Deployment, action: Action, versions: Map<string, string>): Promise<boolean> {
    const { api } = this.#environment;
    switch (action.do) {
      case 'create':
        return this.#create(deployment, action.set);
      case 'resize':
        await this.#resize(deployment, action, versions);
        return true;
      case 'annotate': {
        const { set, annotations, minReadySeconds } = action;
        const changed = await api.update(replicaSets, {
          ...set,
          metadata: { ...set.metadata, annotations },
          spec: { ...set.spec, minReadySeconds },
        });
        versions.set(uidOf(set), changed.metadata.resourceVersion ?? '');
        return true;
      }
      case 'delete':
        await unless(isNotFound, api.delete(replicaSets, keyOf(action.set), { preconditions: { uid: uidOf(action.set) } }));
        return true;
      case 'rollback':
        await this.#rollBack(action);
        return true;
      case 'status':
        await unless(isNotFound, api.update(deployments, action.deployment, { subresource: 'status' }));
        return true;
    }
  }

  async #rollBack({ deployment, event }: Extract<Action, { do: 'rollback' }>): Promise<void> {
    const { api, events } = this.#environment;
    if (event.type === 'Warning') events.warning(deployment, event.reason, event.message);
    await api.update(deployments, deployment);
    if (event.type === 'Normal') events.normal(deployment, event.reason, event.message);
  }

  async #resize(
    deployment: Deployment,
    { set, replicas, annotations }: Extract<Action, { do: 'resize' }>,
    versions: ReadonlyMap<string, string>,
  ): Promise<void> {
    const resourceVersion = versions.get(uidOf(set)) ?? set.metadata.resourceVersion ?? '';
    const before = replicasOf(set);
    const same = before === replicas && Object.entries(annotations).every(([name, value]) => set.metadata.annotations?.[name] === value);
    if (same) return;
    await this.#environment.api.update(replicaSets, {
      ...set,
      metadata: { ...set.metadata, resourceVersion, annotations },
      spec: { ...set.spec, replicas },
    });
    if (before !== replicas)
      this.#environment.events.normal(
        deployment,
        'ScalingReplicaSet',
        `Scaled ${replicas > before ? 'up' : 'down'} replica set ${nameOf(set)} from ${before} to ${replicas}`,
      );
  }

  async #create(deployment: Deployment, set: ReplicaSet): Promise<boolean> {
    try {
      await this.#environment.api.create(replicaSets, set);
    } catch (error) {
      if (isNamespaceTerminating(error)) return false;
      if (isAlreadyExists(error)) return this.#collide(deployment, set);
      await this.#fail(deployment, set, error);
      throw error;
    }
    const replicas = replicasOf(set);
    if (replicas > 0)
      this.#environment.events.normal(deployment, 'ScalingReplicaSet', `Scaled up replica set ${nameOf(set)} from 0 to ${replicas}`);
    return true;
  }

  /** The set may be ours and the cache late. Otherwise another template has the same hash, and the next attempt uses another name. */
  async #collide(deployment: Deployment, set: ReplicaSet): Promise<boolean> {
    const { api } = this.#environment;
    const there = await api.get(replicaSets, keyOf(set));
    if (isControlledBy(there, deployment) && sameTemplate(there.spec?.template, deployment.spec?.template)) return false;
    // A terminating set will free its name.
    if (isTerminating(there) && isControlledBy(there, deployment)) throw new Error(`the replica set ${nameOf(set)} is being deleted`);
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await api.update(deployments, { ...deployment, status: { ...deployment.status, collisionCount } }, { subresource: 'status' });
    return false;
  }

  async #fail(deployment: Deployment, set: ReplicaSet, error: unknown): Promise<void> {
    const { api, events, clock } = this.#environment;
    const message = `Failed to create new replica set "${nameOf(set)}": ${messageOf(error)}`;
    events.warning(deployment, reasons.failed, message);
    if (!hasDeadline(deployment)) return;
    const conditions = withCondition(
      deployment.status?.conditions ?? [],
      condition({ type: 'Progressing', status: 'False', reason: reasons.failed, message }, clock.now()),
    );
    if (conditions !== deployment.status?.conditions)
      await api.update(deployments, { ...deployment, status: { ...deployment.status, conditions } }, { subresource: 'status' });
  }
}
