import { BoundedMap } from '../../../api/boundedMap.js';
import { hash } from 'node:crypto';
import type { JsonObject } from '../../../api/object.js';
import type { User } from '../../../api/user.js';
import { claimedIssuer } from '../claimedIssuer.js';
import { seconds } from '../serviceaccount/claims.js';
import type { ClaimResolver } from './distributedClaims.js';
import type { IssuerKeys, KeySet } from './keys.js';
import { userOfClaims } from './mapping.js';
import type { JwtSettings } from './settings.js';
import { claimsOf } from './verification.js';

/** Cached valid tokens per issuer; the oldest is evicted. */
const rememberedMax = 10_000;
/** Distributed claims are fetched again after this time. */
const distributedClaimsTtlSeconds = 10;

interface Verified {
  readonly user: User;
  /** Seconds since 1970. */ readonly expires: number;
  /** The time of the next check. */ readonly until: number;
}

/** Resolves to the user, null for a token of another issuer, or an error message. */
export type JwtAuthenticator = (token: string) => Promise<User | string | null>;

/** `now` is in seconds since 1970. */
export function jwtAuthenticator(
  settings: JwtSettings,
  keys: IssuerKeys,
  resolve: ClaimResolver,
  now: () => number = () => Date.now() / 1000,
): JwtAuthenticator {
  const remembered = new BoundedMap<string, Verified>(rememberedMax);
  let rememberedBy: KeySet | null = null;
  return async (token) => {
    if (claimedIssuer(token) !== settings.issuer) return null;
    // Tokens trigger a request to an unreachable issuer before the next poll.
    const known = keys.current() ?? (await keys.renew());
    if (known === null) return 'oidc: the issuer has not been reached yet';
    // Revoked keys revoke their tokens.
    if (rememberedBy !== known) {
      remembered.clear();
      rememberedBy = known;
    }
    const digest = hash('sha256', token, 'base64');
    const found = remembered.get(digest);
    if (found !== undefined && now() > found.expires) return 'oidc: the token has expired';
    if (found !== undefined && now() < found.until) return found.user;
    const own = await claimsOf(token, settings, { known, keys }, now());
    if (typeof own === 'string') return `oidc: ${own}`;
    const claims: JsonObject | string = await resolve(own);
    if (typeof claims === 'string') return `oidc: ${claims}`;
    const user = userOfClaims(claims, settings);
    if (typeof user === 'string') return user;
    remembered.set(digest, {
      user,
      expires: seconds(own, 'exp') ?? 0,
      until: claims === own ? Infinity : now() + distributedClaimsTtlSeconds,
    });
    return user;
  };
}
