import type { ApiObject } from '../../api/object.js';
import { memberAt } from '../../api/json/members.js';
import { forbidden, notFound } from '../../api/status.js';
import type { GroupResource } from '../../api/resource.js';
import type { GetResult, ObjectKey, Storage, StoredObject } from '../storage/contract.js';
import type { Target } from './target.js';
import { readFailure } from './failures.js';

const namespaces: GroupResource = { group: '', resource: 'namespaces' };

export type NamespaceProvider = (name: string) => Promise<void>;

/** Requirements on the namespace of a new object; the names are admission plugins of the reference. */
export interface NamespaceTerms {
  /** It exists (NamespaceLifecycle, NamespaceExists). */
  readonly exists: boolean;
  /** It is not terminating (NamespaceLifecycle). */
  readonly stays: boolean;
  /** Creates a missing one (NamespaceAutoProvision); null where the plugin is off. */
  readonly provide: NamespaceProvider | null;
}

export const usualTerms: NamespaceTerms = { exists: true, stays: true, provide: null };

/**
 * Refuses new objects in missing or terminating namespaces, where required, with StatusError 404 or 403. A namespace that seems absent locally is read again at
 * the latest state, because another replica may have created it. Returns its labels.
 */
export async function admitToNamespace(
  storage: Storage,
  { resource, namespace }: Target,
  name: string,
  { exists, stays, provide }: NamespaceTerms,
): Promise<Readonly<Record<string, string>>> {
  let result = await find(storage, namespace);
  if (result.outcome === 'absent' && provide !== null) {
    await provide(namespace);
    result = await storage.get(keyOf(namespace), { at: 'mostRecent' });
  }
  if (result.outcome === 'absent') {
    if (exists) throw notFound(namespaces, namespace);
    return {};
  }
  if (result.outcome !== 'found') throw readFailure(result);
  if (stays && isOnItsWayOut(result.object)) throw terminating(resource.storage, name, namespace);
  return result.object.labels;
}

const keyOf = (name: string): ObjectKey => ({ resource: namespaces, namespace: '', name });

async function find(storage: Storage, namespace: string): Promise<GetResult> {
  const result = await storage.get(keyOf(namespace), { at: 'any' });
  return result.outcome === 'absent' ? storage.get(keyOf(namespace), { at: 'mostRecent' }) : result;
}

/** Returns no labels where the namespace is already gone. Throws StatusError when it cannot be read. */
export async function labelsOfNamespace(storage: Storage, namespace: string): Promise<Readonly<Record<string, string>>> {
  const result = await find(storage, namespace);
  if (result.outcome === 'absent') return {};
  if (result.outcome !== 'found') throw readFailure(result);
  return result.object.labels;
}

/** Namespaces change rarely and every create reads one, so each version is decoded once. */
const known = new WeakMap<StoredObject, boolean>();

function isOnItsWayOut(namespace: StoredObject): boolean {
  let answer = known.get(namespace);
  if (answer === undefined) known.set(namespace, (answer = isTerminating(namespace.decode())));
  return answer;
}

const isTerminating = (namespace: ApiObject): boolean =>
  namespace.metadata.deletionTimestamp !== undefined || memberAt(namespace, 'status', 'phase') === 'Terminating';

const terminating = (resource: GroupResource, name: string, namespace: string): Error =>
  forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ]);
