import { pause } from '../client/clock.js';
import { discover, type DiscoveredType } from '../client/discovery.js';
import { isNotFound, messageOf } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import { type KubeObject, namespaceOf } from '../../api/meta/object.js';
import { persistentVolumeClaims, pods, services } from '../../api/types/core/v1.js';
import { groupResourceOf, type Resource } from '../../api/meta/resource.js';
import type { ManagerEnvironment } from '../environment.js';
import { isMeasured } from '../../api/quota/usage.js';

/** Interval of checks for new and removed types. */
const discoveryEveryMs = 30_000;
/** Limit of a count's wait for a type's first list. */
const firstListMs = 10_000;
const pageSize = 500;
const verbs = ['create', 'list', 'watch', 'delete'];
/** Counting events would block all work. */
const ignored: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);

/** Called for a change that may free amounts. `after` is null for a deletion. */
export type OnChange = (source: string, before: KubeObject, after: KubeObject | null) => void;

export type OnAppear = (source: string, object: KubeObject) => void;

interface Followed {
  readonly informer: Informer<KubeObject>;
  readonly stop: AbortController;
}

interface QuotaObjectsOptions {
  readonly onAppear: OnAppear;
  readonly onChange: OnChange;
  readonly signal: AbortSignal;
}

/**
 * The objects that quotas count. A type is followed from its first quota on, by metadata only unless its size is counted: most clusters count few of their
 * types.
 */
export class QuotaObjects {
  readonly #environment: ManagerEnvironment;
  readonly #options: QuotaObjectsOptions;
  readonly #followed = new Map<string, Followed>();
  #types: ReadonlyMap<string, DiscoveredType> = new Map();
  #discoveredAt = -Infinity;

  constructor(environment: ManagerEnvironment, options: QuotaObjectsOptions) {
    this.#environment = environment;
    this.#options = options;
  }

  /** Returns objects of a type in a namespace; null when unknown now. `fresh` lists them from the server. */
  async in(
    namespace: string,
    { source, fresh = false }: { readonly source: string; readonly fresh?: boolean },
  ): Promise<readonly KubeObject[] | null> {
    const informer = await this.#informerOf(source);
    if (!informer) return null;
    if (!informer.hasSynced) await Promise.race([informer.synced(), pause(this.#environment.clock, firstListMs, this.#options.signal)]);
    if (!informer.hasSynced) return null;
    const type = fresh ? this.#types.get(source) : undefined;
    return type ? await this.#listed(namespace, source, type) : informer.cache.inNamespace(namespace);
  }

  async #listed(namespace: string, source: string, type: DiscoveredType): Promise<readonly KubeObject[]> {
    const all: KubeObject[] = [];
    let next: string | undefined;
    do {
      const page = await this.#environment.api.list<KubeObject>(type, {
        namespace,
        limit: pageSize,
        ...(isMeasured(source) ? {} : { metadataOnly: true }),
        ...(next ? { continue: next } : {}),
      });
      all.push(...page.items);
      next = page.metadata.continue;
    } while (next);
    return all;
  }

  /** Stops following types that are not served any more. */
  async followTypes(): Promise<void> {
    const { clock, log } = this.#environment;
    const { signal } = this.#options;
    for (;;) {
      await pause(clock, discoveryEveryMs, signal);
      if (signal.aborted) break;
      if (this.#followed.size > 0)
        await this.#discover().catch((error: unknown) =>
          log('error', `resourcequota: cannot find out what is served: ${messageOf(error)}`),
        );
      for (const [source, { stop }] of this.#followed)
        if (!this.#types.has(source)) {
          stop.abort();
          this.#followed.delete(source);
        }
    }
    await Promise.all([...this.#followed.values()].map(({ informer }) => informer.stopped()));
  }

  async #informerOf(source: string): Promise<Informer<KubeObject> | null> {
    const known = this.#followed.get(source);
    if (known) return known.informer;
    if (!this.#types.has(source) && this.#environment.clock.elapsed() - this.#discoveredAt >= discoveryEveryMs) await this.#discover();
    const type = this.#types.get(source);
    // Another worker may have been faster.
    return this.#followed.get(source)?.informer ?? (type ? this.#follow(source, type) : null);
  }

  async #discover(): Promise<void> {
    const { api, clock } = this.#environment;
    const { types, failed } = await discover(api);
    const countable = types.filter(
      (type) => type.namespaced && verbs.every((verb) => type.verbs.has(verb)) && !ignored.has(groupResourceOf(type)),
    );
    // A group that does not answer now is not gone.
    const kept = failed.length > 0 ? this.#types : [];
    this.#types = new Map([...kept, ...countable.map((type) => [groupResourceOf(type), type] as const)]);
    this.#discoveredAt = clock.elapsed();
  }

  #follow(source: string, type: DiscoveredType): Informer<KubeObject> {
    const shared = sharedTypes.get(source);
    const stop = new AbortController();
    const informer = shared
      ? this.#environment.informers.of(shared)
      : this.#ownInformer(source, type, AbortSignal.any([this.#options.signal, stop.signal]));
    const { onAppear, onChange } = this.#options;
    informer.addHandlers({
      added: (object) => onAppear(source, object),
      changed: (before, after) => {
        if (before !== after) onChange(source, before, after);
      },
      removed: (last) => onChange(source, last, null),
    });
    this.#followed.set(source, { informer, stop });
    return informer;
  }

  #ownInformer(source: string, type: DiscoveredType, signal: AbortSignal): Informer<KubeObject> {
    const { watchApi, clock, random, log } = this.#environment;
    const onError = (error: unknown): void => {
      if (!isNotFound(error)) log('error', `resourcequota: ${source}: ${messageOf(error)}`);
    };
    const informer = new Informer<KubeObject>({
      api: watchApi,
      type,
      clock,
      random,
      onError,
      ...(isMeasured(source) ? {} : { metadataOnly: true, transform: identity }),
    });
    informer.start(signal);
    return informer;
  }
}

/** Other controllers follow these as well. */
const sharedTypes: ReadonlyMap<string, Resource> = new Map(
  [pods, services, persistentVolumeClaims].map((type) => [groupResourceOf(type), type]),
);

/** Only the number of these objects counts. */
const identity = (object: KubeObject): KubeObject => {
  const { name, uid, resourceVersion } = object.metadata;
  return {
    metadata: {
      namespace: namespaceOf(object),
      ...(name ? { name } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
    },
  };
};
