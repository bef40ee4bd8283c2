import { pause } from '../client/clock.js';
import type { Controller } from '../client/controller.js';
import { deletableTypes, discover, type DiscoveredType, type Discovery } from '../client/discovery.js';
import { isConflict, isNotFound, messageOf } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import { apiVersionOf, groupResourceOf, type Resource } from '../../api/meta/resource.js';
import type { KubeObject } from '../../api/meta/object.js';
import { work, WorkQueue } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { Collector } from './collector.js';
import { Graph, nodeOf, type Node, type Suspicions } from './graph.js';

/** Interval of checks for new and removed types. */
const discoveryEveryMs = 30_000;
/** Events are many, and have neither owners nor dependents. */
const ignored: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);

interface Monitor {
  readonly type: DiscoveredType;
  readonly informer: Informer<KubeObject>;
  readonly stop: AbortController;
}

/**
 * Deletes objects without owners, and executes foreground and orphaning deletion. Watches the metadata of all deletable objects, over the shared watch of a
 * type if there is one.
 */
export class GarbageCollector implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly name = 'garbagecollector';
  readonly #graph = new Graph();
  readonly #deletions: WorkQueue;
  readonly #orphans: WorkQueue;
  readonly #collector: Collector;
  readonly #monitors = new Map<string, Monitor>();
  #kinds: ReadonlyMap<string, Resource> = new Map();

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    const { api, clock, metrics } = environment;
    const queue = (name: string): WorkQueue =>
      new WorkQueue({ clock, backoffMaxMs: 1_000_000, ...(metrics ? { metrics: metrics(name) } : {}) });
    this.#deletions = queue('garbage_collector_attempt_to_delete');
    this.#orphans = queue('garbage_collector_attempt_to_orphan');
    this.#collector = new Collector({
      api,
      graph: this.#graph,
      typeOf: (apiVersion, kind) => this.#kinds.get(`${apiVersion} ${kind}`) ?? null,
      suspect: (uids) => this.#suspect(uids),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const {
      options: { 'concurrent-gc-syncs': workers },
      log,
    } = this.#environment;
    await this.#firstResync(signal);
    // A conflict means that the object changed, so it is judged again.
    const onError = (uid: string, error: unknown): void => {
      if (!isConflict(error)) log('error', `garbagecollector: ${uid}: ${messageOf(error)}`);
    };
    await Promise.all([
      work(this.#deletions, { workers, sync: (uid) => this.#collector.attemptToDelete(uid), onError }, signal),
      work(this.#orphans, { workers, sync: (uid) => this.#collector.attemptToOrphan(uid), onError }, signal),
      this.#followTypes(signal),
    ]);
    await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.stopped()));
  }

  /** Starts work when all types are synced: an unseen owner would cost a request. */
  async #firstResync(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#resync(signal))) await pause(this.#environment.clock, 1_000, signal);
    await Promise.race([
      Promise.all([...this.#monitors.values()].map(({ informer }) => informer.synced())),
      pause(this.#environment.clock, discoveryEveryMs, signal),
    ]);
  }

  async #followTypes(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#environment.clock, discoveryEveryMs, signal);
      if (!signal.aborted) await this.#resync(signal);
    }
  }

  async #resync(signal: AbortSignal): Promise<boolean> {
    try {
      this.#follow(await discover(this.#environment.api), signal);
      return true;
    } catch (error) {
      this.#environment.measures.count('garbagecollector_controller_resources_sync_error_total', {});
      if (!signal.aborted) this.#environment.log('error', `garbagecollector: cannot find out what is served: ${messageOf(error)}`);
      return false;
    }
  }

  #follow(discovery: Discovery, signal: AbortSignal): void {
    this.#kinds = new Map(discovery.all.map((type) => [`${apiVersionOf(type)} ${type.kind}`, type]));
    const wanted = new Map(
      deletableTypes(discovery)
        .filter((type) => !ignored.has(groupResourceOf(type)))
        .map((type) => [`${apiVersionOf(type)} ${type.resource}`, type]),
    );
    for (const [key, { type, stop }] of this.#monitors) {
      // A group that does not answer now is not gone.
      if (wanted.has(key) || discovery.failed.includes(apiVersionOf(type))) continue;
      stop.abort();
      this.#monitors.delete(key);
      this.#graph.forgetType((other) => groupResourceOf(other) === groupResourceOf(type) && other.version === type.version);
    }
    for (const [key, type] of wanted) if (!this.#monitors.has(key)) this.#monitors.set(key, this.#monitor(type, signal));
  }

  #monitor(type: DiscoveredType, signal: AbortSignal): Monitor {
    const { informers, watchApi, clock, random, log } = this.#environment;
    const onError = (error: unknown): void => {
      if (!isNotFound(error)) log('error', `garbagecollector: ${groupResourceOf(type)}: ${messageOf(error)}`);
    };
    const shared = informers.known(type);
    const informer =
      shared ?? new Informer<KubeObject>({ api: watchApi, type, clock, random, metadataOnly: true, transform: essence, onError });
    const observe = (object: KubeObject): void => this.#follows(this.#graph.observe(nodeOf(type, object)));
    const leave = informer.addHandlers({
      added: observe,
      changed: (_, after) => observe(after),
      removed: (object) => this.#follows(this.#graph.forget(object.metadata.uid ?? '')),
    });
    const stop = new AbortController();
    const over = AbortSignal.any([signal, stop.signal]);
    if (shared) over.addEventListener('abort', leave, { once: true });
    else informer.start(over);
    return { type, informer, stop };
  }

  #follows({ attemptToDelete, attemptToOrphan, foreignOwners }: Suspicions): void {
    this.#suspect(attemptToDelete);
    for (const uid of attemptToOrphan) this.#orphans.add(uid);
    for (const { dependent, owner } of foreignOwners) {
      const reference = `[${owner.apiVersion}/${owner.kind}, namespace: ${dependent.namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
      this.#environment.events.warning(
        objectOf(dependent),
        'OwnerRefInvalidNamespace',
        `ownerRef ${reference} does not exist in namespace ${JSON.stringify(dependent.namespace)}`,
      );
    }
  }

  #suspect(uids: readonly string[]): void {
    for (const uid of uids) this.#deletions.add(uid);
  }
}

function objectOf({ type, namespace, name, uid }: Node): KubeObject {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { ...(namespace ? { namespace } : {}), name, uid } };
}

/** Returns the part of an object that the graph needs, to save memory. */
function essence({
  metadata: { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences },
}: KubeObject): KubeObject {
  return {
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
      ...(finalizers ? { finalizers } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    },
  };
}
