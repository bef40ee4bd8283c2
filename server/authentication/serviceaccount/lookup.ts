import type { GroupResource } from '../../../api/resource.js';
import { readFailure } from '../../registry/failures.js';
import type { Storage, StoredObject } from '../../storage/contract.js';
import type { AccountClaims, Reference } from './claims.js';

interface Standing {
  readonly uid: string;
  /** Seconds since 1970. */ readonly deletedAt: number | null;
}

/** Returns why an account or bound object no longer exists, or null. `now` is in seconds since 1970. */
export type Lookup = (claims: AccountClaims, now: number) => Promise<string | null>;

const accounts: GroupResource = { group: '', resource: 'serviceaccounts' };
const pods: GroupResource = { group: '', resource: 'pods' };
const secrets: GroupResource = { group: '', resource: 'secrets' };
const nodes: GroupResource = { group: '', resource: 'nodes' };

/** Validity of a token after its object's deletion was requested. */
const deletionLeewaySeconds = 60;

/**
 * Reads this server's cache, and the latest state where it disagrees with the token, which may be newer. Deletions count at once. Throws StatusError when
 * storage cannot answer.
 */
export function createLookup(storage: Pick<Storage, 'get'>): Lookup {
  const standings = new WeakMap<StoredObject, Standing>();
  const standingOf = (object: StoredObject): Standing => {
    let found = standings.get(object);
    if (found === undefined) standings.set(object, (found = readStanding(object)));
    return found;
  };
  const read = async (resource: GroupResource, namespace: string, name: string, at: 'any' | 'mostRecent'): Promise<Standing | null> => {
    const result = await storage.get({ resource, namespace, name }, { at });
    if (result.outcome === 'found') return standingOf(result.object);
    if (result.outcome === 'absent') return null;
    throw readFailure(result);
  };
  const gone = async (resource: GroupResource, namespace: string, wanted: Reference, now: number): Promise<boolean> => {
    let found = await read(resource, namespace, wanted.name, 'any');
    if (found?.uid !== wanted.uid) found = await read(resource, namespace, wanted.name, 'mostRecent');
    return found?.uid !== wanted.uid || (found.deletedAt !== null && found.deletedAt < now - deletionLeewaySeconds);
  };
  return async ({ namespace, account, pod, secret, node }, now) => {
    if (await gone(accounts, namespace, account, now)) return `service account ${namespace}/${account.name} has been deleted`;
    if (secret !== null && (await gone(secrets, namespace, secret, now))) return 'service account token has been invalidated';
    if (pod !== null && (await gone(pods, namespace, pod, now))) return 'service account token has been invalidated';
    // A node besides a pod is information, and does not bind the token.
    if (pod === null && node !== null && (await gone(nodes, '', node, now))) return 'service account token has been invalidated';
    return null;
  };
}

function readStanding(object: StoredObject): Standing {
  const { uid = '', deletionTimestamp } = object.decode().metadata;
  return { uid, deletedAt: deletionTimestamp === undefined ? null : Date.parse(deletionTimestamp) / 1000 };
}
