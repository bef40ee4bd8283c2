import { QueueController, type Controller } from '../client/controller.js';
import { discover } from '../client/discovery.js';
import { isConflict, isNotFound, unless } from '../client/errors.js';
import { isTerminating, keyTextOf, parseKey } from '../../api/meta/object.js';
import { timeOf } from '../../api/time.js';
import { type Namespace, namespaces } from '../../api/types/core/v1.js';
import { every, type SyncResult } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { deletionConditions, type Findings } from './conditions.js';
import { empty } from './emptying.js';

/** Servers notice the deletion through their caches; before, they still admit new objects. */
const settleMs = 5_000;
const finalizer = 'kubernetes';

/** Empties deleted namespaces, reports remaining objects, and finally removes the finalizer. */
export function namespaceController(environment: ManagerEnvironment): Controller {
  const controller = new QueueController(environment, {
    name: 'namespace',
    workers: environment.options['concurrent-namespace-syncs'],
    backoffMaxMs: 60_000,
    sync: (key) => syncNamespace(environment, key),
    background: (signal) =>
      every(
        environment.clock,
        environment.options['namespace-sync-period'],
        async () => {
          for (const namespace of environment.informers.of(namespaces).cache.list()) add(namespace);
        },
        signal,
      ),
  });
  const add = (namespace: Namespace): void => {
    if (isTerminating(namespace)) controller.queue.addAfter(keyTextOf(namespace), settleMs);
  };
  controller.needs(namespaces).addHandlers({ added: add, changed: (_, after) => add(after) });
  return controller;
}

async function syncNamespace(environment: ManagerEnvironment, key: string): Promise<SyncResult> {
  const { api, clock } = environment;
  const found = await unless(isNotFound, api.get(namespaces, parseKey(key)));
  if (!found || !isTerminating(found)) return;
  const namespace =
    found.status?.phase === 'Terminating'
      ? found
      : await api.update(namespaces, { ...found, status: { ...found.status, phase: 'Terminating' } }, { subresource: 'status' });
  if (!namespace.spec?.finalizers?.includes(finalizer)) return;
  const { findings, waitSeconds } = await empty(api, key, await discover(api), clock.now() - timeOf(namespace.metadata.deletionTimestamp));
  const reported = await report(environment, namespace, findings);
  if (waitSeconds === null) {
    await finalize(environment, reported);
    return;
  }
  if (waitSeconds > 0) return { againAfterMs: (Math.floor(waitSeconds / 2) + 1) * 1000 };
  throw new Error([...findings.discoveryFailures, ...findings.deletionFailures].join('; '));
}

async function report({ api, clock }: ManagerEnvironment, namespace: Namespace, findings: Findings): Promise<Namespace> {
  const conditions = deletionConditions(namespace.status?.conditions ?? [], findings, clock.now());
  if (!conditions) return namespace;
  // After a concurrent change, the next check reports the remainder again.
  return (
    (await unless(
      isConflict,
      api.update(namespaces, { ...namespace, status: { ...namespace.status, conditions } }, { subresource: 'status' }),
    )) ?? namespace
  );
}

async function finalize({ api }: ManagerEnvironment, namespace: Namespace): Promise<void> {
  const finalizers = namespace.spec?.finalizers?.filter((name) => name !== finalizer) ?? [];
  await unless(isNotFound, api.update(namespaces, { ...namespace, spec: { ...namespace.spec, finalizers } }, { subresource: 'finalize' }));
}
