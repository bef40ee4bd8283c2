import { keyText, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import { type ResourceClaim, resourceClaims, resourceSlices } from '../../api/types/resource/v1.js';
import { type DeviceTaintRule, deviceTaintRules } from '../../api/types/resource/v1beta2.js';
import type { Controller } from '../client/controller.js';
import type { Lister } from '../client/cache.js';
import type { ManagerEnvironment } from '../environment.js';
import { PodDeadlines } from '../evictions/podDeadlines.js';
import { typeServed } from '../servedTypes.js';
import { deviceText, ruleTaint, taintedDevices, usableUntil, type DeviceName, type DeviceTaint } from './deviceTaints.js';

const byDevice = 'device';
const byPod = 'pod';

/** Deletes pods that do not tolerate the taints of their devices. Taint rules count where the server has them. */
export function deviceTaintEvictionController(environment: ManagerEnvironment): Controller {
  const { informers, clock, measures, options } = environment;
  const claims = informers.of(resourceClaims);
  const slices = informers.of(resourceSlices);
  let rules: Lister<DeviceTaintRule> | null = null;
  claims.addIndex(byPod, ({ status }) => (status?.reservedFor ?? []).flatMap(({ resource, uid }) => (resource === 'pods' ? [uid] : [])));
  claims.addIndex(byDevice, ({ status }) => (status?.allocation?.devices?.results ?? []).map(deviceText));
  slices.addIndex(byDevice, (slice) => taintedDevices(slice).map(([device]) => device));
  const taintsOf = (name: DeviceName): readonly DeviceTaint[] => {
    const text = deviceText(name);
    return [
      ...slices.cache
        .by(byDevice, text)
        .flatMap((slice) => taintedDevices(slice).flatMap(([device, taints]) => (device === text ? taints : []))),
      ...(rules?.list() ?? []).flatMap((rule) => ruleTaint(rule, name) ?? []),
    ];
  };
  const deadlines = new PodDeadlines(environment, {
    queue: 'device_taint_eviction',
    workers: options['concurrent-device-taint-eviction-syncs'],
    judge(pod) {
      const ends = claims.cache.by(byPod, uidOf(pod)).flatMap((claim) => usableUntil(claim, taintsOf, clock.now()) ?? []);
      return ends.length > 0 ? { until: Math.min(...ends) } : null;
    },
    event: {
      reason: 'DeviceTaintManagerEviction',
      marked: () => 'Marking for deletion',
      cancelled: () => 'Cancelling deletion',
      withUid: true,
    },
    condition: { reason: 'DeletionByDeviceTaintManager', message: 'Device Taint manager: deleting due to NoExecute taint' },
    deleted(lateSeconds) {
      measures.count('device_taint_eviction_controller_pod_deletions_total', {});
      measures.observe('device_taint_eviction_controller_pod_deletion_duration_seconds', {}, lateSeconds);
    },
  });
  const { controller } = deadlines;
  const considerClaim = (claim: ResourceClaim): void => {
    for (const { resource, name } of claim.status?.reservedFor ?? [])
      if (resource === 'pods') controller.queue.add(keyText({ namespace: namespaceOf(claim), name }));
  };
  const considerDevices = (devices: readonly string[]): void => {
    for (const device of devices) claims.cache.by(byDevice, device).forEach(considerClaim);
  };
  const considerAll = (): void => claims.cache.list().forEach(considerClaim);
  controller.needs(resourceClaims).addHandlers({
    added: considerClaim,
    changed: (before, after) => {
      considerClaim(before);
      considerClaim(after);
    },
  });
  controller.needs(resourceSlices).addHandlers({
    added: (slice) => considerDevices(taintedDevices(slice).map(([device]) => device)),
    changed: (before, after) => considerDevices([before, after].flatMap((slice) => taintedDevices(slice).map(([device]) => device))),
    removed: (slice) => considerDevices(taintedDevices(slice).map(([device]) => device)),
  });
  const gone = (pod: Pod): void => deadlines.consider(pod);
  controller.needs(pods).addHandlers({ added: gone, removed: gone });
  return {
    name: controller.name,
    async run(signal) {
      const type = await typeServed(environment, [deviceTaintRules], signal);
      if (type) {
        const informer = controller.needs(type);
        informer.addHandlers({ added: considerAll, changed: considerAll, removed: considerAll });
        rules = informer.cache;
      }
      await controller.run(signal);
    },
  };
}
