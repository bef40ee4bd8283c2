import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNamespaceTerminating, unless } from '../client/errors.js';
import { nameOf, namespaceOf } from '../../api/meta/object.js';
import { namespaces, serviceAccounts } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';

const accountName = 'default';

export function defaultAccountController(environment: ManagerEnvironment): Controller {
  const controller = new QueueController(environment, {
    name: 'serviceaccount',
    workers: 1,
    sync: (namespace) => syncAccounts(environment, namespace),
  });
  controller.watch(namespaces);
  controller.needs(serviceAccounts).addHandlers({
    removed: (account) => {
      if (nameOf(account) === accountName) controller.queue.add(namespaceOf(account));
    },
  });
  return controller;
}

async function syncAccounts({ api, informers }: ManagerEnvironment, namespace: string): Promise<void> {
  const phase = informers.of(namespaces).cache.get(namespace)?.status?.phase;
  if (phase !== 'Active' || informers.of(serviceAccounts).cache.get(`${namespace}/${accountName}`)) return;
  await unless(
    (error) => isAlreadyExists(error) || isNamespaceTerminating(error),
    api.create(serviceAccounts, { metadata: { name: accountName, namespace } }),
  );
}
