import type { Api } from '../client/api.js';
import { isNamespaceTerminating, isNotFound, unless } from '../client/errors.js';
import { isControlledBy, isTerminating, keyOf, keyTextOf, type KubeObject } from '../../api/meta/object.js';
import { type EndpointSlice, endpointSlices } from '../../api/types/discovery/v1.js';
import type { PendingWrites } from './pendingWrites.js';

export interface SliceWrites {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const serviceNameLabel = 'kubernetes.io/service-name';
export const isManagedBy = (manager: string, { metadata }: EndpointSlice): boolean => metadata.labels?.[managedByLabel] === manager;

/** Returns the prefix of generated names, with a dash if the name leaves room. */
export const slicePrefix = (name: string): string => (name.length + 1 > 253 ? name : `${name}-`);

/**
 * Updates slices to be deleted instead of creating others: one request, and no moment without endpoints. Takes only slices of this owner, with the same
 * address family. Pure.
 */
export function recycled(owner: KubeObject, { create, update, remove }: SliceWrites): SliceWrites {
  const fresh = [...create];
  const reused: EndpointSlice[] = [];
  const gone = remove.filter((old) => {
    const slice = fresh.at(-1);
    if (!slice || slice.addressType !== old.addressType || !isControlledBy(old, owner)) return true;
    fresh.pop();
    const { generateName: _, ...metadata } = slice.metadata;
    reused.push({ ...slice, metadata: { ...metadata, ...identityOf(old) } });
    return false;
  });
  return { create: fresh, update: [...update, ...reused], remove: gone };
}

const identityOf = ({ metadata: { name, generateName, uid, resourceVersion } }: EndpointSlice): object => ({
  ...(name ? { name } : {}),
  ...(generateName ? { generateName } : {}),
  ...(uid ? { uid } : {}),
  ...(resourceVersion ? { resourceVersion } : {}),
});

/** Omits empty lists, which Protobuf cannot carry: nobody owns them. */
const withoutEmpty = ({ endpoints, ports, ...slice }: EndpointSlice): EndpointSlice => ({
  ...slice,
  ...(endpoints?.length ? { endpoints } : {}),
  ...(ports?.length ? { ports } : {}),
});

/** Executes writes. A terminating owner gets nothing new, since the garbage collector is at work. */
export async function writeSlices(
  api: Api,
  owner: KubeObject,
  { create, update, remove }: SliceWrites,
  pending: PendingWrites,
): Promise<void> {
  const key = keyTextOf(owner);
  for (const slice of isTerminating(owner) ? [] : create) {
    const created = await unless(isNamespaceTerminating, api.create(endpointSlices, withoutEmpty(slice)));
    if (!created) return;
    pending.wrote(key, created);
  }
  for (const slice of update) pending.wrote(key, await api.update(endpointSlices, withoutEmpty(slice)));
  for (const slice of remove) {
    await unless(isNotFound, api.delete(endpointSlices, keyOf(slice)));
    pending.deleted(key, slice);
  }
}
