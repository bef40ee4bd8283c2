import type { ApiObject } from '../../api/object.js';
import { memberAt } from '../../api/json/members.js';
import { forbidden, notFound } from '../../api/status.js';
import type { GroupResource } from '../../api/resource.js';
import type { GetResult, ObjectKey, Storage, StoredObject } from '../storage/contract.js';
import type { Target } from './target.js';
import { readFailure } from './failures.js';

const namespaces: GroupResource = { group: '', resource: 'namespaces' };

export type NamespaceProvider = (name: string) => Promise<void>;

/** Named after the reference's admission plugins. */
export interface NamespaceTerms {
  /** It exists (NamespaceLifecycle, NamespaceExists). */
  readonly exists: boolean;
  /** It is not terminating (NamespaceLifecycle). */
  readonly stays: boolean;
  readonly provide: NamespaceProvider | null;
}

export const usualTerms: NamespaceTerms = { exists: true, stays: true, provide: null };

/** Refuses with StatusError 404 or 403. A namespace that seems absent is read at the latest state: another replica may have created it. Returns its labels. */
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

export async function labelsOfNamespace(storage: Storage, namespace: string): Promise<Readonly<Record<string, string>>> {
  const result = await find(storage, namespace);
  if (result.outcome === 'absent') return {};
  if (result.outcome !== 'found') throw readFailure(result);
  return result.object.labels;
}

/** Every create reads one. */
const known = new WeakMap<StoredObject, boolean>();

function isOnItsWayOut(namespace: StoredObject): boolean {
  let answer = known.get(namespace);
  if (answer === undefined) known.set(namespace, (answer = isTerminating(namespace.decode())));
  return answer;
}

const isTerminating = (namespace: ApiObject): boolean =>
  namespace.metadata.deletionTimestamp !== undefined || memberAt(namespace, 'status', 'phase') === 'Terminating';

const terminating = (resource: GroupResource, name: string, namespace: string): Error =>
  forbidden(
    resource,
    name === '' ? 'Unknown' : name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
  );
