import type { Replica, SpaceStatus } from '../../raft/index.js';
import type { HealthEndpoint, HealthRegistry } from '../../program/health.js';

/** Where the process stands; the checks read it. */
export interface Progress {
  /** The cache holds all there is, and reads can be served. */
  synced: boolean;
  /** The store has been loaded, or waited for as long as the operator wants (`--storage-initialization-timeout`). */
  storageAwaited: boolean;
  /** What must exist in every cluster has been made. */
  bootstrapped: boolean;
  stopping: boolean;
}

export interface HealthCheckOptions {
  readonly progress: Progress;
  readonly replica: Pick<Replica, 'barrier'>;
  /** Stores of single resources (`--etcd-servers-overrides`), which have checks of their own. */
  readonly elsewhere?: readonly Pick<Replica, 'barrier'>[];
  readonly healthTimeoutMs: number;
  readonly readyTimeoutMs: number;
  /** During this time after the start, `/livez` takes unfinished start-up work for finished. */
  readonly graceMs: number;
  /** Whether loading the store is a check of its own (feature WatchCacheInitializationPostStartHook). */
  readonly awaitsStorage: boolean;
  /** Why creates and updates are refused for want of space, null while they are not; left out where somebody else looks after that. */
  readonly spaceAlarm?: (() => Promise<SpaceStatus['alarm']>) | undefined;
  /** Services that keep keys; one check each, or one for all where they may change while the server runs. */
  readonly keyServices: { readonly current: () => readonly KeyCheck[]; readonly mayChange: boolean };
}

export interface KeyCheck {
  check(): Promise<void>;
}

/** Whoever is restarted because a key service is away cannot serve what needs no key service either. */
const butNotLivez: readonly HealthEndpoint[] = ['healthz', 'readyz'];
const everywhere: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** The checks of an API server, under the names and in the order that operators know. */
export function addHealthChecks(health: HealthRegistry, options: HealthCheckOptions): void {
  const { progress, replica, elsewhere = [], healthTimeoutMs, readyTimeoutMs, graceMs, awaitsStorage } = options;
  const graceEnds = performance.now() + graceMs;
  const reaches = (store: Pick<Replica, 'barrier'>, timeoutMs: number) => async (): Promise<void> => {
    const result = await store.barrier({ timeoutMs });
    if (result.outcome !== 'reached') throw new Error(result.reason);
  };
  health.add({ name: 'ping', check: () => {} }, everywhere);
  health.add({ name: 'log', check: () => {} }, everywhere);
  health.add({ name: 'etcd', check: reaches(replica, healthTimeoutMs) }, everywhere);
  health.add({ name: 'etcd-readiness', check: reaches(replica, readyTimeoutMs) }, ['readyz']);
  for (const [index, store] of elsewhere.entries()) {
    health.add({ name: `etcd-override-${index}`, check: reaches(store, healthTimeoutMs) }, everywhere);
    health.add({ name: `etcd-override-readiness-${index}`, check: reaches(store, readyTimeoutMs) }, ['readyz']);
  }
  health.add(
    {
      name: 'informer-sync',
      check: () => {
        demand(progress.synced, 'the cache is still being loaded');
      },
    },
    ['readyz'],
  );
  if (awaitsStorage)
    health.add(
      {
        name: 'poststarthook/storage-readiness',
        check: () => {
          demand(progress.storageAwaited, 'the store is still being loaded');
        },
      },
      ['healthz', 'readyz'],
    );
  const bootstrapped = (): void => {
    demand(progress.bootstrapped, 'not finished');
  };
  health.add({ name: bootstrapCheck, check: bootstrapped }, ['healthz', 'readyz']);
  health.add(
    {
      name: bootstrapCheck,
      check: () => {
        if (performance.now() > graceEnds) bootstrapped();
      },
    },
    ['livez'],
  );
  addKeyServices(health, options.keyServices);
  const { spaceAlarm } = options;
  if (spaceAlarm !== undefined)
    health.addWarning({ name: 'storage-space', warning: async () => spaceWarnings[(await spaceAlarm()) ?? 'none'] }, everywhere);
  health.add(
    {
      name: 'shutdown',
      check: () => {
        demand(!progress.stopping, 'the process is stopping');
      },
    },
    ['readyz'],
  );
}

/** Servers that refuse writes still serve reads: nobody should take them away. */
const spaceWarnings = {
  none: null,
  disk: 'too little space is left on the disk; creates and updates are refused, reads and deletes go on',
  quota: 'the store is above its quota; creates and updates are refused, reads and deletes go on',
} as const;

function addKeyServices(health: HealthRegistry, { current, mayChange }: HealthCheckOptions['keyServices']): void {
  if (!mayChange) {
    for (const [index, service] of current().entries())
      health.add({ name: `kms-provider-${index}`, check: remembered(() => service.check()) }, butNotLivez);
    return;
  }
  health.add(
    {
      name: 'kms-providers',
      check: remembered(async () => {
        await Promise.all(current().map((service) => service.check()));
      }),
    },
    butNotLivez,
  );
}

/** How long the answer of a key service is believed: balancers ask several times a second, and these answers may cost money. */
const goodForMs = 20_000;
const badForMs = 3_000;

export function remembered(check: () => Promise<void>, now: () => number = () => performance.now()): () => Promise<void> {
  let last: { readonly answer: Promise<void>; until: number } | null = null;
  return () => {
    if (last !== null && now() < last.until) return last.answer;
    // While it is being asked, all wait for the same answer.
    const asked = { answer: check(), until: Number.POSITIVE_INFINITY };
    last = asked;
    asked.answer.then(
      () => {
        asked.until = now() + goodForMs;
      },
      () => {
        asked.until = now() + badForMs;
      },
    );
    return asked.answer;
  };
}

const bootstrapCheck = 'poststarthook/bootstrap-objects';

function demand(condition: boolean, complaint: string): void {
  if (!condition) throw new Error(complaint);
}
