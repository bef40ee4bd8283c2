import type { Replica, SpaceStatus } from '../../raft/index.js';
import { KeyCallError } from '../storage/encryption/transformer.js';
import type { HealthEndpoint, HealthRegistry } from '../../program/health.js';

export interface Progress {
  /** The cache is complete, and reads can be served. */
  synced: boolean;
  /** The store has been loaded, or the wait has timed out (`--storage-initialization-timeout`). */
  storageAwaited: boolean;
  /** The objects of every cluster exist. */
  bootstrapped: boolean;
  stopping: boolean;
}

export interface HealthCheckOptions {
  readonly progress: Progress;
  readonly replica: Pick<Replica, 'barrier'>;
  /** Stores of single resources (`--etcd-servers-overrides`), which have separate checks. */
  readonly elsewhere?: readonly Pick<Replica, 'barrier'>[];
  readonly healthTimeoutMs: number;
  readonly readyTimeoutMs: number;
  /** The time after the start in which `/livez` ignores unfinished start-up work. */
  readonly graceMs: number;
  /** Loading the store is a separate check (feature WatchCacheInitializationPostStartHook). */
  readonly awaitsStorage: boolean;
  /** Returns why creates and updates are refused for lack of space, or null; absent where another component checks that. */
  readonly spaceAlarm?: (() => Promise<SpaceStatus['alarm']>) | undefined;
  /** Key services: one check for all if they may change at run time or none is of version 1, as in the reference (`LoadEncryptionConfig`); otherwise one each. */
  readonly keyServices: { readonly current: () => readonly KeyCheck[]; readonly mayChange: boolean };
}

export interface KeyCheck {
  readonly version: 'v1' | 'v2';
  check(): Promise<void>;
}

/** Restarting a server for its key service would also stop requests without keys. */
const butNotLivez: readonly HealthEndpoint[] = ['healthz', 'readyz'];
const everywhere: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** Adds the checks of an API server, with the reference's names and order. */
export function addHealthChecks(health: HealthRegistry, options: HealthCheckOptions): void {
  const { progress, spaceAlarm } = options;
  health.add({ name: 'ping', check: () => {} }, everywhere);
  health.add({ name: 'log', check: () => {} }, everywhere);
  addStores(health, options);
  addStart(health, options);
  addKeyServices(health, options.keyServices);
  if (spaceAlarm !== undefined)
    health.addWarning({ name: 'storage-space', warning: async () => spaceWarnings[(await spaceAlarm()) ?? 'none'] }, everywhere);
  health.add({ name: 'shutdown', check: demand(() => !progress.stopping, 'the process is stopping') }, ['readyz']);
}

function addStores(health: HealthRegistry, { replica, elsewhere = [], healthTimeoutMs, readyTimeoutMs }: HealthCheckOptions): void {
  const reaches = (store: Pick<Replica, 'barrier'>, timeoutMs: number) => async (): Promise<void> => {
    const result = await store.barrier(timeoutMs);
    if (result.outcome !== 'reached') throw new Error(result.reason);
  };
  health.add({ name: 'etcd', check: reaches(replica, healthTimeoutMs) }, everywhere);
  health.add({ name: 'etcd-readiness', check: reaches(replica, readyTimeoutMs) }, ['readyz']);
  for (const [index, store] of elsewhere.entries()) {
    health.add({ name: `etcd-override-${index}`, group: 'etcd', check: reaches(store, healthTimeoutMs) }, everywhere);
    health.add({ name: `etcd-override-readiness-${index}`, group: 'etcd-readiness', check: reaches(store, readyTimeoutMs) }, ['readyz']);
  }
}

function addStart(health: HealthRegistry, { progress, graceMs, awaitsStorage }: HealthCheckOptions): void {
  const graceEnds = performance.now() + graceMs;
  health.add({ name: 'informer-sync', check: demand(() => progress.synced, 'the cache is still being loaded') }, ['readyz']);
  if (awaitsStorage)
    health.add(
      { name: 'poststarthook/storage-readiness', check: demand(() => progress.storageAwaited, 'the store is still being loaded') },
      butNotLivez,
    );
  const bootstrapped = demand(() => progress.bootstrapped, 'not finished');
  health.add({ name: bootstrapCheck, check: bootstrapped }, butNotLivez);
  health.add(
    {
      name: bootstrapCheck,
      check: () => {
        if (performance.now() > graceEnds) bootstrapped();
      },
    },
    ['livez'],
  );
}

/** Servers that refuse writes should still serve reads. */
const spaceWarnings = {
  none: null,
  disk: 'too little space is left on the disk; creates and updates are refused, reads and deletes go on',
  quota: 'the store is above its quota; creates and updates are refused, reads and deletes go on',
} as const;

function addKeyServices(health: HealthRegistry, { current, mayChange }: HealthCheckOptions['keyServices']): void {
  const services = current();
  if (!mayChange && (services.length === 0 || services.some(({ version }) => version === 'v1'))) {
    for (const [index, service] of services.entries())
      health.add({ name: `kms-provider-${index}`, check: remembered(() => asked(service)) }, butNotLivez);
    return;
  }
  if (mayChange)
    health.add({ name: 'poststarthook/start-encryption-provider-config-automatic-reload', check: () => undefined }, everywhere);
  const checks = new WeakMap<KeyCheck, () => Promise<void>>();
  const checkOf = (service: KeyCheck): (() => Promise<void>) => {
    const known = checks.get(service) ?? remembered(() => asked(service));
    checks.set(service, known);
    return known;
  };
  health.add({ name: 'kms-providers', check: () => allOf(current().map(checkOf)) }, butNotLivez);
}

/** Names each service that fails, as `kmsHealthChecker` does (encryptionconfig/config.go). */
async function allOf(checks: readonly (() => Promise<void>)[]): Promise<void> {
  const answers = await Promise.allSettled(checks.map((check) => check()));
  const problems = answers.flatMap((answer, index) =>
    answer.status === 'rejected' ? [`kms-provider-${index}: ${(answer.reason as Error).message}`] : [],
  );
  const [first] = problems;
  if (first !== undefined) throw new Error(problems.length === 1 ? first : `[${problems.join(', ')}]`);
}

/** Says which call failed, as a probe of the reference does before it remembers the error (`check` in encryptionconfig/config.go). */
async function asked(service: KeyCheck): Promise<void> {
  try {
    await service.check();
  } catch (error) {
    if (!(error instanceof KeyCallError)) throw error;
    const { service: name, method, cause } = error;
    const section = method.toLowerCase();
    throw new Error(
      `failed to perform ${section} section of the healthz check for KMS Provider ${name}, error: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** The cache lifetime of a key service's status: balancers probe several times a second, and calls may cost money. */
const goodForMs = 20_000;
const badForMs = 3_000;

/** A remembered failure is that of the call alone. */
export function remembered(check: () => Promise<void>, now: () => number = () => performance.now()): () => Promise<void> {
  let last: { readonly answer: Promise<void>; until: number } | null = null;
  return () => {
    // Parallel probes share a call.
    if (last?.until === Number.POSITIVE_INFINITY) return last.answer;
    if (last !== null && now() < last.until) return last.answer.catch(throwCause);
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

function throwCause(error: Error): never {
  throw error.cause instanceof Error ? error.cause : error;
}

const bootstrapCheck = 'poststarthook/bootstrap-objects';

const demand = (condition: () => boolean, problem: string) => (): void => {
  if (!condition()) throw new Error(problem);
};
