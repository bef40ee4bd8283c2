import type { SyncResult } from '../../controllers/client/workQueue.js';
import {
  QueueController,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isTerminating,
  keyOf,
  keyTextOf,
  nameOf,
  parseKey,
  pause,
  strategicPatch,
  timeText,
  uidOf,
  unless,
  type Controller,
  type ControllerEnvironment,
} from '../../controllers/client/index.js';
import { type Node, nodes, type Pod, pods } from '../../api/types/core/v1.js';
import { behaviourOf } from './behaviour.js';
import { leaseNamespace, leaseOf, leases, nodeAddress, nodeName, nodeObject, nodeStatus, podAddress, podAddressesPerNode } from './node.js';
import { place, waitsForNode } from './placement.js';
import { nextStep } from './podLife.js';

export interface AgentOptions {
  readonly count: number;
  readonly version: string;
  /** The port for logs, processes and ports of the nodes' pods. */
  readonly port: number;
}

const leaseEveryMs = 10_000;
const heartbeatEveryLeases = 30;
const workers = 16;
/** A pod that fits nowhere is retried, although no change is known. */
const placeAgainMs = 5_000;
const notReadyTaint = 'node.kubernetes.io/not-ready';
const byNode = 'node';
const byAddress = 'address';

export async function register(environment: ControllerEnvironment, { count, version, port }: AgentOptions): Promise<void> {
  const { api, clock } = environment;
  const now = clock.now();
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const status = nodeStatus(index, { now, since: now, version, port });
      const created = await unless(isAlreadyExists, api.create(nodes, nodeObject(index, status)));
      await untaint(environment, index);
      if (!created) await api.patch(nodes, { namespace: '', name: nodeName(index) }, strategicPatch({ status }), { subresource: 'status' });
      await renew(environment, index);
    }),
  );
}

async function untaint({ api }: ControllerEnvironment, index: number): Promise<void> {
  const node = await api.get(nodes, { namespace: '', name: nodeName(index) });
  const taints = node.spec?.taints?.filter(({ key }) => key !== notReadyTaint) ?? [];
  if (taints.length !== (node.spec?.taints?.length ?? 0)) await api.update(nodes, { ...node, spec: { ...node.spec, taints } });
}

async function renew({ api, clock }: ControllerEnvironment, index: number): Promise<void> {
  const name = nodeName(index);
  const node = await unless(isNotFound, api.get<Node>(nodes, { namespace: '', name }));
  // A deleted node stays away until the next start.
  if (!node) return;
  const before = await unless(isNotFound, api.get(leases, { namespace: leaseNamespace, name }));
  const lease = leaseOf(node, clock.now(), before);
  await unless((error) => isConflict(error) || isAlreadyExists(error), before ? api.update(leases, lease) : api.create(leases, lease));
}

/** Renews leases and heartbeats until `signal` aborts. A failure is retried in the next turn. */
export async function beat(environment: ControllerEnvironment, { count, version, port }: AgentOptions, signal: AbortSignal): Promise<void> {
  const { api, clock, log } = environment;
  const since = clock.now();
  for (let turn = 1; !signal.aborted; turn++) {
    await pause(clock, leaseEveryMs, signal);
    if (signal.aborted) return;
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await renew(environment, index);
        const status = nodeStatus(index, { now: clock.now(), since, version, port });
        if (turn % heartbeatEveryLeases === 0)
          await unless(
            isNotFound,
            api.patch(nodes, { namespace: '', name: nodeName(index) }, strategicPatch({ status }), { subresource: 'status' }),
          );
      }),
    ).catch((error: unknown) => log('error', `heartbeat: ${String(error)}`));
  }
}

export function scheduler(environment: ControllerEnvironment): Controller {
  const { api, informers } = environment;
  /** Bound, and not yet seen bound: node names by pod key. */
  const assumed = new Map<string, string>();
  const sync = async (key: string): Promise<SyncResult> => {
    const pod = informers.of(pods).cache.get(key);
    if (!pod || !waitsForNode(pod) || assumed.has(key)) return;
    const { cache } = informers.of(nodes);
    const loads = new Map(cache.list().map((node) => [nameOf(node), informers.of(pods).cache.by(byNode, nameOf(node)).length]));
    for (const name of assumed.values()) loads.set(name, (loads.get(name) ?? 0) + 1);
    const placement = place(
      pod,
      cache.list().filter((node) => !isTerminating(node)),
      loads,
    );
    if (placement.node === null) {
      await refuse(environment, pod, placement.why);
      return { againAfterMs: placeAgainMs };
    }
    assumed.set(key, placement.node);
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: keyOf(pod),
      target: { apiVersion: 'v1', kind: 'Node', name: placement.node },
    };
    // Another client may have bound or deleted it.
    await unless((error) => isConflict(error) || isNotFound(error), api.post(pods, keyOf(pod), 'binding', binding)).catch(
      (error: unknown) => {
        assumed.delete(key);
        throw error;
      },
    );
  };
  const controller = new QueueController(environment, { name: 'scheduler', workers, sync });
  const consider = (pod: Pod): void => {
    if (pod.spec?.nodeName) assumed.delete(keyTextOf(pod));
    else if (waitsForNode(pod)) controller.queue.add(keyTextOf(pod));
  };
  controller.needs(pods).addHandlers({
    added: consider,
    changed: (_, after) => consider(after),
    removed: (pod) => {
      assumed.delete(keyTextOf(pod));
    },
  });
  controller.needs(pods).addIndex(byNode, (pod) => [pod.spec?.nodeName ?? '']);
  const all = (): void => {
    for (const pod of informers.of(pods).cache.by(byNode, '')) consider(pod);
  };
  controller.needs(nodes).addHandlers({ added: all, changed: all });
  return controller;
}

async function refuse({ api, clock }: ControllerEnvironment, pod: Pod, message: string): Promise<void> {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (before?.message === message) return;
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: timeText(clock.now()) };
  await unless(isNotFound, api.patch(pods, keyOf(pod), strategicPatch({ status: { conditions: [condition] } }), { subresource: 'status' }));
}

export function nodeAgents(environment: ControllerEnvironment, { count }: Pick<AgentOptions, 'count'>): Controller {
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
  controller.needs(pods).addIndex(byAddress, (pod) => (pod.status?.podIP ? [pod.status.podIP] : []));
  return controller;
}
