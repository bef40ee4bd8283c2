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
/** A pod that was to be disrupted goes within this time, or will not. */
const staleAfterMs = 120_000;

/** Milliseconds until a pod's mark of being disrupted is out of date; null where it bears none that ever will be. The node's own marks hold. Pure. */
export function untilStaleMs(pod: Pod, now: number): number | null {
  const condition = conditionOf(pod.status?.conditions, target);
  if (!condition || condition.status !== 'True' || condition.reason === 'TerminationByKubelet' || isTerminating(pod) || isFinished(pod))
    return null;
  return timeOf(condition.lastTransitionTime) + staleAfterMs - now;
}

/** Takes the mark from pods that were to be disrupted and were not. */
export function staleTargetController(environment: ManagerEnvironment): QueueController {
  const { api, informers, clock } = environment;
  const sync = async (key: string): Promise<SyncResult> => {
    const pod = informers.of(pods).cache.get(key);
    const waitMs = pod ? untilStaleMs(pod, clock.now()) : null;
    if (!pod || waitMs === null) return;
    if (waitMs > 0) return { againAfterMs: waitMs };
    const conditions = [{ type: target, status: 'False', lastTransitionTime: timeText(clock.now()) }];
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
