import type { ApiObject } from '../../../api/object.js';
import { parseTime } from '../../../api/time.js';
import type { User } from '../../../api/user.js';
import { textAt } from '../../../api/json/members.js';
import { readFailure } from '../../registry/failures.js';
import type { Storage } from '../../storage/contract.js';
import { sameSecret } from './sameSecret.js';

/** Tokens with which new nodes request certificates: `ID.SECRET`, kept in secrets of kube-system. */
const tokenForm = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const namespace = 'kube-system';
const type = 'bootstrap.kubernetes.io/token';
const nanosPerMs = 1e6;

/**
 * Returns null for other tokens, and for refused ones, whose reason only `refused` receives with the secret's name
 * (token/bootstrap/bootstrap.go). `now` is in milliseconds since 1970.
 */
export function bootstrapTokens(
  storage: Pick<Storage, 'get'>,
  refused: (name: string, reason: string) => void = () => undefined,
  now: () => number = Date.now,
): (token: string) => Promise<User | null> {
  return async (token) => {
    const [, id = '', secret = ''] = tokenForm.exec(token) ?? [];
    if (id === '') return null;
    const name = `bootstrap-token-${id}`;
    const result = await storage.get({ resource: { group: '', resource: 'secrets' }, namespace, name }, { at: 'any' });
    if (result.outcome !== 'found' && result.outcome !== 'absent') throw readFailure(result);
    const checked = result.outcome === 'absent' ? 'it does not exist' : groupsOrReason(result.object.decode(), { id, secret, now: now() });
    if (typeof checked !== 'string') return { name: `system:bootstrap:${id}`, uid: '', groups: checked, extra: {} };
    refused(name, checked);
    return null;
  };
}

interface Presented {
  readonly id: string;
  readonly secret: string;
  readonly now: number;
}

function groupsOrReason(object: ApiObject, { id, secret, now }: Presented): string[] | string {
  const data = (key: string): string => Buffer.from(textAt(object, 'data', key), 'base64').toString('utf8');
  if (object.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (object['type'] !== type) return `its type is not ${type}`;
  if (!sameSecret(data('token-secret'), secret)) return 'it has another token-secret';
  if (data('token-id') !== id) return 'it has another token-id';
  if (hasExpired(data('expiration'), now)) return 'it has expired';
  if (data('usage-bootstrap-authentication') !== 'true') return 'its usage-bootstrap-authentication is not true';
  return groupsOf(data('auth-extra-groups')) ?? 'its auth-extra-groups name a group that it may not give';
}

/** An unreadable time has passed. */
function hasExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false;
  const time = parseTime(expiration);
  return time === undefined || now >= time.seconds * 1000 + time.nanos / nanosPerMs;
}

function groupsOf(list: string): string[] | null {
  const extra = list === '' ? [] : list.split(',');
  return extra.every((group) => groupForm.test(group)) ? [...new Set(['system:bootstrappers', ...extra])].sort() : null;
}
