import { isDeepStrictEqual } from 'node:util';
import type { SyncResult } from '../../controllers/client/workQueue.js';
import {
  QueueController,
  isConflict,
  isNotFound,
  isTerminating,
  keyOf,
  keyTextOf,
  strategicPatch,
  timeText,
  unless,
  type Controller,
  type ControllerEnvironment,
} from '../../controllers/client/index.js';
import { type Node, nodes, type Pod, pods } from '../../api/types/core/v1.js';
import { place, waitsForNode } from './placement.js';

const workers = 16;
/** Retries a pod that fits nowhere, even without a known change. */
const placeAgainMs = 5_000;
const unbound = 'unbound';

/** Counts each node's pods, including bindings that are not seen yet. */
class NodeLoads {
  readonly #loads = new Map<string, number>();
  /** Nodes of pods bound but not seen bound, by pod key. */
  readonly #assumed = new Map<string, string>();

  get byNode(): ReadonlyMap<string, number> {
    return this.#loads;
  }

  isAssumed(pod: string): boolean {
    return this.#assumed.has(pod);
  }

  assume(pod: string, node: string): void {
    this.#assumed.set(pod, node);
    this.#add(node, 1);
  }

  forget(pod: string): void {
    const node = this.#assumed.get(pod);
    if (node === undefined) return;
    this.#assumed.delete(pod);
    this.#add(node, -1);
  }

  /** A pod moved from node `before` to `after`; empty for none. */
  moved(before: string, after: string): void {
    if (before === after) return;
    if (before !== '') this.#add(before, -1);
    if (after !== '') this.#add(after, 1);
  }

  #add(node: string, change: number): void {
    this.#loads.set(node, (this.#loads.get(node) ?? 0) + change);
  }
}

const nodeOf = (pod: Pod): string => pod.spec?.nodeName ?? '';

/** Binds pods that name no other scheduler to nodes. */
export function scheduler(environment: ControllerEnvironment): Controller {
  const { informers } = environment;
  const loads = new NodeLoads();
  const sync = async (key: string): Promise<SyncResult> => {
    const pod = informers.of(pods).cache.get(key);
    if (!pod || !waitsForNode(pod) || loads.isAssumed(key)) return;
    const present = informers
      .of(nodes)
      .cache.list()
      .filter((node) => !isTerminating(node));
    const placement = place(pod, present, loads.byNode);
    if (placement.node === null) {
      await refuse(environment, pod, placement.why);
      return { againAfterMs: placeAgainMs };
    }
    loads.assume(key, placement.node);
    await bind(environment, pod, placement.node).catch((error: unknown) => {
      loads.forget(key);
      throw error;
    });
  };
  const controller = new QueueController(environment, { name: 'scheduler', workers, sync });
  const consider = (pod: Pod): void => {
    if (nodeOf(pod) !== '') loads.forget(keyTextOf(pod));
    else if (waitsForNode(pod)) controller.queue.add(keyTextOf(pod));
  };
  controller.needs(pods).addHandlers({
    added: (pod) => {
      loads.moved('', nodeOf(pod));
      consider(pod);
    },
    changed: (before, after) => {
      loads.moved(nodeOf(before), nodeOf(after));
      consider(after);
    },
    removed: (pod) => {
      loads.moved(nodeOf(pod), '');
      loads.forget(keyTextOf(pod));
    },
  });
  controller.needs(pods).addIndex(unbound, (pod) => (nodeOf(pod) === '' ? [''] : []));
  const all = (): void => {
    for (const pod of informers.of(pods).cache.by(unbound, '')) consider(pod);
  };
  controller.needs(nodes).addHandlers({
    added: all,
    changed: (before, after) => {
      if (!placesAlike(before, after)) all();
    },
  });
  return controller;
}

/** Heartbeats of thousands of nodes do not affect waiting pods. */
const placesAlike = (before: Node, after: Node): boolean =>
  isDeepStrictEqual(before.spec, after.spec) && isDeepStrictEqual(before.metadata.labels, after.metadata.labels);

async function bind({ api }: ControllerEnvironment, pod: Pod, node: string): Promise<void> {
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: keyOf(pod), target };
  // Another client may have bound or deleted it.
  await unless((error) => isConflict(error) || isNotFound(error), api.post(pods, keyOf(pod), 'binding', binding));
}

async function refuse({ api, clock }: ControllerEnvironment, pod: Pod, message: string): Promise<void> {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (before?.message === message) return;
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: timeText(clock.now()) };
  await unless(isNotFound, api.patch(pods, keyOf(pod), strategicPatch({ status: { conditions: [condition] } }), { subresource: 'status' }));
}
