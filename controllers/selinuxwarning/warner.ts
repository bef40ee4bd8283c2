import { keyTextOf, nameOf, namespaceOf } from '../../api/meta/object.js';
import { persistentVolumeClaims, type Pod, pods } from '../../api/types/core/v1.js';
import { csiDrivers } from '../../api/types/storage/v1.js';
import { persistentVolumes } from '../../api/types/core/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';
import { claimsOf } from '../volumeprotection/claimUse.js';
import { isFinished } from '../workloads/podState.js';
import { conflicts, labelsOf, policyOf, type Conflict, type Labelled } from './labels.js';

const byClaim = 'labelled claim';

/** Pods of other namespaces are not named. */
function conflictMessage(property: string, [namespace, own]: readonly string[], [otherNamespace, other, name]: readonly string[]): string {
  const end = 'If both pods land on the same node, only one of them may access the volume.';
  return namespace === otherNamespace
    ? `${property} ${JSON.stringify(own)} conflicts with pod ${name} that uses the same volume as this pod with ${property} ${JSON.stringify(other)}. ${end}`
    : `${property}${JSON.stringify(own)} conflicts with another pod that uses the same volume as this pod with a different ${property}. ${end}`;
}

/** Warns of pods that share a volume with different labels: on one node, one of them will not start. */
export function selinuxWarner(environment: ManagerEnvironment): Controller {
  const { events, informers, measures } = environment;
  const podInformer = informers.of(pods);
  podInformer.addIndex(byClaim, (pod) => claimsOf(pod).map((name) => `${namespaceOf(pod)}/${name}`));
  const known = new Map<string, readonly Conflict[]>();
  const mountsWithLabel = (key: string): boolean => {
    const volume = informers.of(persistentVolumes).cache.get(informers.of(persistentVolumeClaims).cache.get(key)?.spec?.volumeName ?? '');
    return informers.of(csiDrivers).cache.get(volume?.spec?.csi?.driver ?? '')?.spec.seLinuxMount === true;
  };
  const usersOf = (key: string): readonly Labelled[] =>
    podInformer.cache.by(byClaim, key).flatMap((pod) => {
      if (isFinished(pod)) return [];
      const [, claim = ''] = key.split('/');
      const volume = (pod.spec?.volumes ?? []).find(
        ({ name, persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim || `${nameOf(pod)}-${name}` === claim,
      );
      const labels = labelsOf(pod, volume?.name ?? '');
      if (labels.length > 1) {
        events.warning(
          pod,
          'MultipleSELinuxLabels',
          `Volume ${JSON.stringify(volume?.name ?? '')} is mounted twice with different SELinux labels inside this pod`,
        );
        return [];
      }
      return labels.map((label) => ({ pod, label, policy: policyOf(pod) }));
    });
  const tell = ({ property, one, other }: Conflict): void => {
    const value = ({ label, policy }: Labelled): string => (property === 'SELinuxLabel' ? label : policy);
    for (const [self, peer] of [
      [one, other],
      [other, one],
    ] as const)
      events.normal(
        self.pod,
        `${property}Conflict`,
        conflictMessage(property, [namespaceOf(self.pod), value(self)], [namespaceOf(peer.pod), value(peer), nameOf(peer.pod)]),
      );
  };
  const publish = (): void => {
    measures.reset('selinux_warning_controller_selinux_volume_conflict');
    for (const { property, one, other } of [...known.values()].flat()) {
      const value = ({ label, policy }: Labelled): string => (property === 'SELinuxLabel' ? label : policy);
      const labels = {
        property,
        pod1_namespace: namespaceOf(one.pod),
        pod1_name: nameOf(one.pod),
        pod1_value: value(one),
        pod2_namespace: namespaceOf(other.pod),
        pod2_name: nameOf(other.pod),
        pod2_value: value(other),
      };
      measures.set('selinux_warning_controller_selinux_volume_conflict', labels, 1);
    }
  };
  const sync = (key: string): Promise<void> => {
    const found = mountsWithLabel(key) ? conflicts(usersOf(key)) : [];
    if (found.length > 0) known.set(key, found);
    else known.delete(key);
    found.forEach(tell);
    publish();
    return Promise.resolve();
  };
  const controller: QueueController = new QueueController(environment, { name: 'selinux_warning', sync });
  const queue = (pod: Pod): void => {
    for (const name of claimsOf(pod)) controller.queue.add(`${namespaceOf(pod)}/${name}`);
  };
  controller.needs(pods).addHandlers({
    added: queue,
    changed: (before, after) => {
      if (before.spec !== after.spec && isFinished(before) !== isFinished(after)) queue(after);
    },
    removed: queue,
  });
  controller.needs(persistentVolumes);
  controller.needs(csiDrivers);
  controller.needs(persistentVolumeClaims).addHandlers({ changed: (_, claim) => controller.queue.add(keyTextOf(claim)) });
  return controller;
}
