import { nameOf, namespaceOf } from '../../api/meta/object.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import { podGroups } from '../../api/types/scheduling/v1alpha2.js';
import type { Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';
import { whereServed } from '../servedTypes.js';
import { guard } from '../volumeprotection/finalizers.js';
import { isFinished } from '../workloads/podState.js';

const byGroup = 'pod group';
const finalizer = 'scheduling.k8s.io/podgroup-protection';

/** Null for a finished pod. Pure. */
function groupKeyOf(pod: Pod): string | null {
  const name = pod.spec?.schedulingGroup?.podGroupName;
  return name && !isFinished(pod) ? `${namespaceOf(pod)}/${name}` : null;
}

export function podGroupProtectionController(environment: ManagerEnvironment): Controller {
  const name = 'podgroupprotection';
  return whereServed(environment, name, [podGroups], (type) => {
    const podInformer = environment.informers.of(pods);
    podInformer.addIndex(byGroup, (pod) => [groupKeyOf(pod) ?? []].flat());
    const isUsed = (group: Parameters<typeof nameOf>[0]): boolean =>
      podInformer.cache.by(byGroup, `${namespaceOf(group)}/${nameOf(group)}`).length > 0;
    const controller = guard(environment, { name, type, finalizer, isUsed });
    const consider = (pod: Pod): void => {
      const key = groupKeyOf(pod);
      if (key) controller.queue.add(key);
    };
    controller.needs(pods).addHandlers({ changed: consider, removed: consider });
    return controller;
  });
}
