import { keyText, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import { type ResourceClaim, resourceClaims, type ResourceSlice, resourceSlices } from '../../api/types/resource/v1.js';
import { type DeviceTaintRule, deviceTaintRules } from '../../api/types/resource/v1beta2.js';
import type { Controller } from '../client/controller.js';
import type { Lister } from '../client/cache.js';
import type { ManagerEnvironment } from '../environment.js';
import { PodDeadlines, type DeadlineOptions } from '../evictions/podDeadlines.js';
import { typeServed } from '../servedTypes.js';
import { deviceText, ruleTaint, taintedDevices, usableUntil, type DeviceName, type DeviceTaint } from './deviceTaints.js';
import { RuleStatuses } from './ruleStatuses.js';

const byDevice = 'device';
const byPod = 'pod';

const words: Pick<DeadlineOptions, 'event' | 'condition'> = {
  event: {
    reason: 'DeviceTaintManagerEviction',
    marked: () => 'Marking for deletion',
    cancelled: () => 'Cancelling deletion',
    withUid: true,
  },
  condition: { reason: 'DeletionByDeviceTaintManager', message: 'Device Taint manager: deleting due to NoExecute taint' },
};

/** Deletes pods that do not tolerate their devices' taints. Taint rules apply where the server has them. */
export function deviceTaintEvictionController(environment: ManagerEnvironment): Controller {
  const { informers, clock, measures, options } = environment;
  const claims = informers.of(resourceClaims);
  const slices = informers.of(resourceSlices);
  let rules: Lister<DeviceTaintRule> | null = null;
  let statuses: RuleStatuses | null = null;
  const claimsOf = (pod: Pod): readonly ResourceClaim[] => claims.cache.by(byPod, uidOf(pod));
  claims.addIndex(byPod, ({ status }) => (status?.reservedFor ?? []).flatMap(({ resource, uid }) => (resource === 'pods' ? [uid] : [])));
  claims.addIndex(byDevice, ({ status }) => (status?.allocation?.devices?.results ?? []).map(deviceText));
  slices.addIndex(byDevice, taintedNames);
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
      if (!pod.spec?.nodeName) return null;
      const ends = claimsOf(pod).flatMap((claim) => usableUntil(claim, taintsOf, clock.now()) ?? []);
      if (ends.length > 0) statuses?.awaits(pod);
      return ends.length > 0 ? { until: Math.min(...ends) } : null;
    },
    ...words,
    deleted(lateSeconds, pod) {
      statuses?.counts(pod);
      measures.count('device_taint_eviction_controller_pod_deletions_total', {});
      measures.observe('device_taint_eviction_controller_pod_deletion_duration_seconds', {}, lateSeconds);
    },
  });
  const { controller } = deadlines;
  const considerClaim = (claim: ResourceClaim): void => {
    for (const { resource, name } of claim.status?.reservedFor ?? [])
      if (resource === 'pods') controller.queue.add(keyText({ namespace: namespaceOf(claim), name }));
  };
  const considerDevices = (...changed: readonly ResourceSlice[]): void => {
    for (const device of changed.flatMap(taintedNames)) claims.cache.by(byDevice, device).forEach(considerClaim);
  };
  const considerAll = (): void => claims.cache.list().forEach(considerClaim);
  controller.needs(resourceClaims).addHandlers({
    added: considerClaim,
    changed: (before, after) => {
      considerClaim(before);
      considerClaim(after);
    },
  });
  controller.needs(resourceSlices).addHandlers({ added: considerDevices, changed: considerDevices, removed: considerDevices });
  const consider = (pod: Pod): void => deadlines.consider(pod);
  const changed = (before: Pod, after: Pod): void => {
    if (before.spec?.nodeName !== after.spec?.nodeName) consider(after);
  };
  controller.needs(pods).addHandlers({ added: consider, changed, removed: consider });
  return {
    name: controller.name,
    async run(signal) {
      const type = await typeServed(environment, [deviceTaintRules], signal);
      if (type) {
        const informer = controller.needs(type);
        informer.addHandlers({
          added: considerAll,
          changed: (...states) => (hasChanged(...states) ? considerAll() : undefined),
          removed: considerAll,
        });
        rules = informer.cache;
        statuses = new RuleStatuses(environment, type, claimsOf);
      }
      await Promise.all([controller.run(signal), statuses?.controller.run(signal)]);
    },
  };
}

const taintedNames = (slice: ResourceSlice): readonly string[] => taintedDevices(slice).map(([device]) => device);

/** Changes of the status concern no pod. */
const hasChanged = (before: DeviceTaintRule, after: DeviceTaintRule): boolean =>
  uidOf(before) !== uidOf(after) || JSON.stringify(before.spec) !== JSON.stringify(after.spec);
