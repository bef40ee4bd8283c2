import { createHash } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import type { JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';
import { notOfThisKind, type TokenAuthentication, type TokenAuthenticator } from '../tokens/token.js';
import { claimsOf, untimely, userOf, type AccountClaims } from './claims.js';
import type { VerificationKey } from './keys.js';
import type { Lookup } from './lookup.js';

export interface VerifierOptions {
  /** Whose tokens these are; others' are left to other ways. */
  readonly issuers: readonly string[];
  readonly keys: readonly VerificationKey[];
  /** Audiences of this API: what a token without audiences is meant for. */
  readonly audiences: readonly string[];
  /** Null where a token counts as long as its time, whatever has become of its account. */
  readonly lookup: Lookup | null;
  /** Seconds since 1970. */
  readonly now?: () => number;
}

/** What a verified signature vouches for. It stays true, so it is remembered; time and look-ups are asked anew each time. */
interface Vouched { readonly claims: AccountClaims; readonly user: User }

/** Tokens whose signature is remembered; the oldest makes room. */
const rememberedMax = 10_000;

/** Authenticates service accounts by tokens that this cluster has issued. */
export function accountTokenVerifier({ issuers, keys, audiences: own, lookup, now = () => Date.now() / 1000 }: VerifierOptions): TokenAuthenticator {
  const remembered = new Map<string, Vouched>();
  const vouchedFor = async (token: string): Promise<Vouched | string> => {
    // The token itself is not kept.
    const digest = createHash('sha256').update(token).digest('base64');
    const known = remembered.get(digest);
    if (known !== undefined) return known;
    const vouched = await verify(token, keys);
    if (typeof vouched === 'string') return vouched;
    if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value!);
    remembered.set(digest, vouched);
    return vouched;
  };
  return async (token, audiences) => {
    if (!isIssuedBy(token, issuers)) return notOfThisKind;
    const vouched = await vouchedFor(token);
    if (typeof vouched === 'string') return invalid(vouched);
    const { claims, user } = vouched;
    const meant = (claims.audiences.length === 0 ? own : claims.audiences);
    const shared = audiences.filter((audience) => meant.includes(audience));
    if (shared.length === 0) return invalid(`token audiences ${quoted(meant)} is invalid for the target audiences ${quoted(audiences)}`);
    const wrong = untimely(claims, now()) ?? (lookup === null ? null : await lookup(claims, now()));
    return wrong === null ? { outcome: 'user', user, audiences: shared } : invalid(wrong);
  };
}

const invalid = (reason: string): TokenAuthentication => ({ outcome: 'invalid', reason });
const quoted = (list: readonly string[]): string => `[${list.map((text) => JSON.stringify(text)).join(' ')}]`;

/** Read before anything is verified, and only to know whose business the token is. */
function isIssuedBy(token: string, issuers: readonly string[]): boolean {
  try {
    return issuers.includes(decodeJwt(token).iss ?? '');
  } catch {
    return false;
  }
}

/** Verifies with every key that may fit, each with its own algorithm; what the header says selects among keys and nothing else. */
async function verify(token: string, keys: readonly VerificationKey[]): Promise<Vouched | string> {
  let id: string | undefined;
  try {
    id = decodeProtectedHeader(token).kid;
  } catch {
    return 'the token has no readable header';
  }
  const named = keys.filter((key) => key.id === id);
  for (const { key, algorithm } of named.length === 0 ? keys : named) {
    const payload = await payloadSignedBy(token, key, algorithm);
    if (payload === null) continue;
    const claims = claimsOf(payload);
    return claims === null ? 'the token names no service account' : { claims, user: userOf(claims) };
  }
  return 'no key of this cluster has signed the token';
}

async function payloadSignedBy(token: string, key: VerificationKey['key'], algorithm: string): Promise<JsonObject | null> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
    const value: unknown = JSON.parse(new TextDecoder().decode(payload));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as JsonObject : null;
  } catch {
    return null;
  }
}
