import { strategicPatch } from '../client/api.js';
import type { Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf, unless } from '../client/errors.js';
import type { Informer } from '../client/informer.js';
import { keyOf, keyTextOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Node, nodes, type Pod, pods } from '../../api/types/core/v1.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { failedStatus, missingNodes, removals, type Removal } from './plan.js';

const lookEveryMs = 20_000;
/** A node may be absent briefly while it is recreated. */
const quarantineMs = 40_000;
const removedAtOnce = 10;

/** Removes pods of deleted or failed nodes, unbound pods, and finished pods beyond the limit. */
export class PodCollector implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly name = 'gc';
  /** Node -> time when first missed; bounded by pods' nodes. */
  readonly #missedSince = new Map<string, number>();

  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.#pods = environment.informers.of(pods);
    this.#nodes = environment.informers.of(nodes);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#pods.synced(), this.#nodes.synced()]);
    await every(this.#environment.clock, lookEveryMs, () => this.collect(), signal);
  }

  async collect(): Promise<void> {
    const { options, clock } = this.#environment;
    const observed = { pods: this.#pods.cache.list(), nodes: this.#nodes.cache.list(), endedMax: options['terminated-pod-gc-threshold'] };
    const goneNodes = await this.#goneNodes(missingNodes(observed.pods, observed.nodes));
    const waiting = [...removals({ ...observed, goneNodes }, clock.now())];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.#remove(next);
    };
    await Promise.all(Array.from({ length: removedAtOnce }, worker));
  }

  /** Returns nodes missed for long enough that the server does not have either. */
  async #goneNodes(missing: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const now = this.#environment.clock.elapsed();
    for (const name of this.#missedSince.keys()) if (!missing.has(name)) this.#missedSince.delete(name);
    for (const name of missing) if (!this.#missedSince.has(name)) this.#missedSince.set(name, now);
    const gone = new Set<string>();
    for (const [name, since] of this.#missedSince) if (now - since >= quarantineMs && (await this.#isGone(name))) gone.add(name);
    return gone;
  }

  async #isGone(name: string): Promise<boolean> {
    try {
      return (await unless(isNotFound, this.#environment.api.get(nodes, { namespace: '', name }))) === null;
    } catch (error) {
      this.#environment.log('error', `${this.name}: cannot ask for the node ${name}: ${messageOf(error)}`);
      return false;
    }
  }

  /** The next check retries failures. A conflict means that another pod has the name now. */
  async #remove(removal: Removal): Promise<void> {
    const { api, log, measures } = this.#environment;
    const { pod, reason } = removal;
    const labels = { namespace: namespaceOf(pod), reason };
    const status = failedStatus(removal);
    try {
      if (status) await api.patch(pods, keyOf(pod), strategicPatch({ metadata: { uid: uidOf(pod) }, status }), { subresource: 'status' });
      await api.delete(pods, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: uidOf(pod) } });
      measures.count('pod_gc_collector_force_delete_pods_total', labels);
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      measures.count('pod_gc_collector_force_delete_pod_errors_total', labels);
      log('error', `${this.name}: ${keyTextOf(pod)}: ${messageOf(error)}`);
    }
  }
}
