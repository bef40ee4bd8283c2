import { keyOf, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { nodes, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes, type Pod, pods } from '../../api/types/core/v1.js';
import { csiDrivers, type VolumeAttachment, volumeAttachments } from '../../api/types/storage/v1.js';
import { mergePatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNotFound, unless } from '../client/errors.js';
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
 * Requests drivers to attach the volumes of pods to their nodes, and to detach them when no pod needs them there any more and the node has released them.
 * VolumeAttachment objects carry the requests.
 */
export function attachDetachController(environment: ManagerEnvironment): Controller {
  const { api, clock, events, informers, measures, options } = environment;
  const nodeCache = informers.of(nodes).cache;
  const podInformer = informers.of(pods);
  const attachments = informers.of(volumeAttachments);
  const claims = informers.of(persistentVolumeClaims);
  const volumes = informers.of(persistentVolumes);
  podInformer.addIndex(byNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  podInformer.addIndex(byClaim, (pod) => claimsOf(pod).map((name) => `${namespaceOf(pod)}/${name}`));
  attachments.addIndex(byNode, ({ spec }) => [spec.nodeName]);
  attachments.addIndex(byVolume, ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []));
  /** Attachment -> since when no pod needs it. Holds no more names than there are attachments. */
  const unneeded = new Map<string, number>();

  const sync = async (nodeName: string): Promise<void | { againAfterMs: number }> => {
    const node = nodeCache.get(nodeName);
    const now = clock.elapsed();
    const plan = attachPlan({
      node,
      nodeName,
      pods: podInformer.cache.by(byNode, nodeName),
      attachments: attachments.cache.by(byNode, nodeName),
      claim: (key) => claims.cache.get(key),
      volume: (name) => volumes.cache.get(name),
      driver: (name) => informers.of(csiDrivers).cache.get(name),
      elsewhere: (volume) =>
        attachments.cache.by(byVolume, volume).flatMap(({ spec }) => (spec.nodeName === nodeName ? [] : [spec.nodeName])),
      unneededSince: (name) => unneeded.get(name),
      force: !options['disable-force-detach-on-timeout'],
      now,
    });
    remember(nodeName, plan, now);
    for (const { pod, message } of plan.refused) events.warning(pod, 'FailedAttachVolume', message);
    for (const each of plan.create) await unless(isAlreadyExists, api.create(volumeAttachments, each));
    for (const { attachment, forced } of plan.remove) {
      if (forced) measures.count('attach_detach_controller_attachdetach_controller_forced_detaches', { reason: forced });
      await unless(isNotFound, api.delete(volumeAttachments, keyOf(attachment), { preconditions: { uid: uidOf(attachment) } }));
    }
    if (node && plan.attached)
      await unless(
        isNotFound,
        api.patch(nodes, keyOf(node), mergePatch({ status: { volumesAttached: plan.attached } }), { subresource: 'status' }),
      );
    if (plan.refused.length > 0) return { againAfterMs: retryMs };
    if (plan.unneeded.length > plan.remove.length) return { againAfterMs: forcedAfterMs };
  };
  const remember = (nodeName: string, { unneeded: names }: AttachPlan, now: number): void => {
    for (const each of attachments.cache.by(byNode, nodeName)) {
      const name = nameOf(each);
      if (!names.includes(name)) unneeded.delete(name);
      else if (!unneeded.has(name)) unneeded.set(name, now);
    }
  };
  const background = async (signal: AbortSignal): Promise<void> => {
    if (options['disable-attach-detach-reconcile-sync']) return;
    await every(
      clock,
      options['attach-detach-reconcile-sync-period'],
      async () => {
        for (const node of nodeCache.list()) controller.queue.add(nameOf(node));
        for (const { spec } of attachments.cache.list()) controller.queue.add(spec.nodeName);
        const wanted = attachments.cache.list().length;
        const actual = attachments.cache.list().filter(({ status }) => status?.attached).length;
        measures.set(
          'attachdetach_controller_total_volumes',
          { plugin_name: 'kubernetes.io/csi', state: 'desired_state_of_world' },
          wanted,
        );
        measures.set('attachdetach_controller_total_volumes', { plugin_name: 'kubernetes.io/csi', state: 'actual_state_of_world' }, actual);
      },
      signal,
    );
  };
  const controller: QueueController = new QueueController(environment, { name: 'attachdetach', workers, sync, background });
  const queueNode = (name: string | undefined): void => {
    if (name) controller.queue.add(name);
  };
  const hasClaims = (pod: Pod): boolean => claimsOf(pod).length > 0;
  const queuePod = (pod: Pod): void => {
    if (hasClaims(pod)) queueNode(pod.spec?.nodeName);
  };
  controller.needs(pods).addHandlers({ added: queuePod, changed: (_, after) => queuePod(after), removed: queuePod });
  const queueClaim = (claim: PersistentVolumeClaim): void => {
    for (const pod of podInformer.cache.by(byClaim, `${namespaceOf(claim)}/${nameOf(claim)}`)) queueNode(pod.spec?.nodeName);
  };
  controller.needs(persistentVolumeClaims).addHandlers({
    added: queueClaim,
    changed: (before, after) => {
      if (before.status?.phase !== after.status?.phase) queueClaim(after);
    },
  });
  controller.needs(persistentVolumes).addHandlers({
    added: ({ spec }) => {
      const { namespace = '', name = '' } = spec?.claimRef ?? {};
      const claim = claims.cache.get(`${namespace}/${name}`);
      if (claim) queueClaim(claim);
    },
  });
  controller.needs(csiDrivers);
  const usedOf = (volumesInUse: readonly string[] | undefined): string => [...(volumesInUse ?? [])].sort().join(' ');
  controller.needs(nodes).addHandlers({
    added: (node) => queueNode(nameOf(node)),
    changed: (before, after) => {
      const { metadata, spec, status } = after;
      if (
        usedOf(before.status?.volumesInUse) !== usedOf(status?.volumesInUse) ||
        before.spec?.taints !== spec?.taints ||
        before.metadata.annotations !== metadata.annotations
      )
        queueNode(nameOf(after));
    },
    removed: (node) => queueNode(nameOf(node)),
  });
  const tellPods = (attachment: VolumeAttachment, tell: (pod: Pod, volume: string) => void): void => {
    const name = attachment.spec.source.persistentVolumeName ?? '';
    const { namespace = '', name: claim = '' } = volumes.cache.get(name)?.spec?.claimRef ?? {};
    for (const pod of podInformer.cache.by(byClaim, `${namespace}/${claim}`))
      if (pod.spec?.nodeName === attachment.spec.nodeName) tell(pod, name);
  };
  controller.needs(volumeAttachments).addHandlers({
    added: ({ spec }) => queueNode(spec.nodeName),
    changed: (before, after) => {
      queueNode(after.spec.nodeName);
      const { attached, attachError } = after.status ?? {};
      if (attached && !before.status?.attached)
        tellPods(after, (pod, volume) =>
          events.normal(pod, 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${volume}"`),
        );
      if (attachError?.message && attachError.message !== before.status?.attachError?.message)
        tellPods(after, (pod, volume) =>
          events.warning(pod, 'FailedAttachVolume', `AttachVolume.Attach failed for volume "${volume}": ${attachError.message ?? ''}`),
        );
    },
    removed: (last) => {
      unneeded.delete(nameOf(last));
      queueNode(last.spec.nodeName);
      // A node that was refused the volume may have it now.
      for (const { spec } of attachments.cache.by(byVolume, last.spec.source.persistentVolumeName ?? '')) queueNode(spec.nodeName);
    },
  });
  return controller;
}
