import { isControlledBy, isTerminating, keyTextOf, nameOf, namespaceOf } from '../../api/meta/object.js';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Pod, pods, type Volume } from '../../api/types/core/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNamespaceTerminating, messageOf } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { controllerReference } from '../workloads/claim.js';

const claimName = (pod: Pod, volume: Volume): string => `${nameOf(pod)}-${volume.name}`;

function claimsOfPod(pod: Pod): readonly { readonly volume: string; readonly claim: PersistentVolumeClaim }[] {
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
    return [{ volume: volume.name, claim: { metadata, spec: template.spec } }];
  });
}

/** Returns why a claim cannot be created; null if it exists. */
async function create({ api, measures }: ManagerEnvironment, claim: PersistentVolumeClaim): Promise<string | null> {
  measures.count('ephemeral_volume_controller_create_total', {});
  try {
    await api.create(persistentVolumeClaims, claim);
    return null;
  } catch (error) {
    if (isAlreadyExists(error) || isNamespaceTerminating(error)) return null;
    measures.count('ephemeral_volume_controller_create_failures_total', {});
    return `create PVC ${nameOf(claim)}: ${messageOf(error)}`;
  }
}

export function ephemeralVolumeController(environment: ManagerEnvironment): Controller {
  const { events, informers, options } = environment;
  const podCache = informers.of(pods).cache;
  const claimCache = informers.of(persistentVolumeClaims).cache;
  const sync = async (key: string): Promise<void> => {
    const pod = podCache.get(key);
    if (!pod || isTerminating(pod)) return;
    for (const { volume, claim } of claimsOfPod(pod)) {
      const present = claimCache.get(keyTextOf(claim));
      const isForeign = present !== undefined && !isControlledBy(present, pod);
      const problem = isForeign
        ? `PVC ${keyTextOf(claim)} was not created for pod ${key} (pod is not owner)`
        : present === undefined
          ? await create(environment, claim)
          : null;
      if (problem === null) continue;
      const message = `ephemeral volume ${volume}: ${problem}`;
      events.warning(pod, 'FailedBinding', message);
      throw new Error(`pod ${key}, ${message}`);
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
  informers.of(pods).addIndex(byClaim, (pod) => claimsOfPod(pod).map(({ claim }) => keyTextOf(claim)));
  controller.needs(persistentVolumeClaims).addHandlers({ removed: (claim) => podCache.by(byClaim, keyTextOf(claim)).forEach(queue) });
  return controller;
}
