import { mergePatch, strategicPatch } from '../client/api.js';
import { pause } from '../client/clock.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf, unless } from '../client/errors.js';
import { versionless } from '../client/events.js';
import { Informer } from '../client/informer.js';
import { every } from '../client/workQueue.js';
import { keyOf, keyTextOf, nameOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { type Lease, leases } from '../../api/types/coordination/v1.js';
import { type Node, nodes, type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { conditionOf } from '../workloads/podState.js';
import { taintsOf } from './conditionTaints.js';
import { executionTaints, taintUrgency } from './executionTaints.js';
import { judged, type Health, type Readiness, type Verdict } from './heartbeat.js';
import { missingLabels } from './nodeLabels.js';
import { Turns } from './turns.js';
import { countsInZone, rateOf, zoneOf, zoneStateOf, type Rates } from './zones.js';

const leaseNamespace = 'kube-node-lease';
const podsByNode = 'node';
const workers = 8;

/** Returns whether a pod's Ready condition exists and is not False. */
const isMarkable = ({ status }: Pod): boolean => (conditionOf(status?.conditions, 'Ready')?.status ?? 'False') !== 'False';

/**
 * Watches nodes. Conditions become taints; a silent node and its pods are marked, and it is tainted at its zone's rate, so that another controller evicts its
 * pods.
 */
export class NodeLifecycle implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly name = 'node_lifecycle_controller';
  readonly #queue: QueueController;
  readonly #podQueue: QueueController;
  readonly #leases: Informer<Lease>;
  readonly #health = new Map<string, Health>();
  readonly #readiness = new Map<string, Readiness>();
  /** Nodes whose pods could not all be marked. */
  readonly #unmarked = new Set<string>();
  readonly #turns = new Map<string, Turns>();
  readonly #known = new Set<string>();
  #allDisrupted = false;
  #wake: () => void = () => undefined;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    const { watchApi, clock, random, log } = environment;
    this.#queue = new QueueController(environment, { name: this.name, workers, sync: (key) => this.#shape(key) });
    this.#podQueue = new QueueController(environment, { name: `${this.name}_pods`, workers, sync: (key) => this.#markPod(key) });
    const onError = (error: unknown): void => log('error', `watch of heartbeats: ${messageOf(error)}`);
    this.#leases = this.#queue.owns(new Informer({ api: watchApi, clock, random, type: leases, namespace: leaseNamespace, onError }));
    const needsWork = (node: Node): boolean => taintsOf(node, 0) !== null || missingLabels(node) !== null;
    const queue = (node: Node): void => {
      if (needsWork(node)) this.#queue.queue.add(keyTextOf(node));
    };
    this.#queue.needs(nodes).addHandlers({
      added: queue,
      changed: (_, after) => queue(after),
      removed: (node) => {
        this.#health.delete(nameOf(node));
        this.#readiness.delete(nameOf(node));
      },
    });
    const podInformer = this.#podQueue.needs(pods);
    podInformer.addIndex(podsByNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    const queuePod = (pod: Pod): void => {
      const ready = this.#readiness.get(pod.spec?.nodeName ?? '');
      if (ready !== undefined && ready !== 'True' && isMarkable(pod)) this.#podQueue.queue.add(keyTextOf(pod));
    };
    podInformer.addHandlers({
      added: queuePod,
      // A node may report its pods while its heartbeat is late; only new pods are marked at once.
      changed: (before, after) => {
        if (before.spec?.nodeName !== after.spec?.nodeName) queuePod(after);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { options, clock, informers } = this.#environment;
    const monitor = async (): Promise<void> => {
      await Promise.all([informers.of(nodes).synced(), informers.of(pods).synced(), this.#leases.synced()]);
      await every(clock, options['node-monitor-period'], () => this.monitor(), signal);
    };
    await Promise.all([this.#queue.run(signal), this.#podQueue.run(signal), monitor(), this.#takeTurns(signal)]);
  }

  async monitor(): Promise<void> {
    const { informers, clock, log, measures } = this.#environment;
    const all = informers.of(nodes).cache.list();
    const startedAt = clock.elapsed();
    this.#notice(all);
    const zones = new Map<string, Readiness[]>();
    for (const node of all) {
      try {
        const ready = await this.#look(node);
        if (!countsInZone(node)) continue;
        const zone = zoneOf(node);
        zones.set(zone, [...(zones.get(zone) ?? []), ready]);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) log('error', `${this.name}: ${nameOf(node)}: ${messageOf(error)}`);
      }
    }
    await this.#judgeZones(zones, all);
    measures.observe('node_collector_update_all_nodes_health_duration_seconds', {}, (clock.elapsed() - startedAt) / 1000);
    this.#wake();
  }

  #notice(all: readonly Node[]): void {
    const { events } = this.#environment;
    const present = new Set(all.map(nameOf));
    for (const node of all) {
      if (this.#known.has(nameOf(node))) continue;
      this.#known.add(nameOf(node));
      events.normal(versionless(node), 'RegisteredNode', `Node ${nameOf(node)} event: Registered Node ${nameOf(node)} in Controller`);
    }
    for (const name of this.#known) {
      if (present.has(name)) continue;
      this.#known.delete(name);
      for (const turns of this.#turns.values()) turns.remove(name);
      this.#unmarked.delete(name);
      events.normal(
        { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } },
        'RemovingNode',
        `Node ${name} event: Removing Node ${name} from Controller`,
      );
    }
  }

  async #look(node: Node): Promise<Readiness> {
    const { events, clock, measures } = this.#environment;
    const name = nameOf(node);
    const startedAt = clock.elapsed();
    const verdict = await this.#heeded(node);
    measures.observe('node_collector_update_node_health_duration_seconds', {}, (clock.elapsed() - startedAt) / 1000);
    if (!verdict.reported) {
      // Removes its initial taints, which otherwise stay while it is silent.
      if (taintUrgency(node, 'True') === 'now') await this.#taint(node, 'True');
      return verdict.ready;
    }
    // An earlier manager may have written the node, but not its pods.
    if (!this.#readiness.has(name) && verdict.before === 'Unknown') this.#unmarked.add(name);
    this.#readiness.set(name, verdict.ready);
    if (verdict.ready !== 'True' && verdict.before === 'True') {
      events.normal(versionless(node), 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
      // A node that reports itself as not ready also reports its pods.
      this.#unmarked.add(name);
    }
    if (verdict.ready === 'True') this.#unmarked.delete(name);
    else if (this.#unmarked.has(name)) await this.#markPods(name);
    if (!this.#allDisrupted) await this.#taintInTurn(node, verdict.ready);
    return verdict.ready;
  }

  /** Judges the node's signs of life, and writes conditions of a silent one. */
  async #heeded(node: Node): Promise<Verdict> {
    const { api, clock, options } = this.#environment;
    const name = nameOf(node);
    const grace = { startupMs: options['node-startup-grace-period'], runningMs: options['node-monitor-grace-period'] };
    const signs = { lease: this.#leases.cache.get(`${leaseNamespace}/${name}`), known: this.#health.get(name) };
    const verdict = judged(node, signs, grace, clock.now());
    this.#health.set(name, verdict.health);
    const { conditions } = verdict;
    if (conditions) {
      await api.update(nodes, { ...node, status: { ...node.status, conditions } }, { subresource: 'status' });
      // Our own write is no sign of life, so its heartbeat is the known one.
      const ready = conditionOf(conditions, 'Ready');
      this.#health.set(name, { ...verdict.health, heartbeat: ready ? (ready.lastHeartbeatTime ?? '') : null });
    }
    return verdict;
  }

  async #markPods(name: string): Promise<void> {
    const { informers } = this.#environment;
    for (const pod of informers.of(pods).cache.by(podsByNode, name)) await this.#mark(pod);
    this.#unmarked.delete(name);
  }

  async #markPod(key: string): Promise<void> {
    const pod = this.#environment.informers.of(pods).cache.get(key);
    if (pod && this.#readiness.get(pod.spec?.nodeName ?? '') !== 'True') await this.#mark(pod);
  }

  async #mark(pod: Pod): Promise<void> {
    const { api, events, clock } = this.#environment;
    if (!isMarkable(pod)) return;
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: timeText(clock.now()) };
    const patch = strategicPatch({ metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } });
    const marked = await unless(isNotFound, api.patch(pods, keyOf(pod), patch, { subresource: 'status' }));
    if (marked) events.warning(pod, 'NodeNotReady', 'Node is not ready');
  }

  async #taintInTurn(node: Node, ready: Readiness): Promise<void> {
    const turns = this.#turnsOf(zoneOf(node));
    switch (taintUrgency(node, ready)) {
      case 'none':
        turns.remove(nameOf(node));
        return;
      case 'now':
        turns.remove(nameOf(node));
        await this.#taint(node, ready);
        return;
      case 'in turn':
        turns.add(nameOf(node));
    }
  }

  async #taint(node: Node, ready: Readiness): Promise<void> {
    const { api, clock } = this.#environment;
    await unless(isNotFound, api.update(nodes, { ...node, spec: { ...node.spec, taints: executionTaints(node, ready, clock.now()) } }));
  }

  async #judgeZones(zones: ReadonlyMap<string, readonly Readiness[]>, all: readonly Node[]): Promise<void> {
    const { measures, log, clock } = this.#environment;
    const rates = this.#rates();
    const states = [...zones].map(([name, readiness]) => [name, zoneStateOf(readiness, rates)] as const);
    const allDisrupted = states.length > 0 && states.every(([, { state }]) => state === 'FullDisruption');
    if (allDisrupted && !this.#allDisrupted) {
      log('info', `${this.name}: no node answers; nothing is evicted until one does`);
      // Existing taints would evict, although this program is probably cut off.
      for (const node of all) if (taintUrgency(node, 'True') === 'now') await this.#taint(node, 'True');
    }
    if (!allDisrupted && this.#allDisrupted) {
      // While no node could be heard, none counts as silent: all times begin anew.
      for (const [name, health] of this.#health) this.#health.set(name, { ...health, seenAt: clock.now() });
    }
    this.#allDisrupted = allDisrupted;
    for (const [name, zone] of states) {
      this.#turnsOf(name).setRate(rateOf(zone, allDisrupted, rates));
      measures.set('node_collector_zone_size', { zone: name }, zone.size);
      measures.set('node_collector_unhealthy_nodes_in_zone', { zone: name }, zone.silent);
      measures.set('node_collector_zone_health', { zone: name }, (100 * (zone.size - zone.silent)) / zone.size);
    }
    for (const [name, turns] of this.#turns) if (!zones.has(name) && turns.size === 0) this.#turns.delete(name);
  }

  #rates(): Rates {
    const { options } = this.#environment;
    return {
      usual: options['node-eviction-rate'],
      reduced: options['secondary-node-eviction-rate'],
      smallMax: options['large-cluster-size-threshold'],
      unhealthyShare: options['unhealthy-zone-threshold'],
    };
  }

  #turnsOf(zone: string): Turns {
    let turns = this.#turns.get(zone);
    if (!turns) this.#turns.set(zone, (turns = new Turns(this.#environment.clock, this.#allDisrupted ? 0 : this.#rates().usual)));
    return turns;
  }

  async #takeTurns(signal: AbortSignal): Promise<void> {
    const { informers, log, measures } = this.#environment;
    while (!signal.aborted) {
      for (const [zone, turns] of this.#turns) {
        for (let name = turns.take(); name !== null; name = turns.take()) {
          const node = informers.of(nodes).cache.get(name);
          const ready = this.#readiness.get(name);
          if (!node || ready === undefined || taintUrgency(node, ready) === 'none') continue;
          try {
            await this.#taint(node, ready);
            measures.count('node_collector_evictions_total', { zone });
          } catch (error) {
            // The next check puts it back.
            if (!isConflict(error)) log('error', `${this.name}: ${name}: ${messageOf(error)}`);
          }
        }
      }
      const waits = [...this.#turns.values()].flatMap((turns) => turns.waitMs() ?? []);
      await this.#until(waits.length > 0 ? Math.min(...waits) : null, signal);
    }
  }

  /** Resolves after a time, or after another check. */
  async #until(ms: number | null, signal: AbortSignal): Promise<void> {
    const looked = new AbortController();
    this.#wake = () => looked.abort();
    const either = AbortSignal.any([signal, looked.signal]);
    if (ms !== null) await pause(this.#environment.clock, ms, either);
    else if (!either.aborted) await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }));
  }

  /** Sets labels, and taints by the node's own conditions. */
  async #shape(key: string): Promise<void> {
    const { api, informers, clock } = this.#environment;
    const node = informers.of(nodes).cache.get(key);
    if (!node) return;
    const taints = taintsOf(node, clock.now());
    if (taints) await unless(isNotFound, api.update(nodes, { ...node, spec: { ...node.spec, taints } }));
    const labels = missingLabels(node);
    if (labels) await unless(isNotFound, api.patch(nodes, keyOf(node), mergePatch({ metadata: { labels } })));
  }
}
