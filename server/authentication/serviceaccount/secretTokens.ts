import { createHash, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';
import { readFailure } from '../../registry/failures.js';
import { textAt } from '../../registry/members.js';
import type { Storage } from '../../storage/contract.js';
import { accountGroups, accountUserName, type Reference } from './claims.js';
import type { VerificationKeys } from './keys.js';
import type { Lookup } from './lookup.js';
import { signatureCheck } from './signatures.js';

/** Issuer of the tokens that are kept in secrets and have no end. */
const ISSUER = 'kubernetes/serviceaccount';
/** A controller marks the secrets of tokens that nobody has used for long. */
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

interface Claims { readonly namespace: string; readonly account: Reference; readonly secret: string; readonly user: User }

export interface SecretTokenOptions {
  readonly keys: VerificationKeys;
  readonly storage: Pick<Storage, 'get'>;
  /** Null where a token counts whatever has become of its account and secret. */
  readonly lookup: Lookup | null;
}

/** Authenticates service accounts by tokens kept in secrets. Such a token counts as long as the secret holds it. */
export function secretTokens({ keys, storage, lookup }: SecretTokenOptions): (token: string) => Promise<User | string | null> {
  const check = signatureCheck<Claims>({ keys, issuers: [ISSUER], read: claimsOf });
  return async (token) => {
    const vouched = await check(token);
    if (vouched === null || typeof vouched === 'string') return vouched;
    const wrong = lookup === null ? null : await whyGone(token, vouched, storage, lookup);
    return wrong ?? vouched.user;
  };
}

function claimsOf(payload: JsonObject): Claims | null {
  const text = (name: string): string => textAt(payload, `kubernetes.io/serviceaccount/${name}`);
  const namespace = text('namespace');
  const account = { name: text('service-account.name'), uid: text('service-account.uid') };
  const secret = text('secret.name');
  const name = accountUserName(namespace, account.name);
  if ([namespace, account.name, account.uid, secret].includes('') || payload['sub'] !== name) return null;
  return { namespace, account, secret, user: { name, uid: account.uid, groups: accountGroups(namespace), extra: {} } };
}

async function whyGone(token: string, { namespace, account, secret }: Claims, storage: Pick<Storage, 'get'>, lookup: Lookup): Promise<string | null> {
  const result = await storage.get({ resource: { group: '', resource: 'secrets' }, namespace, name: secret }, { at: 'any' });
  if (result.outcome !== 'found' && result.outcome !== 'absent') throw readFailure(result);
  const object = result.outcome === 'found' ? result.object.decode() : null;
  const held = Buffer.from(textAt(object ?? {}, 'data', 'token'), 'base64').toString('utf8');
  if (object === null || object.metadata.deletionTimestamp !== undefined || !sameToken(held, token)) return 'service account token has been invalidated';
  if ((object.metadata.labels?.[INVALID_SINCE] ?? '') !== '') return 'service account token has been marked as unused';
  const always = { id: '', subject: '', audiences: [], issuedAt: null, notBefore: null, expires: null, pod: null, secret: null, node: null };
  return lookup({ ...always, namespace, account }, Date.now() / 1000);
}

/** Digests of equal length, because only such can be compared in constant time. */
function sameToken(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
