import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNamespaceTerminating, isNotFound, messageOf, unless } from '../client/errors.js';
import { Expectations } from '../client/expectations.js';
import { controllerOf, isTerminating, type KubeObject, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Pod, pods, type PodTemplateSpec, type ReplicationControllerStatus as ReplicaStatus } from '../../api/types/core/v1.js';
import type { Resource } from '../../api/meta/resource.js';
import type { ManagerEnvironment } from '../environment.js';
import { candidatesFor, ownedBy } from '../workloads/claim.js';
import { controllerIndex, follow } from '../workloads/following.js';
import { PodControl, slowStart } from '../workloads/podControl.js';
import { isActive, isFinished, isReady } from '../workloads/podState.js';
import { podOf } from '../workloads/podTemplate.js';
import { withoutZeros } from '../workloads/sameStatus.js';
import { sameMeaning } from '../../api/json/equality.js';
import { nextAvailabilityMs, planReplicas, statusOf, type Failure, type ReplicaPlan, type Wanted } from './plan.js';

interface ReplicaOwner extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly minReadySeconds?: number; readonly template?: PodTemplateSpec };
  readonly status?: ReplicaStatus;
}

/** The differences between ReplicaSets and ReplicationControllers; they share the loop. */
export interface ReplicaKind<O extends ReplicaOwner> {
  readonly type: Resource<O>;
  readonly queue: string;
  readonly workers: number;
  readonly selects: (owner: O, pod: Pod) => boolean;
  readonly countsTerminating: boolean;
}

const wantedBy = ({ spec, metadata }: ReplicaOwner): Wanted => ({
  replicas: spec?.replicas ?? 1,
  minReadySeconds: spec?.minReadySeconds ?? 0,
  template: spec?.template,
  generation: metadata.generation ?? 0,
});

export class ReplicaController<O extends ReplicaOwner> implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly #kind: ReplicaKind<O>;
  readonly name: string;
  readonly #loop: QueueController;
  readonly #control: PodControl;
  readonly #expectations: Expectations;

  constructor(environment: ManagerEnvironment, kind: ReplicaKind<O>) {
    this.#environment = environment;
    this.#kind = kind;
    this.name = kind.queue;
    this.#control = new PodControl(environment.api, environment.events);
    this.#expectations = new Expectations(environment.clock);
    this.#loop = new QueueController(environment, { name: kind.queue, workers: kind.workers, sync: (key) => this.sync(key) });
    this.#loop.watch(kind.type);
    follow(this.#loop, {
      ownerType: kind.type,
      type: pods,
      wouldAdopt: kind.selects,
      expectations: this.#expectations,
      onChange: (key, owner, before, after) => this.#podChanged(key, owner, before, after),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async sync(key: string): Promise<SyncResult> {
    const owner = this.#environment.informers.of(this.#kind.type).cache.get(key);
    if (!owner) {
      this.#expectations.forget(key);
      return;
    }
    const settled = this.#expectations.satisfied(key);
    const wanted = wantedBy(owner);
    const known = this.#podsOf(owner);
    const active = await ownedBy(this.#environment, {
      ownerType: this.#kind.type,
      owner,
      type: pods,
      among: known.filter(isActive),
      matches: (pod) => this.#kind.selects(owner, pod),
    });
    const result = settled && !isTerminating(owner) ? await this.#reach(key, owner, wanted, active) : null;
    const terminating =
      this.#kind.countsTerminating && this.#environment.isOn('DeploymentReplicaSetTerminatingReplicas')
        ? known.filter((pod) => controllerOf(pod) && isTerminating(pod) && !isFinished(pod)).length
        : null;
    const { clock } = this.#environment;
    const status = statusOf({ wanted, before: owner.status, active, terminating, failure: result?.failure ?? null, now: clock.now() });
    await this.#writeStatus(owner, status);
    if (result) throw result.cause;
    const waitMs = nextAvailabilityMs(active, wanted.minReadySeconds, clock.now());
    if (waitMs !== null) return { againAfterMs: waitMs };
  }

  #podChanged(key: string, owner: O, before: Pod | null, after: Pod): void {
    this.#loop.queue.add(key);
    const { minReadySeconds } = wantedBy(owner);
    // Time alone makes the pod available, plus a second for rounding.
    if (minReadySeconds > 0 && isReady(after) && !(before && isReady(before))) this.#loop.queue.addAfter(key, (minReadySeconds + 1) * 1000);
  }

  #podsOf(owner: O): readonly Pod[] {
    return candidatesFor(this.#environment, pods, owner);
  }

  /** Creates missing or deletes excess pods. Returns the failure. */
  async #reach(
    key: string,
    owner: O,
    { replicas, template }: Wanted,
    active: readonly Pod[],
  ): Promise<{ readonly failure: Failure; readonly cause: unknown } | null> {
    const plan = planReplicas(replicas, active, {
      related: this.#related(owner, active),
      now: this.#environment.clock.now(),
      knowsCosts: this.#environment.isOn('PodDeletionCost'),
    });
    if (plan.do === 'nothing') return null;
    const cause =
      plan.do === 'create'
        ? await this.#create(key, owner, plan.count, () => podOf(template, this.#kind.type, owner))
        : await this.#delete(key, owner, plan);
    return cause === null
      ? null
      : { cause, failure: { reason: plan.do === 'create' ? 'FailedCreate' : 'FailedDelete', message: messageOf(cause) } };
  }

  async #create(key: string, owner: O, count: number, pod: () => Pod): Promise<unknown> {
    this.#expectations.expect(key, { creations: count });
    const { succeeded, failure } = await slowStart(count, async () => {
      try {
        await this.#control.create(owner, pod());
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
        this.#expectations.created(key);
      }
    });
    // Failed and untried creations will not be seen.
    if (succeeded < count) this.#expectations.created(key, count - succeeded);
    return failure;
  }

  async #delete(key: string, owner: O, { pods: victims }: Extract<ReplicaPlan, { do: 'delete' }>): Promise<unknown> {
    this.#expectations.expect(key, { deletions: victims.map(uidOf) });
    const results = await Promise.allSettled(
      victims.map((pod) => this.#expectations.deleting(key, uidOf(pod), this.#control.delete(owner, pod))),
    );
    const failed = results.find((result) => result.status === 'rejected');
    return failed ? failed.reason : null;
  }

  #related(owner: O, active: readonly Pod[]): readonly Pod[] {
    const controller = controllerOf(owner);
    if (!controller) return active;
    const { informers } = this.#environment;
    const sisters = informers
      .of(this.#kind.type)
      .cache.inNamespace(namespaceOf(owner))
      .filter((other) => controllerOf(other)?.uid === controller.uid);
    return sisters.flatMap((sister) => informers.of(pods).cache.by(controllerIndex, uidOf(sister)));
  }

  async #writeStatus(owner: O, status: ReplicaStatus): Promise<void> {
    const { replicas = 0, observedGeneration = 0 } = owner.status ?? {};
    if (
      sameMeaning(withoutZeros(owner.status), withoutZeros(status)) &&
      owner.status?.replicas !== undefined &&
      replicas === status.replicas &&
      observedGeneration === status.observedGeneration
    )
      return;
    await unless(isNotFound, this.#environment.api.update(this.#kind.type, { ...owner, status }, { subresource: 'status' }));
  }
}
