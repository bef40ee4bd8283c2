import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import { keyTextOf, type KubeObject, namespaceOf } from '../../api/meta/object.js';
import { type ResourceQuota, resourceQuotas } from '../../api/types/core/v1.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { counts, recounted, sourcesOf } from './plan.js';
import { sameAmounts } from '../../api/amounts.js';
import { QuotaObjects } from './quotaObjects.js';
import { changesUse } from './replenishment.js';

/** A quota of a type that cannot be counted now is looked at again, because nothing may happen when it can. */
const unknownAgainMs = 30_000;

/** Says in each quota what is used of it. The server counts what is created; this counts anew what a quota begins with, and what is given back. */
export function quotaController(environment: ManagerEnvironment): Controller {
  return new QuotaController(environment);
}

export class QuotaController implements Controller {
  readonly name = 'resourcequota';
  readonly #loop: QueueController;
  readonly #stopping = new AbortController();
  readonly #objects: QuotaObjects;

  constructor(private readonly environment: ManagerEnvironment) {
    const { options, clock, informers } = environment;
    this.#objects = new QuotaObjects(environment, { onChange: (source, before, after) => this.#replenish(source, before, after), signal: this.#stopping.signal });
    this.#loop = new QueueController(environment, {
      name: 'resourcequota_primary', workers: options['concurrent-resource-quota-syncs'], sync: key => this.sync(key),
      background: signal => every(clock, options['resource-quota-sync-period'], async () => { for (const quota of informers.of(resourceQuotas).cache.list()) this.#queue(quota); }, signal),
    });
    // Changes of the status are this controller's own, and those of admission, which count right.
    const changed = (before: ResourceQuota, after: ResourceQuota): void => { if (!sameAmounts(before.spec?.hard, after.spec?.hard)) this.#queue(after); };
    this.#loop.needs(resourceQuotas).addHandlers({ added: quota => this.#queue(quota), changed });
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#stopping.abort(), { once: true });
    if (signal.aborted) this.#stopping.abort();
    await Promise.all([this.#loop.run(signal), this.#objects.followTypes()]);
  }

  async sync(key: string): Promise<void | { readonly againAfterMs: number }> {
    const { api, informers, clock } = this.environment;
    const quota = informers.of(resourceQuotas).cache.get(key);
    if (!quota) return;
    const sources = [...sourcesOf(quota)];
    const observed = new Map(await Promise.all(sources.map(async source => [source, await this.#objects.in(namespaceOf(quota), source)] as const)));
    const counted = recounted(quota, observed, clock.now());
    if (counted) await unless(isNotFound, api.update(resourceQuotas, counted, { subresource: 'status' }));
    if ([...observed.values()].includes(null)) return { againAfterMs: unknownAgainMs };
  }

  #queue(quota: ResourceQuota): void { this.#loop.queue.add(keyTextOf(quota)); }

  #replenish(source: string, before: KubeObject, after: KubeObject | null): void {
    const { informers, clock } = this.environment;
    if (!changesUse(source, before, after, clock.now())) return;
    for (const quota of informers.of(resourceQuotas).cache.inNamespace(namespaceOf(before))) if (counts(quota, source)) this.#queue(quota);
  }
}
