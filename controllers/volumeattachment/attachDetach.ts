import { keyOf, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import {
  type Node,
  nodes,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
} from '../../api/types/core/v1.js';
import { csiDrivers, type VolumeAttachment, volumeAttachments } from '../../api/types/storage/v1.js';
import { mergePatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNotFound, unless } from '../client/errors.js';
import type { Informer } from '../client/informer.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { claimsOf } from '../volumeprotection/claimUse.js';
import { attachPlan, forcedAfterMs, type AttachPlan } from './plan.js';

const byNode = 'node';
const byClaim = 'claim';
const byVolume = 'volume';
const workers = 2;
/** Retry interval for a volume that another node still has. */
const retryMs = 10_000;

/**
 * Requests drivers to attach pods' volumes to their nodes, and to detach them when no pod there needs them and the node has released them. VolumeAttachment
 * objects carry the requests.
 */
export const attachDetachController = (environment: ManagerEnvironment): Controller => new AttachDetach(environment).controller;

const usedOf = (volumesInUse: readonly string[] | undefined): string => [...(volumesInUse ?? [])].sort().join(' ');

/** Returns whether this change may affect the node's plan. Pure. */
const matters = (before: Node, { metadata, spec, status }: Node): boolean =>
  usedOf(before.status?.volumesInUse) !== usedOf(status?.volumesInUse) ||
  before.spec?.taints !== spec?.taints ||
  before.metadata.annotations !== metadata.annotations;

class AttachDetach {
  readonly controller: QueueController;
  readonly #environment: ManagerEnvironment;
  readonly #pods: Informer<Pod>;
  readonly #attachments: Informer<VolumeAttachment>;
  /** Attachment -> since when no pod needs it; bounded by attachments. */
  readonly #unneeded = new Map<string, number>();

  constructor(environment: ManagerEnvironment) {
    const { informers } = environment;
    this.#environment = environment;
    this.#pods = informers.of(pods);
    this.#attachments = informers.of(volumeAttachments);
    this.#pods.addIndex(byNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    this.#pods.addIndex(byClaim, (pod) => claimsOf(pod).map((name) => `${namespaceOf(pod)}/${name}`));
    this.#attachments.addIndex(byNode, ({ spec }) => [spec.nodeName]);
    this.#attachments.addIndex(byVolume, ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []));
    this.controller = new QueueController(environment, {
      name: 'attachdetach',
      workers,
      sync: (nodeName) => this.#sync(nodeName),
      background: (signal) => this.#requeue(signal),
    });
    this.#followPods();
    this.#followVolumes();
    this.#followNodes();
    this.#followAttachments();
  }

  async #sync(nodeName: string): Promise<void | { againAfterMs: number }> {
    const { api, events, measures } = this.#environment;
    const node = this.#environment.informers.of(nodes).cache.get(nodeName);
    const plan = this.#planOf(nodeName, node);
    for (const { pod, message } of plan.refused) events.warning(pod, 'FailedAttachVolume', message);
    for (const each of plan.create) await unless(isAlreadyExists, api.create(volumeAttachments, each));
    for (const { attachment, forced } of plan.remove) {
      if (forced) measures.count('attach_detach_controller_attachdetach_controller_forced_detaches', { reason: forced });
      await unless(isNotFound, api.delete(volumeAttachments, keyOf(attachment), { preconditions: { uid: uidOf(attachment) } }));
    }
    if (node && plan.attached) {
      const patch = mergePatch({ status: { volumesAttached: plan.attached } });
      await unless(isNotFound, api.patch(nodes, keyOf(node), patch, { subresource: 'status' }));
    }
    if (plan.refused.length > 0) return { againAfterMs: retryMs };
    if (plan.unneeded.length > plan.remove.length) return { againAfterMs: forcedAfterMs };
  }

  /** Computes a node's plan, and records attachments that no pod needs. */
  #planOf(nodeName: string, node: Node | undefined): AttachPlan {
    const { clock, informers, options } = this.#environment;
    const now = clock.elapsed();
    const plan = attachPlan({
      node,
      nodeName,
      pods: this.#pods.cache.by(byNode, nodeName),
      attachments: this.#attachments.cache.by(byNode, nodeName),
      claim: (key) => informers.of(persistentVolumeClaims).cache.get(key),
      volume: (name) => informers.of(persistentVolumes).cache.get(name),
      driver: (name) => informers.of(csiDrivers).cache.get(name),
      elsewhere: (volume) =>
        this.#attachments.cache.by(byVolume, volume).flatMap(({ spec }) => (spec.nodeName === nodeName ? [] : [spec.nodeName])),
      unneededSince: (name) => this.#unneeded.get(name),
      force: !options['disable-force-detach-on-timeout'],
      now,
    });
    for (const each of this.#attachments.cache.by(byNode, nodeName)) {
      const name = nameOf(each);
      if (!plan.unneeded.includes(name)) this.#unneeded.delete(name);
      else if (!this.#unneeded.has(name)) this.#unneeded.set(name, now);
    }
    return plan;
  }

  /** Queues all nodes periodically, and measures the volumes. */
  async #requeue(signal: AbortSignal): Promise<void> {
    const { clock, informers, options } = this.#environment;
    if (options['disable-attach-detach-reconcile-sync']) return;
    const turn = async (): Promise<void> => {
      for (const node of informers.of(nodes).cache.list()) this.controller.queue.add(nameOf(node));
      for (const { spec } of this.#attachments.cache.list()) this.controller.queue.add(spec.nodeName);
      this.#measure();
    };
    await every(clock, options['attach-detach-reconcile-sync-period'], turn, signal);
  }

  #measure(): void {
    const all = this.#attachments.cache.list();
    const attached = all.filter(({ status }) => status?.attached);
    for (const [state, count] of [
      ['desired_state_of_world', all.length],
      ['actual_state_of_world', attached.length],
    ] as const)
      this.#environment.measures.set('attachdetach_controller_total_volumes', { plugin_name: 'kubernetes.io/csi', state }, count);
  }

  #queueNode(name: string | undefined): void {
    if (name) this.controller.queue.add(name);
  }

  #queueClaim(claim: PersistentVolumeClaim): void {
    for (const pod of this.#pods.cache.by(byClaim, `${namespaceOf(claim)}/${nameOf(claim)}`)) this.#queueNode(pod.spec?.nodeName);
  }

  #followPods(): void {
    const queue = (pod: Pod): void => {
      if (claimsOf(pod).length > 0) this.#queueNode(pod.spec?.nodeName);
    };
    this.controller.needs(pods).addHandlers({ added: queue, changed: (_, after) => queue(after), removed: queue });
  }

  #followVolumes(): void {
    this.controller.needs(persistentVolumeClaims).addHandlers({
      added: (claim) => this.#queueClaim(claim),
      changed: (before, after) => {
        if (before.status?.phase !== after.status?.phase) this.#queueClaim(after);
      },
    });
    this.controller.needs(persistentVolumes).addHandlers({
      added: ({ spec }) => {
        const { namespace = '', name = '' } = spec?.claimRef ?? {};
        const claim = this.#environment.informers.of(persistentVolumeClaims).cache.get(`${namespace}/${name}`);
        if (claim) this.#queueClaim(claim);
      },
    });
    this.controller.needs(csiDrivers);
  }

  #followNodes(): void {
    this.controller.needs(nodes).addHandlers({
      added: (node) => this.#queueNode(nameOf(node)),
      changed: (before, after) => {
        if (matters(before, after)) this.#queueNode(nameOf(after));
      },
      removed: (node) => this.#queueNode(nameOf(node)),
    });
  }

  #followAttachments(): void {
    this.controller.needs(volumeAttachments).addHandlers({
      added: ({ spec }) => this.#queueNode(spec.nodeName),
      changed: (before, after) => {
        this.#queueNode(after.spec.nodeName);
        this.#report(before, after);
      },
      removed: (last) => {
        this.#unneeded.delete(nameOf(last));
        this.#queueNode(last.spec.nodeName);
        // A node that was refused the volume may get it now.
        for (const { spec } of this.#attachments.cache.by(byVolume, last.spec.source.persistentVolumeName ?? ''))
          this.#queueNode(spec.nodeName);
      },
    });
  }

  #report(before: VolumeAttachment, after: VolumeAttachment): void {
    const { events } = this.#environment;
    const { attached, attachError } = after.status ?? {};
    const volume = after.spec.source.persistentVolumeName ?? '';
    const message = attachError?.message;
    if (attached && !before.status?.attached)
      for (const pod of this.#waitingFor(after))
        events.normal(pod, 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${volume}"`);
    if (message && message !== before.status?.attachError?.message)
      for (const pod of this.#waitingFor(after))
        events.warning(pod, 'FailedAttachVolume', `AttachVolume.Attach failed for volume "${volume}": ${message}`);
  }

  #waitingFor({ spec }: VolumeAttachment): readonly Pod[] {
    const volume = this.#environment.informers.of(persistentVolumes).cache.get(spec.source.persistentVolumeName ?? '');
    const { namespace = '', name = '' } = volume?.spec?.claimRef ?? {};
    return this.#pods.cache.by(byClaim, `${namespace}/${name}`).filter((pod) => pod.spec?.nodeName === spec.nodeName);
  }
}
