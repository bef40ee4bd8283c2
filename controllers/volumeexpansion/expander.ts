import { keyTextOf, uidOf } from '../../api/meta/object.js';
import { compareQuantities, parseQuantity } from '../../api/quantity.js';
import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from '../../api/types/core/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';

export function wantsMore({ spec, status }: PersistentVolumeClaim): boolean {
  if (status?.phase !== 'Bound') return false;
  const wanted = parseQuantity(spec?.resources?.requests?.['storage'] ?? '');
  const given = parseQuantity(status.capacity?.['storage'] ?? '');
  return wanted.ok && given.ok && compareQuantities(wanted.quantity, given.quantity) > 0;
}

/** Returns whether both refer to each other. */
const isBoundTo = (claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): boolean =>
  volume?.spec?.claimRef?.uid === uidOf(claim);

const workers = 10;

/** Drivers expand all expandable volumes: claims that request more get an event that names the driver. */
export function volumeExpander(environment: ManagerEnvironment): Controller {
  const { events, informers } = environment;
  const { cache } = informers.of(persistentVolumeClaims);
  const sync = async (key: string): Promise<void> => {
    const claim = cache.get(key);
    if (!claim || !wantsMore(claim) || !isBoundTo(claim, informers.of(persistentVolumes).cache.get(claim.spec?.volumeName ?? ''))) return;
    events.normal(claim, 'ExternalExpanding', 'waiting for an external controller to expand this PVC');
  };
  const controller: QueueController = new QueueController(environment, { name: 'volume_expand', workers, sync });
  controller.needs(persistentVolumes);
  const requestOf = ({ spec }: PersistentVolumeClaim): string | undefined => spec?.resources?.requests?.['storage'];
  const queue = (claim: PersistentVolumeClaim): void => {
    if (wantsMore(claim)) controller.queue.add(keyTextOf(claim));
  };
  controller.needs(persistentVolumeClaims).addHandlers({
    added: queue,
    changed: (before, after) => {
      if (requestOf(before) !== requestOf(after) || before.status?.phase !== after.status?.phase) queue(after);
    },
  });
  return controller;
}
