import type { ServerGate } from '../../../program/features/gates.js';
import type { ApiObject } from '../../../api/object.js';
import { StatusError } from '../../../api/status.js';
import { bootstrapObjects } from '../../../api/catalogue/bootstrapObjects.js';
import type { Registry } from '../../registry/contract.js';
import type { Target } from '../../registry/target.js';
import { ownWrites } from '../../registry/ownWrites.js';
import { servedObject } from '../../registry/conversion.js';
import { noDeleteOptions } from '../../registry/deletion.js';
import type { Catalogue, ServedResource } from '../../registry/resources.js';
import type { StoredObject } from '../../storage/contract.js';
import { startTask, type StartTaskOptions } from '../../registry/startTask.js';
import { gatedRoles } from './gatedRoles.js';
import { rbacGroup } from './policy.js';
import { reconcileBinding, reconcileRole, type Reconciled } from './reconcile.js';

const kinds = [
  { name: 'clusterroles', reconcile: reconcileRole },
  { name: 'clusterrolebindings', reconcile: reconcileBinding },
  { name: 'roles', reconcile: reconcileRole },
  { name: 'rolebindings', reconcile: reconcileBinding },
] as const;

/**
 * Ensures that the default roles and bindings exist and grant at least their defaults. Replicas may run it concurrently. Waits until storage accepts writes; a
 * refusal is retried in the background (`startTask.ts`).
 */
export async function bootstrapRbac({
  registry,
  catalogue,
  seeded = false,
  isOn = () => false,
  ...options
}: StartTaskOptions & {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  /** True if `server/seed` has just written the objects common to all clusters. */
  readonly seeded?: boolean;
  /** Default: no feature is on. */
  readonly isOn?: (feature: ServerGate) => boolean;
}): Promise<void> {
  const [objects, gated] = [seeded ? {} : bootstrapObjects(), gatedRoles((group, name) => isServed(catalogue, group, name), isOn)];
  const bindings = catalogue.resource(rbacGroup, 'v1', 'clusterrolebindings');
  if (!seeded && bindings !== null)
    for (const { from, name } of splitBindings)
      await startTask(
        `clusterrolebindings ${name}`,
        () => splitBinding({ registry, resource: bindings, from, wanted: named(objects, name) }),
        options,
      );
  await Promise.all(
    kinds.map(async ({ name, reconcile }) => {
      const resource = catalogue.resource(rbacGroup, 'v1', name);
      if (resource === null) return;
      // Parallel writes share the store's round trips; additions to a common role come later.
      for (const all of [objects[name] ?? [], gated[name] ?? []])
        await Promise.all(
          all.map((wanted) =>
            startTask(`${name} ${wanted.metadata.name ?? ''}`, () => bringUpToDate({ registry, resource, wanted, reconcile }), options),
          ),
        );
    }),
  );
}

/** Bindings split from others: subjects of the original keep the right, even if an operator changed them (the reference's `primeSplitClusterRoleBindings`). */
const splitBindings = [{ from: 'system:discovery', name: 'system:public-info-viewer' }] as const;

const named = (objects: Readonly<Record<string, readonly ApiObject[]>>, name: string): ApiObject | null =>
  objects['clusterrolebindings']?.find(({ metadata }) => metadata.name === name) ?? null;

interface Split {
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly from: string;
  readonly wanted: ApiObject | null;
}

/** Creates a missing binding from its original, unless either already existed, or the original is gone. */
async function splitBinding({ registry, resource, from, wanted }: Split): Promise<void> {
  if (wanted === null) return;
  const target = (name = ''): Target => ({ resource, namespace: '', name });
  if ((await found(registry, target(wanted.metadata.name))) !== null) return;
  const source = await found(registry, target(from));
  if (source === null) return;
  const { subjects, metadata } = servedObject(resource, source);
  const { labels, annotations } = metadata;
  const made: ApiObject = {
    ...structuredClone(wanted),
    metadata: { ...wanted.metadata, ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) },
    ...(subjects === undefined ? {} : { subjects }),
  };
  await registry.create(target(), made, ownWrites);
}

const found = (registry: Registry, target: Target): Promise<StoredObject | null> =>
  registry.get(target, { at: 'any' }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return null;
    throw error;
  });

const isServed = (catalogue: Catalogue, group: string, name: string): boolean =>
  catalogue.group(group)?.versions.some(({ resources }) => resources.some(({ resource }) => resource === name)) ?? false;

interface DesiredRole {
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly wanted: ApiObject;
  readonly reconcile: (current: ApiObject, wanted: ApiObject) => Reconciled;
}

async function bringUpToDate({ registry, resource, wanted, reconcile }: DesiredRole): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata;
  const target: Target = { resource, namespace, name };
  const current = await found(registry, target);
  const create = async (): Promise<void> => {
    await registry.create({ ...target, name: '' }, structuredClone(wanted), ownWrites);
  };
  if (current === null) return create();
  const { action } = reconcile(servedObject(resource, current), wanted);
  if (action === 'recreate') {
    const deleteOptions = { ...noDeleteOptions, resourceVersion: String(current.version) };
    await registry.delete(target, deleteOptions, ownWrites);
    return create();
  }
  if (action === 'keep') return;
  const apply = (latest: ApiObject | null): ApiObject => {
    if (latest === null) return structuredClone(wanted);
    const next = reconcile(latest, wanted);
    return next.action === 'update' ? next.object : latest;
  };
  await registry.update(target, { apply, subresource: '', uid: null, mayCreate: () => {} }, ownWrites);
}
