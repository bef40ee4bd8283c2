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

/** Returns the user, null for other tokens, or an error. `now` is in milliseconds since 1970. */
export function bootstrapTokens(
  storage: Pick<Storage, 'get'>,
  now: () => number = Date.now,
): (token: string) => Promise<User | string | null> {
  return async (token) => {
    const [, id = '', secret = ''] = tokenForm.exec(token) ?? [];
    if (id === '') return null;
    const result = await storage.get(
      { resource: { group: '', resource: 'secrets' }, namespace, name: `bootstrap-token-${id}` },
      { at: 'any' },
    );
    if (result.outcome === 'absent') return null;
    if (result.outcome !== 'found') throw readFailure(result);
    const object = result.object.decode();
    const data = (key: string): string => Buffer.from(textAt(object, 'data', key), 'base64').toString('utf8');
    if (object.metadata.deletionTimestamp !== undefined || object['type'] !== type) return null;
    if (!sameSecret(data('token-secret'), secret) || data('token-id') !== id) return null;
    if (hasExpired(data('expiration'), now())) return 'bootstrap token has expired';
    if (data('usage-bootstrap-authentication') !== 'true') return 'bootstrap token is not for authentication';
    const groups = groupsOf(data('auth-extra-groups'));
    return groups === null
      ? 'bootstrap token has groups that it may not give'
      : { name: `system:bootstrap:${id}`, uid: '', groups, extra: {} };
  };
}

/** An unreadable time has passed. */
function hasExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false;
  const time = parseTime(expiration);
  return time === undefined || now >= time.seconds * 1000;
}

function groupsOf(list: string): string[] | null {
  const extra = list === '' ? [] : list.split(',');
  return extra.every((group) => groupForm.test(group)) ? [...new Set(['system:bootstrappers', ...extra])].sort() : null;
}
