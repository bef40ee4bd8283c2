import type { TokenCacheCounts } from '../tokens/cacheCounts.js';
import type { User } from '../../../api/user.js';
import { withAuthenticatedGroup, type CredentialNote } from '../../../program/authentication/authenticator.js';
import { notOfThisKind, type TokenAuthentication, type TokenAuthenticator } from '../tokens/token.js';
import { claimsOf, untimely, userOf, type AccountClaims } from './claims.js';
import type { VerificationKeys } from './keys.js';
import type { Lookup } from './lookup.js';
import { signatureCheck } from './signatures.js';
import { legacyUse, type TokenUse } from './tokenUse.js';

export interface VerifierOptions {
  /** Tokens of other issuers are ignored. */
  readonly issuers: readonly string[];
  readonly keys: VerificationKeys;
  /** This API's audiences, a token's default. */
  readonly audiences: readonly string[];
  readonly lookup: Lookup;
  /** Seconds since 1970. */
  readonly now?: () => number;
  /** Receives valid and stale tokens. */
  readonly count?: (use: TokenUse) => void;
  readonly cacheCounts?: TokenCacheCounts | null;
}

/** Marks in audit events clients that read their token only once, and will be refused at its expiry. */
const staleAnnotation = 'authentication.k8s.io/stale-token';

interface Vouched {
  readonly claims: AccountClaims;
  readonly user: User;
}

export function accountTokenVerifier({
  issuers,
  keys,
  audiences: own,
  lookup,
  now = () => Date.now() / 1000,
  count = () => undefined,
  cacheCounts = null,
}: VerifierOptions): TokenAuthenticator {
  const check = signatureCheck<Vouched>({
    keys,
    issuers,
    counts: cacheCounts,
    read: (payload) => {
      const claims = claimsOf(payload);
      return claims === null ? null : { claims, user: withAuthenticatedGroup(userOf(claims)) };
    },
  });
  return async (token, audiences) => {
    const answer = check(token);
    const vouched = answer instanceof Promise ? await answer : answer;
    if (vouched === null) return notOfThisKind;
    if (typeof vouched === 'string') return invalid(vouched);
    const { claims, user } = vouched;
    const isLegacy = claims.audiences.length === 0;
    if (isLegacy) count('legacy');
    const notes = isLegacy ? [legacyUse(claims.subject)] : [];
    const meant = isLegacy ? own : claims.audiences;
    const shared = audiences.filter((audience) => meant.includes(audience));
    if (shared.length === 0)
      return invalid(`token audiences ${quoted(meant)} is invalid for the target audiences ${quoted(audiences)}`, notes);
    const wrong = untimely(claims, now()) ?? (await lookup(claims, now()));
    if (wrong !== null) return invalid(wrong, notes);
    const all = [...notes, ...staleness(claims, now(), count)];
    return { outcome: 'user', user, audiences: shared, ...(all.length === 0 ? {} : { notes: all }) };
  };
}

function staleness({ subject, warnAfter }: AccountClaims, now: number, count: (use: TokenUse) => void): CredentialNote[] {
  if (warnAfter === null || warnAfter === 0) return [];
  count(now > warnAfter ? 'stale' : 'valid');
  if (now <= warnAfter) return [];
  const text = `subject: ${subject}, seconds after warning threshold: ${Math.floor(now) - Math.trunc(warnAfter)}`;
  return [{ key: staleAnnotation, text }];
}

const invalid = (reason: string, notes: readonly CredentialNote[] = []): TokenAuthentication =>
  notes.length === 0 ? { outcome: 'invalid', reason } : { outcome: 'invalid', reason, notes };
const quoted = (list: readonly string[]): string => `[${list.map((text) => JSON.stringify(text)).join(' ')}]`;
