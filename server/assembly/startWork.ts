import { keepPublished, publishTrackingStart, publishTrust } from '../authentication/published.js';
import { bootstrapRbac } from '../authorization/rbac/bootstrap.js';
import type { Logger } from '../../program/log/logger.js';
import { featuresOf } from '../../program/features/options.js';
import type { ApiServerOptions } from '../options/flags.js';
import { bootstrap, keepBootstrapped } from '../registry/bootstrap.js';
import type { Registry } from '../registry/contract.js';
import type { Catalogue } from '../registry/resources.js';
import type { StartTaskOptions } from '../registry/startTask.js';
import { seed } from '../seed/seed.js';
import type { RaftStorage } from '../storage/raft.js';
import type { ServerStore } from '../store/store.js';
import type { Access } from './access.js';
import type { ClaimRepairs } from './claimRepairs.js';

export interface StartWork {
  readonly options: ApiServerOptions;
  readonly store: ServerStore;
  readonly storage: RaftStorage;
  /** Without admission. */
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly builtIn: Catalogue;
  readonly access: Access;
  readonly repairs: ClaimRepairs;
  readonly serviceRanges: readonly string[];
  /** RFC 3339 with seconds. */
  readonly now: () => string;
  readonly log: Logger;
}

/**
 * Creates the objects of every cluster, and those for extension servers. Waits only until storage accepts writes; a refusal or unreadable object is retried in
 * the background. Rejects when `signal` aborts.
 */
export async function doStartWork(
  { options, store, storage, registry, catalogue, builtIn, access, repairs, serviceRanges, now, log }: StartWork,
  signal: AbortSignal,
): Promise<void> {
  const tasks: StartTaskOptions = {
    signal,
    refused: (what, error) => {
      log.named('start').warn('what every cluster has cannot be made now, and is tried again', { what, error });
    },
    recovered: (what) => {
      log.named('start').info('what every cluster has could be made', { what });
    },
  };
  const seeded = store.replica !== null && (await seed({ storage, catalogue: builtIn, leads: () => store.leads(), now, signal }));
  const owed = { ...tasks, registry, catalogue, seeded, serviceRanges };
  const objects = { ...owed, servicePort: options['secure-port'], nodePort: options['kubernetes-service-node-port'] };
  await bootstrap(objects);
  const publishing = { ...tasks, registry, catalogue };
  const kept = [keepBootstrapped(storage, objects), keepPublished(storage, publishing, () => access.published())];
  signal.addEventListener('abort', () => {
    for (const each of kept) each.stop();
  });
  await Promise.all([
    bootstrapRbac({ ...publishing, seeded, isOn: (feature) => featuresOf(options).enabled(feature) }),
    repairs.begin(),
    publishTrust(publishing, access.published()),
    publishTrackingStart(publishing),
  ]);
  access.onPublishedChange(() => {
    // Rejects only when the server stops.
    publishTrust(publishing, access.published()).catch(() => undefined);
  });
}
