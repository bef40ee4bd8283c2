import type { SyncResult } from '../client/workQueue.js';
import { strategicPatch } from '../client/api.js';
import { QueueController } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import { isTerminating, keyTextOf, parseKey } from '../../api/meta/object.js';
import { timeOf, timeText } from '../../api/time.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { conditionOf, isFinished } from '../workloads/podState.js';

const target = 'DisruptionTarget';
/** A disrupted pod terminates within this time, or will not. */
const staleAfterMs = 120_000;

/** Returns milliseconds until a pod's disruption condition is stale; null if never. The kubelet's own conditions stay. Pure. */
export function untilStaleMs(pod: Pod, now: number): number | null {
  const condition = conditionOf(pod.status?.conditions, target);
  if (!condition || condition.status !== 'True' || condition.reason === 'TerminationByKubelet' || isTerminating(pod) || isFinished(pod))
    return null;
  return timeOf(condition.lastTransitionTime) + staleAfterMs - now;
}

/** Clears the condition of pods whose disruption did not happen. */
export function staleTargetController(environment: ManagerEnvironment): QueueController {
  const { api, informers, clock } = environment;
  const sync = async (key: string): Promise<SyncResult> => {
    const pod = informers.of(pods).cache.get(key);
    const waitMs = pod ? untilStaleMs(pod, clock.now()) : null;
    if (!pod || waitMs === null) return;
    if (waitMs > 0) return { againAfterMs: waitMs };
    // Replaces the whole condition, including the source and reason of the disruption.
    const { generation } = pod.metadata;
    const replaced = { observedGeneration: generation ?? null, reason: null, message: null, lastProbeTime: null };
    const conditions = [{ type: target, status: 'False', lastTransitionTime: timeText(clock.now()), ...replaced }];
    await unless(
      isNotFound,
      api.patch(
        pods,
        parseKey(key),
        strategicPatch({ metadata: { resourceVersion: pod.metadata.resourceVersion }, status: { conditions } }),
        { subresource: 'status' },
      ),
    );
  };
  const controller = new QueueController(environment, { name: 'stale_pod_disruption', sync });
  const queue = (pod: Pod): void => {
    if (untilStaleMs(pod, clock.now()) !== null) controller.queue.add(keyTextOf(pod));
  };
  controller.needs(pods).addHandlers({ added: queue, changed: (_, after) => queue(after) });
  return controller;
}
