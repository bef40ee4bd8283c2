import { applyPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { keyOf, nameOf } from '../../api/meta/object.js';
import { clusterRoles } from '../../api/types/rbac/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { sameMeaning } from '../../api/json/equality.js';
import { aggregatedRules } from './aggregation.js';

/** The reference's name, so that rules keep one owner in migrated clusters. */
const fieldManager = 'clusterrole-aggregation-controller';

export function clusterRoleAggregation(environment: ManagerEnvironment): Controller {
  const controller = new QueueController(environment, {
    name: 'clusterrole_aggregation',
    workers: 5,
    sync: (name) => syncRole(environment, name),
  });
  const { cache } = controller.needs(clusterRoles);
  // Any of them may select, or have selected, any role.
  const addAll = (): void => {
    for (const role of cache.list()) if (role.aggregationRule) controller.queue.add(nameOf(role));
  };
  controller.needs(clusterRoles).addHandlers({ added: addAll, changed: addAll, removed: addAll });
  return controller;
}

/** Applies the rules with force: manual edits do not last. */
async function syncRole({ api, informers }: ManagerEnvironment, name: string): Promise<void> {
  const { cache } = informers.of(clusterRoles);
  const role = cache.get(name);
  if (!role?.aggregationRule) return;
  const rules = aggregatedRules(role, cache.list());
  if (sameMeaning(rules, role.rules)) return;
  await api.patch(
    clusterRoles,
    keyOf(role),
    applyPatch(
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: clusterRoles.kind, metadata: { name }, ...(rules.length > 0 ? { rules } : {}) },
      { fieldManager, force: true },
    ),
  );
}
