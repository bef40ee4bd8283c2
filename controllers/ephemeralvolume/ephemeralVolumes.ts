import { isControlledBy, isTerminating, keyTextOf, nameOf, namespaceOf } from '../../api/meta/object.js';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Pod, pods, type Volume } from '../../api/types/core/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNamespaceTerminating } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { controllerReference } from '../workloads/claim.js';

const claimName = (pod: Pod, volume: Volume): string => `${nameOf(pod)}-${volume.name}`;

/** The generated claims of a pod. Pure. */
function claimsOfPod(pod: Pod): readonly PersistentVolumeClaim[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (!template) return [];
    const { labels, annotations } = template.metadata ?? {};
    const metadata = {
      name: claimName(pod, volume),
      namespace: namespaceOf(pod),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(pods, pod)],
    };
    return [{ metadata, spec: template.spec }];
  });
}

export function ephemeralVolumeController(environment: ManagerEnvironment): Controller {
  const { api, events, informers, measures, options } = environment;
  const podCache = informers.of(pods).cache;
  const claimCache = informers.of(persistentVolumeClaims).cache;
  const create = async (claim: PersistentVolumeClaim): Promise<void> => {
    measures.count('ephemeral_volume_controller_create_total', {});
    try {
      await api.create(persistentVolumeClaims, claim);
    } catch (error) {
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) return;
      measures.count('ephemeral_volume_controller_create_failures_total', {});
      throw error;
    }
  };
  const sync = async (key: string): Promise<void> => {
    const pod = podCache.get(key);
    if (!pod || isTerminating(pod)) return;
    for (const claim of claimsOfPod(pod)) {
      const present = claimCache.get(keyTextOf(claim));
      if (!present) await create(claim);
      else if (!isControlledBy(present, { owner: pod })) {
        const message = `ephemeral volume: PVC ${keyTextOf(claim)} was not created for pod ${key} (pod is not owner)`;
        events.warning(pod, 'FailedBinding', message);
        throw new Error(message);
      }
    }
  };
  const controller: QueueController = new QueueController(environment, {
    name: 'ephemeral_volume',
    workers: options['concurrent-ephemeralvolume-syncs'],
    sync,
  });
  const queue = (pod: Pod): void => {
    if (!isTerminating(pod) && claimsOfPod(pod).length > 0) controller.queue.add(keyTextOf(pod));
  };
  controller.needs(pods).addHandlers({ added: queue });
  const byClaim = 'ephemeral claim';
  informers.of(pods).addIndex(byClaim, (pod) => claimsOfPod(pod).map(keyTextOf));
  controller.needs(persistentVolumeClaims).addHandlers({ removed: (claim) => podCache.by(byClaim, keyTextOf(claim)).forEach(queue) });
  return controller;
}
