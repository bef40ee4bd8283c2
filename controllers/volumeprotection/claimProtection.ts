import { timeText } from '../../api/time.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import { isTerminating, namespaceOf } from '../../api/meta/object.js';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { claimsOf, finalizer, protectionOf, uses, withUse } from './claimUse.js';

/** Removes the finalizer of deleted claims without pods. */
export function claimProtectionController(environment: ManagerEnvironment): Controller {
  const controller: QueueController = new QueueController(environment, {
    name: 'pvcprotection',
    sync: (key) => syncClaim(environment, key),
  });
  controller.watch(persistentVolumeClaims);
  const queue = (pod: Pod): void => {
    for (const name of claimsOf(pod)) controller.queue.add(`${namespaceOf(pod)}/${name}`);
  };
  const tellsUse = environment.isOn('PersistentVolumeClaimUnusedSinceTime');
  // Only a pod's end, not a new pod, releases a claim.
  controller.needs(pods).addHandlers({
    removed: queue,
    ...(tellsUse
      ? {
          added: queue,
          changed: (_before: Pod, after: Pod) => {
            queue(after);
          },
        }
      : {}),
  });
  return controller;
}

async function syncClaim({ api, informers, clock, isOn }: ManagerEnvironment, key: string): Promise<void> {
  const claim = informers.of(persistentVolumeClaims).cache.get(key);
  if (!claim) return;
  const { finalizers = [] } = claim.metadata;
  const write = (changed: readonly string[]): Promise<unknown> =>
    unless(
      isNotFound,
      api.update<PersistentVolumeClaim>(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, finalizers: changed } }),
    );
  switch (protectionOf(claim)) {
    case 'nothing': {
      if (isTerminating(claim) || !isOn('PersistentVolumeClaimUnusedSinceTime')) return;
      const conditions = withUse(claim, informers.of(pods).cache.inNamespace(namespaceOf(claim)), timeText(clock.now()));
      if (conditions === null) return;
      const status = { ...claim.status, conditions: [...conditions] };
      await unless(isNotFound, api.update(persistentVolumeClaims, { ...claim, status }, { subresource: 'status' }));
      return;
    }
    case 'add':
      await write([...finalizers, finalizer]);
      return;
    case 'release': {
      const namespace = namespaceOf(claim);
      if (
        informers
          .of(pods)
          .cache.inNamespace(namespace)
          .some((pod) => uses(pod, claim))
      )
        return;
      // The cache may not show a pod that was just bound; its data would be lost with the claim.
      const { items } = await api.list(pods, { namespace });
      if (!items.some((pod) => uses(pod, claim))) await write(finalizers.filter((name) => name !== finalizer));
    }
  }
}
