import type { SyncResult } from '../../controllers/client/workQueue.js';
import {
  QueueController,
  isConflict,
  isNotFound,
  keyTextOf,
  parseKey,
  strategicPatch,
  uidOf,
  unless,
  type Controller,
  type ControllerEnvironment,
} from '../../controllers/client/index.js';
import { nodes, type Pod, pods } from '../../api/types/core/v1.js';
import { behaviourOf } from './behaviour.js';
import { isLost } from './nodeFaults.js';
import { nodeAddress, nodeName, podAddress, podAddressesPerNode } from './node.js';
import { nextStep } from './podLife.js';

const workers = 16;
const byAddress = 'address';
const lostAgainMs = 1_000;

/** Takes the pods of `count` nodes through their lives. */
export function nodeAgents(environment: ControllerEnvironment, { count }: { readonly count: number }): Controller {
  const { api, clock, informers } = environment;
  const indexes = new Map(Array.from({ length: count }, (_, index) => [nodeName(index), index]));
  const serials = new Map<number, number>();
  const addressFor = (pod: Pod, index: number): string => {
    if (pod.status?.podIP) return pod.status.podIP;
    for (let tries = 0; tries < podAddressesPerNode; tries++) {
      const serial = ((serials.get(index) ?? 0) + 1) % podAddressesPerNode;
      serials.set(index, serial);
      const address = podAddress(index, serial);
      if (serial !== 0 && informers.of(pods).cache.by(byAddress, address).length === 0) return address;
    }
    throw new Error(`no address is free on ${nodeName(index)}`);
  };
  const sync = async (key: string): Promise<SyncResult> => {
    const pod = informers.of(pods).cache.get(key);
    const index = indexes.get(pod?.spec?.nodeName ?? '');
    if (!pod || index === undefined) return;
    // Polled instead of watched: nodes change with each report, and are seldom lost.
    if (isLost(informers.of(nodes).cache.get(nodeName(index)))) return { againAfterMs: lostAgainMs };
    const step = nextStep(pod, behaviourOf(pod), { hostIP: nodeAddress(index), podIP: addressFor(pod, index) }, clock.now());
    if (step.do === 'wait') return { againAfterMs: step.ms };
    if (step.do === 'report')
      await unless(
        isNotFound,
        api.patch(pods, parseKey(key), strategicPatch({ metadata: { uid: uidOf(pod) }, status: step.status }), { subresource: 'status' }),
      );
    if (step.do === 'remove' || (step.do === 'report' && step.remove))
      await unless(
        (error) => isNotFound(error) || isConflict(error),
        api.delete(pods, parseKey(key), { gracePeriodSeconds: 0, preconditions: { uid: uidOf(pod) } }),
      );
  };
  const controller = new QueueController(environment, { name: 'node-agents', workers, sync });
  controller.watch(pods, (pod) => (indexes.has(pod.spec?.nodeName ?? '') ? [keyTextOf(pod)] : []));
  controller.needs(nodes);
  controller.needs(pods).addIndex(byAddress, (pod) => (pod.status?.podIP ? [pod.status.podIP] : []));
  return controller;
}
