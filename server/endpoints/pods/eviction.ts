import type { ApiObject } from '../../../api/object.js';
import { badRequest, conflict, plainError, StatusError } from '../../../api/status.js';
import { budgetsOf, goesUncounted, hasEnded, markEvicted, needsNoBudget, spend, stillProcessed } from '../../kinds/core/pod/eviction.js';
import type { Registry, WriteOptions } from '../../registry/contract.js';
import type { Target } from '../../registry/target.js';
import { everything } from '../../registry/everything.js';
import { checkNamespace } from '../../registry/writes.js';
import { admitBody } from '../admitting.js';
import { sendDocument } from '../answers.js';
import { negotiateWrite } from '../negotiation.js';
import { evictionParametersOf, type DeleteParameters } from '../options/deleteOptions.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import { targetOf, writeOptions, type VerbDeps, type VerbHandler } from '../verbs/deps.js';
import { created, timestamp } from './binding.js';

const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };
const podKind = { group: '', resource: 'Pod' };
const olderVersions = ['policy/v1beta1'];
const manager = 'kube-apiserver';
const attemptsMax = 20;
const several = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** POST of `pods/NAME/eviction`: removes the pod if its disruption budget, if any, allows it. */
export const createEviction: VerbHandler = async (context, route, deps) => {
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const parameters = parseWriteParameters(context.query, 'CreateOptions');
  const eviction = await deps.reader.object(context, evictionKind, parameters.fieldValidation, olderVersions);
  const target = targetOf(route);
  checkNamespace(eviction.metadata, target);
  if ((eviction.metadata.name ?? '') !== route.name) throw badRequest('name in URL does not match name in Eviction object');
  const wanted = evictionParametersOf(route.name, eviction['deleteOptions'] ?? {}, parameters.dryRun);
  await admitBody(context, route, deps, {
    object: eviction,
    form: evictionKind,
    dryRun: wanted.dryRun,
    fieldManager: parameters.fieldManager,
  });
  await evict({ target, wanted, options: writeOptions(context, wanted.dryRun, parameters.fieldManager) }, deps);
  sendDocument(context, representation, created, { code: 201 });
};

interface Eviction {
  readonly target: Target;
  readonly wanted: DeleteParameters;
  readonly options: WriteOptions;
}

async function evict(eviction: Eviction, deps: VerbDeps): Promise<void> {
  const { target, wanted } = eviction;
  const { registry } = deps;
  for (let attempt = 1; ; attempt++) {
    const stored = await registry.get(target, { at: 'mostRecent' });
    const pod = stored.decode();
    if (!needsNoBudget(pod)) return evictWithin(eviction, { pod, version: stored.version }, deps);
    // A pending pod that started meanwhile might have a budget.
    const guarded = hasEnded(pod) ? eviction : guardedBy(eviction, stored.version);
    try {
      await markAndRemove(registry, guarded);
      return;
    } catch (error) {
      if (attempt === attemptsMax || wanted.deleteOptions.resourceVersion !== null || !isConflict(error)) throw error;
    }
  }
}

async function evictWithin(
  eviction: Eviction,
  { pod, version }: { readonly pod: ApiObject; readonly version: number },
  deps: VerbDeps,
): Promise<void> {
  const { target, wanted } = eviction;
  const { registry } = deps;
  const [budget, ...others] = budgetsOf(pod, await budgetsIn(target.namespace, deps));
  if (others.length > 0) throw plainError(500, several);
  if (budget === undefined) return markAndRemove(registry, eviction);
  if (!goesUncounted(pod, budget)) {
    await count(eviction, budget, deps);
    return markAndRemove(registry, eviction);
  }
  // A pod that became healthy meanwhile would have to count.
  return markAndRemove(registry, guardedBy(eviction, version)).catch((error: unknown) => {
    throw isConflict(error) && wanted.deleteOptions.resourceVersion === null ? stillProcessed(budget.metadata.name ?? '') : error;
  });
}

/** Requires this version of the pod, unless the client names one. */
const guardedBy = (eviction: Eviction, version: number): Eviction => {
  const { wanted } = eviction;
  return wanted.deleteOptions.resourceVersion === null
    ? { ...eviction, wanted: { ...wanted, deleteOptions: { ...wanted.deleteOptions, resourceVersion: String(version) } } }
    : eviction;
};

const isConflict = (error: unknown): boolean => error instanceof StatusError && error.code === 409;

const budgetResource = ({ catalogue }: VerbDeps): Target['resource'] | null => catalogue.resource('policy', 'v1', 'poddisruptionbudgets');

async function budgetsIn(namespace: string, deps: VerbDeps): Promise<ApiObject[]> {
  const resource = budgetResource(deps);
  if (resource === null) return [];
  const { items } = await deps.registry.list(resource, { ...everything, namespace, consistency: { at: 'mostRecent' } });
  return items.map((item) => item.decode());
}

/** Two evictions cannot use the same allowance. */
async function count({ target: { namespace, name }, options }: Eviction, budget: ApiObject, deps: VerbDeps): Promise<void> {
  const resource = budgetResource(deps);
  if (resource === null) return;
  const apply = (current: ApiObject | null): ApiObject => spend(current ?? budget, name, timestamp());
  await deps.registry.update(
    { resource, namespace, name: budget.metadata.name ?? '' },
    { apply, subresource: 'status', uid: null, mayCreate: null },
    { ...options, manager: manager },
  );
}

/** Preconditions are checked first. */
async function markAndRemove(registry: Registry, { target, wanted, options }: Eviction): Promise<void> {
  let { deleteOptions } = wanted;
  if (!wanted.dryRun) {
    const apply = (current: ApiObject | null): ApiObject => {
      const pod = current ?? { metadata: {} };
      demand(deleteOptions, pod, target.name);
      return markEvicted(pod, timestamp());
    };
    const { object } = await registry.update(
      target,
      { apply, subresource: 'eviction', uid: null, mayCreate: null, applies: true, admitted: true },
      options,
    );
    if (deleteOptions.resourceVersion !== null) deleteOptions = { ...deleteOptions, resourceVersion: String(object.version) };
  }
  // Admission has approved the eviction.
  await registry.delete(target, deleteOptions, options, { admitted: true });
}

/** The reference names the kind here, and shows both values. */
function demand({ uid, resourceVersion }: DeleteParameters['deleteOptions'], { metadata }: ApiObject, name: string): void {
  const refuse = (
    what: string,
    { wanted, actual = '', why = '' }: { readonly wanted: string; readonly actual?: string; readonly why?: string },
  ): never => {
    throw conflict(podKind, name, `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${actual}). ${why}`);
  };
  if (uid !== null && uid !== metadata.uid)
    refuse('UID', { wanted: uid, actual: metadata.uid, why: 'The object might have been deleted and then recreated' });
  if (resourceVersion !== null && resourceVersion !== metadata.resourceVersion)
    refuse('ResourceVersion', { wanted: resourceVersion, actual: metadata.resourceVersion, why: 'The object might have been modified' });
}
