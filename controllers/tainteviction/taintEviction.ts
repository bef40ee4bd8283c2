import { nameOf } from '../../api/meta/object.js';
import { type Node, nodes, type Pod, pods } from '../../api/types/core/v1.js';
import type { Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';
import { PodDeadlines } from '../evictions/podDeadlines.js';
import { sameMeaning } from '../../api/json/equality.js';
import { drivingTaints, toleratedMs } from './tolerance.js';

const workers = 8;
const podsByNode = 'node';

function podDeadlines(environment: ManagerEnvironment): PodDeadlines {
  const { informers, measures } = environment;
  const nodeCache = informers.of(nodes).cache;
  return new PodDeadlines(environment, {
    queue: 'noexec_taint_pod',
    workers,
    judge(pod) {
      const staysMs = toleratedMs(drivingTaints(nodeCache.get(pod.spec?.nodeName ?? '')), pod.spec?.tolerations ?? []);
      return staysMs === null ? null : { staysMs };
    },
    event: {
      reason: 'TaintManagerEviction',
      marked: (key) => `Marking for deletion Pod ${key}`,
      cancelled: (key) => `Cancelling deletion of Pod ${key}`,
      withUid: false,
    },
    condition: { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' },
    deleted(lateSeconds) {
      measures.count('taint_eviction_controller_pod_deletions_total', {});
      measures.observe('taint_eviction_controller_pod_deletion_duration_seconds', {}, lateSeconds);
    },
  });
}

export function taintEvictionController(environment: ManagerEnvironment): Controller {
  const deadlines = podDeadlines(environment);
  const podInformer = deadlines.controller.needs(pods);
  podInformer.addIndex(podsByNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  const considerNode = (node: Node): void => {
    for (const pod of podInformer.cache.by(podsByNode, nameOf(node))) deadlines.consider(pod);
  };
  const consider = (pod: Pod): void => {
    if (pod.spec?.nodeName) deadlines.consider(pod);
  };
  podInformer.addHandlers({
    added: consider,
    changed: (before, after) => {
      if (before.spec?.nodeName !== after.spec?.nodeName || !sameMeaning(before.spec?.tolerations, after.spec?.tolerations))
        consider(after);
    },
    removed: consider,
  });
  deadlines.controller.needs(nodes).addHandlers({
    added: considerNode,
    changed: (before, after) => {
      if (!sameMeaning(drivingTaints(before), drivingTaints(after))) considerNode(after);
    },
    removed: considerNode,
  });
  return deadlines.controller;
}
