import type { ApiObject } from '../../api/object.js';
import { badRequest, plainError, StatusError } from '../../api/status.js';
import { budgetsOf, goesUncounted, markEvicted, needsNoBudget, spend, stillProcessed } from '../../kinds/core/pod/eviction.js';
import type { Registry, Target, WriteOptions } from '../../registry/contract.js';
import { everything } from '../../registry/everything.js';
import { checkNamespace } from '../../registry/writes.js';
import { admitBody } from '../admitting.js';
import { sendDocument } from '../answers.js';
import { negotiateWrite } from '../negotiation.js';
import { deleteParametersOf, type DeleteParameters } from '../options/deleteOptions.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import { targetOf, writeOptions, type VerbDeps, type VerbHandler } from '../verbs/deps.js';
import { created, timestamp } from './binding.js';

const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };
const olderVersions = ['policy/v1beta1'];
/** Whose change the counting of a disruption is. */
const manager = 'kube-apiserver';
const several = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** POST of `pods/NAME/eviction`: removes the pod if its disruption budget, if any, allows that now. */
export const createEviction: VerbHandler = async (context, route, deps) => {
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const parameters = parseWriteParameters(context.query, 'CreateOptions');
  const eviction = await deps.reader.object(context, evictionKind, parameters.fieldValidation, olderVersions);
  const target = targetOf(route);
  checkNamespace(eviction.metadata, target);
  if ((eviction.metadata.name ?? '') !== route.name) throw badRequest('name in URL does not match name in Eviction object');
  const asked = deleteParametersOf(eviction['deleteOptions'] ?? {});
  const wanted = { ...asked, dryRun: asked.dryRun || parameters.dryRun };
  await admitBody(context, route, deps, {
    object: eviction,
    form: evictionKind,
    dryRun: wanted.dryRun,
    fieldManager: parameters.fieldManager,
  });
  await evict(target, wanted, deps, writeOptions(context, wanted.dryRun, parameters.fieldManager));
  sendDocument(context, representation, created, { code: 201 });
};

async function evict(target: Target, wanted: DeleteParameters, deps: VerbDeps, options: WriteOptions): Promise<void> {
  const { registry } = deps;
  const stored = await registry.get(target, { at: 'mostRecent' });
  const pod = stored.decode();
  if (needsNoBudget(pod)) return remove(registry, target, wanted, options);
  const [budget, ...others] = budgetsOf(pod, await budgetsIn(target.namespace, deps));
  if (others.length > 0) throw plainError(500, several);
  if (budget === undefined) return markAndRemove(registry, target, wanted, options);
  if (!goesUncounted(pod, budget)) {
    await count(target, budget, deps, options);
    return markAndRemove(registry, target, wanted, options);
  }
  // It may go because it is not healthy; had it become so meanwhile, it would have to be counted.
  const guarded =
    wanted.deleteOptions.resourceVersion === null
      ? { ...wanted, deleteOptions: { ...wanted.deleteOptions, resourceVersion: String(stored.version) } }
      : wanted;
  return remove(registry, target, guarded, options).catch((error: unknown) => {
    const changed = error instanceof StatusError && error.code === 409 && wanted.deleteOptions.resourceVersion === null;
    throw changed ? stillProcessed(budget.metadata.name ?? '') : error;
  });
}

const budgetResource = ({ catalogue }: VerbDeps): Target['resource'] | null => catalogue.resource('policy', 'v1', 'poddisruptionbudgets');

async function budgetsIn(namespace: string, deps: VerbDeps): Promise<ApiObject[]> {
  const resource = budgetResource(deps);
  if (resource === null) return [];
  const { items } = await deps.registry.list(resource, { ...everything, namespace, consistency: { at: 'mostRecent' } });
  return items.map((item) => item.decode());
}

/** Checked and written in one step by the registry's retries, so two evictions cannot use the same allowance. */
async function count({ namespace, name }: Target, budget: ApiObject, deps: VerbDeps, options: WriteOptions): Promise<void> {
  const resource = budgetResource(deps);
  if (resource === null) return;
  const apply = (current: ApiObject | null): ApiObject => spend(current ?? budget, name, timestamp());
  await deps.registry.update(
    { resource, namespace, name: budget.metadata.name ?? '' },
    { apply, subresource: 'status', uid: null, mayCreate: null },
    { ...options, manager: manager },
  );
}

async function markAndRemove(registry: Registry, target: Target, wanted: DeleteParameters, options: WriteOptions): Promise<void> {
  if (!wanted.dryRun && wanted.deleteOptions.resourceVersion === null) {
    const apply = (current: ApiObject | null): ApiObject => markEvicted(current ?? { metadata: {} }, timestamp());
    await registry.update(
      target,
      { apply, subresource: 'eviction', uid: wanted.deleteOptions.uid, mayCreate: null, applies: true, admitted: true },
      options,
    );
  }
  await remove(registry, target, wanted, options);
}

async function remove(registry: Registry, target: Target, { deleteOptions }: DeleteParameters, options: WriteOptions): Promise<void> {
  // Admission was asked about the eviction, which may do this.
  await registry.delete(target, deleteOptions, options, { admitted: true });
}
