import type { OutgoingHttpHeaders } from 'node:http';
import type { User } from '../../../api/user.js';
import { BackendError } from './answer.js';

/** Identity headers for extension servers, which trust them for this server's certificate. Throws a BackendError for values that no header can express. */
export function identityHeaders({ name, uid, groups, extra }: User): OutgoingHttpHeaders {
  const more = Object.entries(extra).map(([key, values]): [string, string[]] => [
    `x-remote-extra-${encodeURIComponent(key.toLowerCase())}`,
    values.map(written),
  ]);
  return {
    'x-remote-user': written(name),
    ...(uid === '' ? {} : { 'x-remote-uid': written(uid) }),
    ...(groups.length === 0 ? {} : { 'x-remote-group': groups.map(written) }),
    ...Object.fromEntries(more),
  };
}

/** Node writes a byte per character of a header, and programs read UTF-8: unconverted, one user's name could become another's. */
function written(text: string): string {
  // Characters that end or break a header (RFC 9110, section 5.5).
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(text))
    throw new BackendError('the name of the user, or what else is known of him, cannot be written in a header', false);
  return Buffer.from(text, 'utf8').toString('latin1');
}
