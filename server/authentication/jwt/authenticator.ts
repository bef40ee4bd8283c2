import { isObject } from '../../../api/json.js';
import { hash } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, errors, type CryptoKey } from 'jose';
import type { JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';
import { claimedIssuer } from '../claimedIssuer.js';
import { audiencesOf, seconds } from '../serviceaccount/claims.js';
import type { IssuerKeys, KeySet } from './keys.js';
import { userOfClaims } from './mapping.js';
import type { JwtSettings } from './settings.js';

/** Tokens that were found good and are remembered, for each issuer; the oldest makes room. */
const rememberedMax = 10_000;
/** A token may say "not before" in the near future: clocks differ. */
const notBeforeLeewaySeconds = 300;

interface Verified {
  readonly user: User;
  /** Seconds since 1970. */ readonly expires: number;
}

/** Answers the user, null for a token of another issuer, or why a token is no good. */
export type JwtAuthenticator = (token: string) => Promise<User | string | null>;

/** Authenticates by tokens of one issuer. `now` is in seconds since 1970. */
export function jwtAuthenticator(settings: JwtSettings, keys: IssuerKeys, now: () => number = () => Date.now() / 1000): JwtAuthenticator {
  let remembered = new Map<string, Verified>();
  let rememberedBy: KeySet | null = null;
  return async (token) => {
    if (claimedIssuer(token) !== settings.issuer) return null;
    const known = keys.current();
    if (known === null) return 'oidc: the issuer has not been reached yet';
    // A key that was taken back takes its tokens along.
    if (rememberedBy !== known) {
      remembered = new Map();
      rememberedBy = known;
    }
    const digest = hash('sha256', token, 'base64');
    const found = remembered.get(digest);
    if (found !== undefined) return now() < found.expires ? found.user : 'oidc: the token has expired';
    const payload = await verified(token, settings, known, keys);
    if (typeof payload === 'string') return `oidc: ${payload}`;
    const wrong = complaint(payload, settings, now());
    if (wrong !== null) return `oidc: ${wrong}`;
    const user = userOfClaims(payload, settings);
    if (typeof user === 'string') return user;
    if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value!);
    remembered.set(digest, { user, expires: seconds(payload, 'exp') ?? 0 });
    return user;
  };
}

/** A token that no known key has signed may be of a new one: then the issuer is asked, once. */
async function verified(token: string, { algorithms }: JwtSettings, known: KeySet, keys: IssuerKeys): Promise<JsonObject | string> {
  let algorithm: string | undefined;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    return 'the token has no readable header';
  }
  if (algorithm === undefined || !algorithms.includes(algorithm)) return 'the token is signed in a way that is not accepted';
  const first = await payloadBy(token, algorithm, known);
  if (first !== null) return first;
  const renewed = await keys.renew();
  return (
    (renewed === null || renewed === known ? null : await payloadBy(token, algorithm, renewed)) ??
    'no key of the issuer has signed the token'
  );
}

async function payloadBy(token: string, algorithm: string, { find }: KeySet): Promise<JsonObject | null> {
  for await (const key of candidates(token, find)) {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
      const value: unknown = JSON.parse(new TextDecoder().decode(payload));
      return isObject<JsonObject>(value) ? value : null;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return null;
}

/** A token without key id may be of any key of its kind. */
async function* candidates(token: string, find: KeySet['find']): AsyncGenerator<CryptoKey> {
  try {
    yield await find(decodeProtectedHeader(token), { payload: '', signature: '' });
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) yield* error;
  }
}

function complaint(payload: JsonObject, { audiences, issuer }: JwtSettings, now: number): string | null {
  const [expires, notBefore] = [seconds(payload, 'exp'), seconds(payload, 'nbf')];
  if (payload['iss'] !== issuer) return 'the token is of another issuer';
  if (expires === null || now >= expires) return 'the token has expired';
  if (notBefore !== null && now + notBeforeLeewaySeconds < notBefore) return 'the token is not valid yet';
  return audiencesOf(payload).some((audience) => audiences.includes(audience)) ? null : 'the token is meant for others';
}
