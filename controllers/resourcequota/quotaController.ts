import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import { keyTextOf, type KubeObject, namespaceOf } from '../../api/meta/object.js';
import { type ResourceQuota, resourceQuotas } from '../../api/types/core/v1.js';
import { every, type SyncResult } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { begins, counts, recounted, sourcesOf } from './plan.js';
import { sameAmounts } from '../../api/amounts.js';
import { QuotaObjects } from './quotaObjects.js';
import { changesUse } from './replenishment.js';

/** A quota of a type that cannot be counted now is recounted, because no event may announce the change. */
const unknownAgainMs = 30_000;
/**
 * Time after a quota is first seen in which new objects trigger a recount shortly after. They may be older and arrive late, or come through a server whose
 * admission did not know the quota. Nothing else would count them.
 */
const youngMs = 60_000;
const appearedAfterMs = 1_000;

/** Maintains each quota's used amounts. The server counts creations; this recounts new quotas and freed amounts. */
export function quotaController(environment: ManagerEnvironment): Controller {
  return new QuotaController(environment);
}

class QuotaController implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly name = 'resourcequota';
  readonly #loop: QueueController;
  readonly #stopping = new AbortController();
  readonly #objects: QuotaObjects;
  /** When each quota was first seen, by its key. */
  readonly #seenAt = new Map<string, number>();
  /** Quotas to recount for other reasons than new objects. */
  readonly #changed = new Set<string>();

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    const { options, clock, informers } = environment;
    this.#objects = new QuotaObjects(environment, {
      onAppear: (source, object) => this.#appeared(source, object),
      onChange: (source, before, after) => this.#replenish(source, before, after),
      signal: this.#stopping.signal,
    });
    this.#loop = new QueueController(environment, {
      name: 'resourcequota_primary',
      workers: options['concurrent-resource-quota-syncs'],
      sync: (key) => this.sync(key),
      background: (signal) =>
        every(
          clock,
          options['resource-quota-sync-period'],
          async () => {
            for (const quota of informers.of(resourceQuotas).cache.list()) this.#queue(quota);
          },
          signal,
        ),
    });
    // Ignores status changes, made by this controller and by admission, which counts correctly.
    const changed = (before: ResourceQuota, after: ResourceQuota): void => {
      if (!sameAmounts(before.spec?.hard, after.spec?.hard)) this.#queue(after);
    };
    const added = (quota: ResourceQuota): void => {
      this.#seenAt.set(keyTextOf(quota), clock.elapsed());
      this.#queue(quota);
    };
    const removed = (quota: ResourceQuota): void => {
      this.#seenAt.delete(keyTextOf(quota));
      this.#changed.delete(keyTextOf(quota));
    };
    this.#loop.needs(resourceQuotas).addHandlers({ added, changed, removed });
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#stopping.abort(), { once: true });
    if (signal.aborted) this.#stopping.abort();
    await Promise.all([this.#loop.run(signal), this.#objects.followTypes()]);
  }

  async sync(key: string): Promise<SyncResult> {
    const quota = this.#environment.informers.of(resourceQuotas).cache.get(key);
    if (!quota) return;
    const raisesOnly = !this.#changed.delete(key);
    try {
      return await this.#count(quota, raisesOnly);
    } catch (error) {
      if (!raisesOnly) this.#changed.add(key);
      throw error;
    }
  }

  async #count(quota: ResourceQuota, raisesOnly: boolean): Promise<SyncResult> {
    const { api, clock } = this.#environment;
    const sources = [...sourcesOf(quota)];
    // A type's cache may lag behind that of quotas, so the first count reads from the server.
    const fresh = begins(quota);
    const observed = new Map(
      await Promise.all(sources.map(async (source) => [source, await this.#objects.in(namespaceOf(quota), { source, fresh })] as const)),
    );
    const counted = recounted(quota, observed, clock.now(), raisesOnly && !fresh);
    if (counted) await unless(isNotFound, api.update(resourceQuotas, counted, { subresource: 'status' }));
    if ([...observed.values()].includes(null)) return { againAfterMs: unknownAgainMs };
  }

  #queue(quota: ResourceQuota): void {
    const key = keyTextOf(quota);
    this.#changed.add(key);
    this.#loop.queue.add(key);
  }

  #appeared(source: string, object: KubeObject): void {
    const { informers, clock } = this.#environment;
    for (const quota of informers.of(resourceQuotas).cache.inNamespace(namespaceOf(object))) {
      const key = keyTextOf(quota);
      if (sourcesOf(quota).has(source) && clock.elapsed() - (this.#seenAt.get(key) ?? 0) < youngMs)
        this.#loop.queue.addAfter(key, appearedAfterMs);
    }
  }

  #replenish(source: string, before: KubeObject, after: KubeObject | null): void {
    const { informers, clock } = this.#environment;
    if (!changesUse(source, before, after, clock.now())) return;
    for (const quota of informers.of(resourceQuotas).cache.inNamespace(namespaceOf(before))) if (counts(quota, source)) this.#queue(quota);
  }
}
